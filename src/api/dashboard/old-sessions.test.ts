// Tests sessions whose login is older than ten minutes at every endpoint of users: changes that give data or access, or
// destroy data, are refused.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'
import { Person } from '../../../test/support/person.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { type Consequence, RECENT_LOGIN } from '../route.ts'
import type { DashboardRoute } from './route.ts'
import { dashboardRoutes, mountedOperatorRoutes, mountedRoutes } from './routes.ts'

const all = [dashboardRoutes, mountedRoutes, mountedOperatorRoutes].flatMap((routes) => routes({} as never))
const named = ({ method, url }: DashboardRoute): string => `${method} ${url}`
const withConsequence = (consequence: Consequence): string[] =>
  all
    .filter((route) => route.consequence === consequence)
    .map(named)
    .sort()

describe('a session of an old login', () => {
  const clock = new TestClock()
  let app: TestApp
  let operator: Person
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,delivery,dashboard' }, clock })
    operator = await Person.loggedIn(app)
    clock.advance(10 * 60_000)
  })
  after(() => app.stop())

  test('meets endpoints that all declare a consequence', () => {
    for (const route of all)
      assert.ok(route.method === 'GET' || route.consequence !== undefined, named(route))
    // Endpoints that create or change a login, a user, a key or an account have a consequence.
    const access =
      /^(invitation|user|key|smtp-credential|passkey|totp|recovery-codes|password|session|account)\b/
    const others = all.filter(
      ({ audit, consequence }) => access.test(String(audit)) && consequence === 'none',
    )
    assert.deepEqual(others.map(named), ['PATCH /api/me'])
    assert.deepEqual(withConsequence('data'), [
      'PATCH /api/account-webhooks/:webhook_id',
      'PATCH /api/domains/:domain_id/webhooks/:webhook_id',
      'POST /api/account-webhooks',
      'POST /api/account-webhooks/:webhook_id/rotate-secret',
      'POST /api/domains/:domain_id/messages/:message_id/share',
      'POST /api/domains/:domain_id/streams',
      'POST /api/domains/:domain_id/webhooks',
      'POST /api/domains/:domain_id/webhooks/:webhook_id/rotate-secret',
      'POST /api/inboxes/:inbox_id/messages/:mail_id/share',
    ])
    assert.deepEqual(withConsequence('destruction'), [
      'DELETE /api/accounts/:account_id',
      'DELETE /api/domains/:domain',
      'DELETE /api/domains/:domain_id/layouts/:id_or_alias',
      'DELETE /api/domains/:domain_id/streams/:alias',
      'DELETE /api/domains/:domain_id/templates/:id_or_alias',
      'PATCH /api/domains/:domain',
      'PATCH /api/domains/:domain_id/streams/:alias',
      'POST /api/account-suppressions/remove',
      'POST /api/domains/:domain_id/erasures',
      'POST /api/domains/:domain_id/suppressions/remove',
      'POST /api/operator/queue/cancel',
    ])
    assert.deepEqual(withConsequence('withdrawal'), [
      'DELETE /api/account-webhooks/:webhook_id',
      'DELETE /api/domains/:domain/record-links',
      'DELETE /api/domains/:domain_id/messages/:message_id/share',
      'DELETE /api/domains/:domain_id/webhooks/:webhook_id',
      'DELETE /api/inboxes/:inbox_id',
      'DELETE /api/inboxes/:inbox_id/messages/:mail_id/share',
      'DELETE /api/invitations/:invitation_id',
      'DELETE /api/keys/:key_id',
      'DELETE /api/session',
      'DELETE /api/smtp-credentials/:username',
    ])
    assert.deepEqual(withConsequence('login'), [
      'POST /api/first-run',
      'POST /api/invitations/accept',
      'POST /api/me/password',
      'POST /api/password-reset',
      'POST /api/password-reset/confirm',
      'POST /api/session',
      'POST /api/session/passkey',
      'POST /api/session/passkey/options',
    ])
  })

  test('is refused where the consequence requires a recent login, and nowhere else', async () => {
    const { data } = (await operator.call('GET', '/api/domains')).body
    // The endpoint that ends the session is called last.
    const order = all.filter(({ role }) => role !== 'nobody').sort((one, other) => rank(one) - rank(other))
    for (const { method, url, consequence } of order) {
      if (url.endsWith('/stream')) continue
      const path = url.replace(':domain_id', data[0].domain_id).replace(/:\w+/g, 'x')
      const { status, body } = await operator.call(method, path, method === 'GET' ? undefined : {})
      const isRefused = body?.code === 'recent_login_required'
      assert.equal(
        isRefused,
        RECENT_LOGIN[consequence ?? 'none'],
        `${method} ${url}: ${status} ${body?.code}`,
      )
      if (isRefused) assert.equal(status, 403)
    }
  })
  const rank = (route: DashboardRoute): number => (named(route) === 'DELETE /api/session' ? 1 : 0)
})

describe('a change that gives data or destroys', () => {
  const clock = new TestClock()
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,delivery,dashboard' }, clock })
  })
  after(() => app.stop())

  test('is reported to the owners, for destructions in a row the first one', async () => {
    const owner = await Person.loggedIn(app)
    const domain = (await owner.call('GET', '/api/domains')).body.data[0]
    const path = `/api/domains/${domain.domain_id}`
    const subjects: string[] = []
    const next = async (): Promise<string> => {
      const { data } = await app.host.nextMail()
      const subject = /^Subject: (.*)$/m.exec(String(data))?.[1]?.trim() ?? ''
      subjects.push(subject)
      return `${subject}: ${/^What: (.*)$/m.exec(String(data))?.[1]?.trim()}`
    }
    const webhook = { url: 'https://receiver.example/', event_types: ['delivered'] }
    const created = await owner.call('POST', `${path}/webhooks`, webhook)
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.equal(
      await next(),
      `Data of your account on Postrider was made available elsewhere: webhook.create of ${domain.domain}`,
    )
    for (const email of ['a@receiver.example', 'b@receiver.example']) {
      const { status } = await owner.call('POST', `${path}/erasures`, { email })
      assert.ok(status < 300, `${status}`)
    }
    assert.equal(
      await next(),
      `Data of your account on Postrider was deleted: erasure.create of ${domain.domain}`,
    )
    await owner.call('PATCH', '/api/account', { name: 'Another' })
    assert.match(await next(), /^Your account on Postrider was renamed: .* is now Another$/)
  })
})
