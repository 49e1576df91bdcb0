// Tests repeated requests with an Idempotency-Key at every endpoint that creates something, and the use of one key at
// two nodes.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Fastify, { type FastifyRequest } from 'fastify'
import { TOTP } from 'otpauth'
import { TestApp } from '../../test/support/app.ts'
import { sampleReport } from '../../test/support/dmarc-reports.ts'
import { keyFor, mountedName, scopeOf } from '../../test/support/keys.ts'
import { objectOf, oneInbox } from '../../test/support/one-of-everything.ts'
import { Person } from '../../test/support/person.ts'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { problemHandler } from '../http/problem-document.ts'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { createAccount, WITHOUT_LIMITS } from '../store/access/accounts.ts'
import type { Store } from '../store/database/store.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { takeBackLeases } from '../store/node/node-leases.ts'
import { AnswerOnce } from './answer-once.ts'
import { dashboardRoutes, mountedRoutes } from './dashboard/routes.ts'
import { claimingStore } from './request-run.ts'
import { isAnsweredOnce } from './route.ts'
import { routes } from './routes.ts'

const nameOf = ({ method, url }: { method: string; url: string }): string => `${method} ${url}`
const NONE = {} as never
const OF_PEOPLE = [...dashboardRoutes(NONE), ...mountedRoutes(NONE)]
const ONCE = [...routes(NONE), ...OF_PEOPLE.filter(({ role }) => role !== 'nobody')]
  .filter(isAnsweredOnce)
  .map(nameOf)

/** Endpoints for API keys that create something, each with a body that creates a different object for each number. */
const MADE_BY_KEYS: Readonly<Record<string, (n: number) => object | string>> = {
  'POST /v1/templates': (n) => ({ alias: `new-${n}`, name: 'New', subject: 'New', text: 'New' }),
  'POST /v1/templates/:id_or_alias/versions/:version/restore': () => '',
  'POST /v1/layouts': (n) => ({
    alias: `new-${n}`,
    name: 'New',
    text: '{{{ @content }}}',
    html: '{{{ @content }}}',
  }),
  'POST /v1/layouts/:id_or_alias/versions/:version/restore': () => '',
  'POST /v1/streams': (n) => ({ alias: `new-${n}`, name: 'New', kind: 'broadcast' }),
  'POST /v1/suppressions': (n) => `email\nnew-${n}@receiver.example\n`,
  'POST /v1/account-suppressions': (n) => ({ email: `account-${n}@receiver.example` }),
  'POST /v1/webhooks': (n) => ({ url: `https://receiver.example/${n}` }),
  'POST /v1/webhooks/:webhook_id/rotate-secret': () => ({}),
  'POST /v1/account-webhooks': (n) => ({ url: `https://receiver.example/account/${n}` }),
  'POST /v1/account-webhooks/:webhook_id/rotate-secret': () => ({}),
  'POST /v1/erasures': (n) => ({ email: `new-${n}@receiver.example` }),
  'POST /v1/verifications': (n) => [`new-${n}@receiver.example`],
  'POST /v1/invitations': (n) => ({ email: `new-${n}@people.example`, role: 'viewer' }),
  'POST /v1/accounts': (n) => ({ name: `Account ${n}`, owner_email: `owner-${n}@people.example` }),
  'POST /v1/accounts/:account_id/credits': (n) => ({ credits: n }),
  'POST /v1/accounts/:account_id/keys': (n) => ({ name: `Key ${n}`, scopes: ['domains:read'] }),
  'POST /v1/keys': (n) => ({ kind: 'verification', name: `Key ${n}` }),
  'POST /v1/keys/:key_id/rotate': (n) => ({ overlap: `${n}h` }),
  'POST /v1/smtp-credentials': (n) => ({ domain: 'example.test', name: `Credential ${n}` }),
  'POST /v1/smtp-credentials/:username/rotate': (n) => ({ overlap: `${n}h` }),
  'POST /v1/domains': (n) => ({ domain: `new-${n}.example` }),
  'POST /v1/inboxes': (n) => ({ name: `Inbox ${n}` }),
  'POST /v1/reports': (n) => sampleReport('example.test', `once-${n}`),
  'POST /v1/domains/:domain/dkim/rotate': () => '',
}

/** Endpoints for dashboard users only that create something. */
const MADE_BY_PEOPLE: Readonly<Record<string, (n: number) => object | string>> = {
  'POST /api/domains/:domain_id/messages/:message_id/share': (n) => ({ hours: n > 100 ? 1 : 24 }),
  'POST /api/inboxes/:inbox_id/messages/:mail_id/share': (n) => ({ hours: n > 100 ? 1 : 24 }),
  'POST /api/me/recovery-codes': () => '',
}

/**
 * Endpoints that create nothing. A repeated request has the same effect, or fails because its input was already used.
 */
const MAKING_NOTHING = [
  ...['password', 'totp', 'totp/confirm', 'passkeys', 'passkeys/options'].map(
    (noun) => `POST /api/me/${noun}`,
  ),
]
const KEYS_MAKING_NOTHING = [
  ...['pause', 'resume', 'verify', 'dkim/switch', 'dkim/discard', 'dkim/retire'].map(
    (step) => `POST /v1/domains/:domain/${step}`,
  ),
  'POST /v1/bulk/:bulk_id/cancel',
  'POST /v1/incidents/:incident_id/mute',
  'POST /v1/messages/:message_id/cancel',
  'POST /v1/messages/:message_id/retry',
  'POST /v1/suppressions/remove',
  'POST /v1/account-suppressions/remove',
  'POST /v1/webhooks/:webhook_id/test',
  'POST /v1/webhooks/:webhook_id/replay',
  'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/retry',
  'POST /v1/account-webhooks/:webhook_id/test',
  'POST /v1/account-webhooks/:webhook_id/replay',
  'POST /v1/account-webhooks/:webhook_id/deliveries/:delivery_id/retry',
  'POST /v1/verifications/:verification_id/cancel',
]

test('every POST that changes something is answered once, and those that create something are tested below', () => {
  const ofKeys = [...Object.keys(MADE_BY_KEYS), ...KEYS_MAKING_NOTHING]
  const ofPeople = [...Object.keys(MADE_BY_PEOPLE), ...MAKING_NOTHING]
  assert.deepEqual(ONCE.sort(), [...ofKeys, ...ofKeys.map(mountedName), ...ofPeople].sort())
  const bySubmission = [...routes(NONE), ...dashboardRoutes(NONE)].filter(({ once }) => once === 'handler')
  assert.deepEqual(bySubmission.map(nameOf), [
    'POST /v1/messages',
    'POST /v1/messages/batch',
    'POST /v1/messages/raw',
    'POST /v1/bulk',
    'POST /api/domains/:domain_id/messages/:message_id/resend',
  ])
})

describe('a repetition under the same Idempotency-Key', () => {
  let app: TestApp
  let owner: Person
  let elsewhere: Person
  let ids: Readonly<Record<string, string>>
  let count = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    owner = await Person.loggedIn(app)
    const { id: domain_id, account_id } = await app.store.read
      .selectFrom('domains')
      .select(['id', 'account_id'])
      .executeTakeFirstOrThrow()
    const make = async (path: string, body: object) => {
      const made = await app.call('POST', path, body)
      assert.ok(made.status < 300, JSON.stringify(made.body))
      return made.body
    }
    const content = { name: 'Old', html: '{{{ @content }}}', text: '{{{ @content }}}' }
    await make('/v1/templates', { ...content, alias: 'old', subject: 'Old', html: 'Old', text: 'Old' })
    await make('/v1/layouts', { ...content, alias: 'old' })
    const { webhook_id } = await make('/v1/webhooks', { url: 'https://receiver.example/' })
    const { message_id } = await make('/v1/messages', {
      from: `a@${app.playground.domain}`,
      to: [{ email: 'b@receiver.example' }],
      ...{ subject: 's', text: 't' },
    })
    // The session is opened before the user has a second factor.
    elsewhere = await Person.loggedIn(app)
    const { secret } = (await owner.call('POST', '/api/me/totp')).body
    const code = new TOTP({ secret }).generate()
    assert.equal((await owner.call('POST', '/api/me/totp/confirm', { code })).status, 200)
    const { key_id } = (await owner.call('POST', '/api/keys', { kind: 'verification', name: 'Old' })).body
    const credential = { domain: domain_id, name: 'Old' }
    const { username } = (await owner.call('POST', '/api/smtp-credentials', credential)).body
    const hook = { url: 'https://receiver.example/' }
    const ofAccount = await owner.call('POST', '/api/account-webhooks', hook)
    ids = { domain_id, account_id, webhook_id, message_id, key_id, id_or_alias: 'old', version: '1' }
    ids = { ...ids, username, domain: domain_id, account_webhook_id: ofAccount.body.webhook_id }
    ids = { ...ids, ...(await oneInbox(app, account_id, 'inbox')) }
  })
  after(() => app.stop())

  const audited = async (): Promise<number> =>
    (await app.store.read.selectFrom('audit_log').select('id').execute()).length

  async function ask(name: string, body: object | string, key: string) {
    const path = name
      .replace('POST ', '')
      .replace(/:(\w+)/g, (_, one: string) => ids[objectOf(name, one)] as string)
    const type = typeof body === 'string' && body !== '' ? { 'content-type': 'text/csv' } : {}
    const headers = { 'idempotency-key': key, ...type }
    const given = body === '' ? undefined : body
    if (path.startsWith('/api/')) return owner.call('POST', path, given, headers)
    const authorization = `Bearer ${await keyFor(app, { scope: scopeOf(name.replace(/:\w+/g, 'x')) })}`
    return app.call('POST', path, given, { ...headers, authorization })
  }

  const all = { ...MADE_BY_KEYS, ...MADE_BY_PEOPLE }
  for (const [key, body] of Object.entries(MADE_BY_KEYS)) Object.assign(all, { [mountedName(key)]: body })
  for (const [name, bodyOf] of Object.entries(all)) {
    test(`creates nothing more: ${name}`, async () => {
      const body = bodyOf(++count)
      const key = `key ${count}`
      // A rotation of the keys of a domain is refused during another rotation.
      if (name.endsWith('/dkim/rotate')) await owner.call('POST', `/api/domains/${ids.domain}/dkim/discard`)
      const first = await ask(name, body, key)
      assert.ok(first.status < 300, JSON.stringify(first.body))
      const entries = await audited()
      const again = await ask(name, body, key)
      assert.deepEqual([again.status, again.body], [first.status, first.body])
      assert.equal(again.headers.get('location'), first.headers.get('location'))
      assert.equal(await audited(), entries)
      const other = bodyOf(count + 100)
      if (other === '' || JSON.stringify(other) === JSON.stringify(body)) return
      const reused = await ask(name, other, key)
      assert.deepEqual([reused.status, reused.body.errors?.[0].code], [422, 'key_reused'])
    })
  }

  test('applies to one endpoint and one caller', async () => {
    const stream = (alias: string) => ({ alias, name: 'One', kind: 'broadcast' })
    assert.equal((await ask('POST /v1/streams', stream('of-one'), 'of one')).status, 201)
    const elsewhere = await ask('POST /v1/suppressions', 'email\none@receiver.example\n', 'of one')
    assert.equal(elsewhere.body.errors[0].code, 'key_reused')
    const asPerson = await ask('POST /api/domains/:domain_id/streams', stream('of-two'), 'of one')
    assert.equal(asPerson.status, 201)
  })

  test('a refusal is not stored, and an invalid key is refused', async () => {
    const body = { alias: 'refused-first', name: 'One', kind: 'broadcast' }
    await ask('POST /v1/streams', body, 'first')
    assert.equal((await ask('POST /v1/streams', body, 'refused')).status, 409)
    assert.equal((await app.call('DELETE', '/v1/streams/refused-first')).status, 204)
    assert.equal((await ask('POST /v1/streams', body, 'refused')).status, 201)
    assert.equal((await ask('POST /v1/streams', body, 'x'.repeat(256))).status, 400)
  })

  test('by another login is reported as such, and the store has neither secrets nor passwords', async () => {
    const body = { kind: 'sending', domains: [ids.domain_id], name: 'Once' }
    const { key } = (await ask('POST /api/keys', body, 'login')).body
    assert.match(key, /^send_/)
    const again = await elsewhere.call('POST', '/api/keys', body, { 'idempotency-key': 'login' })
    assert.equal(again.body.errors[0].code, 'key_reused')
    const rows = await app.store.read.selectFrom('idempotency_keys').selectAll().execute()
    const kept = rows.find((row) => row.idempotency_key === 'login')
    assert.ok(kept?.response)
    assert.ok(!Buffer.from(kept.response, 'base64url').includes(key))
    assert.ok(!JSON.stringify(rows).includes(key))
  })
})

describe('one key at two nodes', () => {
  let store: Store
  before(async () => {
    store = await openTestStore(usualDatabase())
  })
  after(() => store.close())

  const account = (name: string) => ({
    ...{ ...WITHOUT_LIMITS, id: newId('acc'), name, created_at: 0 },
  })
  const named = (name: string) =>
    store.read.selectFrom('accounts').select('id').where('name', '=', name).execute()

  /**
   * Returns a node that creates accounts. `during` runs before the account is written; `behind` and `after` run after
   * the account is written.
   */
  function node(
    steps: { during?: () => Promise<void>; behind?: () => void; after?: () => Promise<void> } = {},
  ) {
    const server = Fastify()
    server.setErrorHandler(problemHandler(() => '', silentLog))
    for (const field of ['caller', 'rawBody', 'problemCode', 'problemFields'])
      server.decorateRequest(field, null)
    const claiming = claimingStore(store)
    const answers = new AnswerOnce({ store, clock: systemClock, node: new NodeName() })
    const work = async ({ headers }: FastifyRequest) => {
      await steps.during?.()
      const made = account(String(headers['x-name']))
      await claiming.write(createAccount, made)
      steps.behind?.()
      await steps.after?.()
      return { id: made.id }
    }
    server.addHook('onRequest', async (request) => {
      request.caller = { id: 'key_one' } as never
    })
    server.post(
      '/',
      answers.handler(work, () => 'a secret'),
    )
    return async (key: string) => {
      const headers = { 'idempotency-key': key, 'x-name': key }
      const answer = await server.inject({ method: 'POST', url: '/', headers })
      return { status: answer.statusCode, body: answer.json() }
    }
  }

  test('creates one object: the other node gets the same answer, or is asked to wait', async () => {
    let inside = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    // Both requests have looked for a stored response and found none.
    const during = async () => {
      if (++inside === 2) resolve()
      await promise
    }
    const answers = await Promise.all([node({ during })('both'), node({ during })('both')])
    const [one, ...others] = await named('both')
    assert.equal(others.length, 0)
    const statuses = answers.map(({ status }) => status)
    assert.ok(statuses.includes(200), String(statuses))
    for (const { status, body } of answers) {
      if (status === 200) assert.equal(body.id, one?.id)
      else assert.equal(status, 409)
    }
    assert.deepEqual(await node()('both'), { status: 200, body: { id: one?.id } })
  })

  test('is continued after an error, and creates no second object', async () => {
    let faults = 1
    const faulty = node({
      behind: () => {
        if (faults-- > 0) throw new Error('the handler fails here')
      },
    })
    assert.equal((await faulty('ended')).status, 500)
    const [made] = await named('ended')
    assert.deepEqual(await node()('ended'), { status: 200, body: { id: made?.id } })
    assert.equal((await named('ended')).length, 1)
  })

  test('is under way while its node lives, and continued when the node is gone', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { promise: changed, resolve: change } = Promise.withResolvers<void>()
    const first = node({
      after: () => {
        change()
        return promise
      },
    })
    const answer = first('held')
    await changed
    const meanwhile = await node()('held')
    assert.deepEqual([meanwhile.status, meanwhile.body.code], [409, 'conflict'])
    // Releasing all leases has the same effect as a restart of the first node.
    await store.write(takeBackLeases, {})
    const [made] = await named('held')
    const body = { id: made?.id }
    assert.deepEqual(await node()('held'), { status: 200, body })
    resolve()
    assert.deepEqual(await answer, { status: 200, body })
    assert.equal((await named('held')).length, 1)
  })

  test('is refused equally by a step after the change, which is made once', async () => {
    const refusing = node({
      behind: () => {
        throw new Problem('conflict', 'Not now.')
      },
    })
    for (const _ of [1, 2]) {
      const { status, body } = await refusing('refused')
      assert.deepEqual([status, body.detail], [409, 'Not now.'])
    }
    assert.equal((await named('refused')).length, 1)
  })

  test('is released by a refusal before any change', async () => {
    const refusing = node({
      during: async () => {
        throw new Problem('conflict', 'Not now.')
      },
    })
    assert.equal((await refusing('free')).status, 409)
    assert.equal((await node()('free')).status, 200)
  })
})
