// Tests the API of SMTP credentials by users and by management keys: rights, refusals, rotation, the audit log, and what
// SMTP does with networks and recipients.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { RawSmtpClient } from '../../../test/support/raw-smtp-client.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { addDomain } from '../../domains/domains.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Domain } from '../../store/domains/domain-rows.ts'

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

describe('SMTP credentials', () => {
  let app: TestApp
  let owner: Person
  let domain: string
  let second: Domain
  let other: Tenant
  let call: Call
  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_ROLES: 'api,smtp,dashboard', POSTRIDER_SMTPS_PORT: '0' },
        POSTRIDER_AUTH_FAILURE_RATE: '100000/s',
      },
    })
    owner = await Person.loggedIn(app)
    const row = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
    domain = row.name
    const added = await addDomain({
      ...{ store: app.store, clock: systemClock, accountId: row.account_id, name: 'second.test' },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test', verified: true },
    })
    second = added.domain
    other = await createTenant(app.store)
    call = by(await managementKey(app))
  })
  after(() => app.stop())

  const by =
    (key: string): Call =>
    (method, path, body, headers = {}) =>
      app.callWith(method, path, body, { authorization: `Bearer ${key}`, ...headers })
  const told = (body: Answer['body']): string[] =>
    body.errors.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)
  const make = (fields: object = {}): Promise<Answer['body']> =>
    ok(call('POST', '/v1/smtp-credentials', { name: 'Printer', domain, ...fields }), 201)

  interface Login {
    readonly username: string
    readonly password: string
  }
  const login = (smtp: Login, address?: string): Promise<RawSmtpClient> =>
    RawSmtpClient.loggedIn(app.app.smtpsPort as number, { smtp }, address)
  /** Returns true if the password is valid. */
  const isValid = async ({ username, password }: Login): Promise<boolean> => {
    const basic = Buffer.from(`${username}:${password}`).toString('base64')
    const { status } = await app.callWith('GET', '/v1/key', undefined, { authorization: `Basic ${basic}` })
    return status === 200
  }

  test('are created, shown, changed, rotated and revoked the same way by a user and by a key', async () => {
    const shown: object[] = []
    const asPerson: Call = (method, path, body) => owner.call(method, path, body)
    for (const [door, ask] of [
      ['/v1', call],
      ['/api', asPerson],
    ] as const) {
      const list = `${door}/smtp-credentials`
      const end = new Date(Date.now() + 3_600_000).toISOString()
      const wanted = { name: 'CRM', domain, networks: ['127.0.0.0/8'], rate: '50/s', expires_at: end }
      const { status, body: made, headers } = await ask('POST', list, wanted)
      assert.equal(status, 201, JSON.stringify(made))
      assert.match(made.username, /^smtp_/)
      assert.ok(made.password.length >= 32)
      assert.equal(headers.get('location'), `/v1/smtp-credentials/${made.username}`)
      assert.deepEqual(
        [made.host, made.port, made.tls_port, made.self_signed],
        ['127.0.0.1', app.app.smtpPort, app.app.smtpsPort, true],
      )
      const { password, ...view } = made
      const at = `${list}/${made.username}`
      assert.deepEqual(await ok(ask('GET', at)), view)
      const listed = await ok(ask('GET', `${list}?domain=${domain}&name=CRM&status=active`))
      assert.deepEqual(listed.data, [view])
      assert.equal(listed.listener.port, app.app.smtpPort)
      assert.ok(await isValid(made))

      const changed = await ok(ask('PATCH', at, { name: 'Shop', rate: null, networks: null }))
      assert.deepEqual(
        [changed.name, changed.rate, changed.networks, changed.expires_at],
        ['Shop', null, null, end],
      )
      const rotated = await ok(ask('POST', `${at}/rotate`, { overlap: '1h' }))
      assert.notEqual(rotated.password, password)
      assert.ok(Date.parse(rotated.rotating_until) > Date.now() + 3_500_000)
      for (const one of [made, rotated]) assert.ok(await isValid(one))
      const again = await ok(ask('POST', `${at}/rotate`, { overlap: '0s' }))
      assert.equal(again.rotating_until, null)
      assert.deepEqual(
        [await isValid(made), await isValid(rotated), await isValid(again)],
        [false, false, true],
      )
      assert.equal((await ask('DELETE', at)).status, 204)
      assert.equal((await ask('DELETE', at)).status, 204)
      assert.equal(await isValid(again), false)
      await refused(ask('PATCH', at, { name: 'x' }), 409, 'conflict')
      await refused(ask('POST', `${at}/rotate`, {}), 409, 'conflict')
      const { username: _, last4: __, created_at: ___, created_by, ...same } = view
      assert.match(created_by, door === '/v1' ? /^key_/ : /^usr_/)
      shown.push({ ...same, expires_at: null })
    }
    assert.deepEqual(shown[0], shown[1])
    const entries = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('action', 'like', 'smtp-credential.%')
      .orderBy('id')
      .execute()
    // A repeated revocation is logged as well.
    const logged = entries.map(({ action, detail }) => `${action} ${detail}`)
    assert.equal(logged.length, 12)
    assert.deepEqual(logged.slice(0, 6), logged.slice(6))
    assert.match(entries[0]?.actor ?? '', /^key Management \(…/)
    assert.match(entries[6]?.actor ?? '', /@/)
    for (const { detail } of entries) assert.equal(JSON.parse(detail).domain, domain)
  })

  test('get the same password again under the same Idempotency-Key', async () => {
    const once = (key: string) => ({ 'idempotency-key': key })
    const body = { name: 'Once', domain }
    const made = await ok(call('POST', '/v1/smtp-credentials', body, once('make')), 201)
    assert.deepEqual(await ok(call('POST', '/v1/smtp-credentials', body, once('make')), 201), made)
    const rotate = () =>
      ok(call('POST', `/v1/smtp-credentials/${made.username}/rotate`, undefined, once('rotate')))
    const { password } = await rotate()
    assert.equal((await rotate()).password, password)
    assert.ok(await isValid({ username: made.username, password }))
  })

  test('send from their networks and to their recipients only', async () => {
    const made = await make({ networks: ['127.0.0.2/32'], recipients: ['*@staff.example'] })
    await assert.rejects(login(made, '127.0.0.1'), /535 5\.7\.8 .* may not be used from 127\.0\.0\.1/)
    const client = await login(made, '127.0.0.2')
    const from = `printer@${domain}`
    const mail = `From: ${from}\r\nSubject: Hello\r\n\r\nHello`
    assert.match(await client.deliver(from, ['ann@staff.example'], mail), /^250 /)
    assert.match(await client.deliver(from, ['ann@elsewhere.example'], mail), /^550 5\.7\.1 /)
    await ok(call('PATCH', `/v1/smtp-credentials/${made.username}`, { recipients: null, networks: null }))
    assert.match(await client.deliver(from, ['ann@elsewhere.example'], mail), /^250 /)
    await ok(call('PATCH', `/v1/smtp-credentials/${made.username}`, { networks: ['192.0.2.0/24'] }))
    assert.match(await client.ask(`MAIL FROM:<${from}>`), /^5/)
  })

  test('are never wider than their maker, and those of other domains are not there', async () => {
    const limits = { networks: ['127.0.0.0/8'], recipients: ['*@example.net'] }
    const wanted = { domainIds: [second.id], scopes: ['keys:read', 'keys:write'] as const, ...limits }
    const maker = by(await managementKey(app, { ...wanted, grants: ['messages:send'] }))
    const create = (fields: object) => maker('POST', '/v1/smtp-credentials', { name: 'x', ...fields })
    const made = await ok(create({}), 201)
    assert.deepEqual(
      [made.domain, made.networks, made.recipients],
      ['second.test', limits.networks, limits.recipients],
    )
    const wide = await refused(
      create({ networks: null, recipients: ['*@x.example'] }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(wide), ['beyond_own_rights networks', 'beyond_own_rights recipients[0]'])
    assert.deepEqual(told(await refused(create({ domain }), 422, 'validation_failed')), [
      'beyond_own_rights domain',
    ])
    const foreign = await refused(create({ domain: other.domain.name }), 422, 'validation_failed')
    const absent = await refused(create({ domain: 'nothing.test' }), 422, 'validation_failed')
    assert.deepEqual([told(foreign), foreign.detail], [['unknown_domain domain'], absent.detail])

    const mute = by(await managementKey(app, { ...wanted, grants: [] }))
    const without = await refused(
      mute('POST', '/v1/smtp-credentials', { name: 'x' }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(without), ['beyond_own_rights '])
    assert.match(without.detail, /messages:send/)

    const strong = await make({ domain: second.id })
    const at = `/v1/smtp-credentials/${strong.username}`
    assert.ok(told(await refused(maker('POST', `${at}/rotate`, {}), 422, 'validation_failed')).length > 0)
    await ok(maker('PATCH', at, { recipients: ['ann@example.com'] }))
    await refused(maker('PATCH', at, { recipients: null }), 422, 'validation_failed')
    const elsewhere = await make()
    for (const username of [elsewhere.username, other.smtp.username, 'smtp_x', app.playground.sending_key]) {
      await refused(maker('GET', `/v1/smtp-credentials/${username}`), 404, 'not_found')
      await refused(maker('DELETE', `/v1/smtp-credentials/${username}`), 404, 'not_found')
    }
    const { data } = await ok(maker('GET', '/v1/smtp-credentials'))
    assert.deepEqual(new Set(data.map((one: { domain: string }) => one.domain)), new Set(['second.test']))
    await refused(maker('GET', `/v1/smtp-credentials?domain=${domain}`), 403, 'domain_not_permitted')
    await refused(maker('GET', `/v1/smtp-credentials?domain=${other.domain.name}`), 404, 'not_found')
    const keys = await app.store.read
      .selectFrom('keys')
      .select('revoked_at')
      .where('account_id', '=', other.account.id)
      .execute()
    assert.ok(keys.every(({ revoked_at }) => revoked_at === null))
  })

  test('are listed by pages, newest first', async () => {
    const names = ['One', 'Two', 'Three']
    for (const name of names) await make({ name, domain: second.name })
    const first = await ok(call('GET', `/v1/smtp-credentials?domain=${second.id}&limit=2`))
    assert.deepEqual(
      first.data.map(({ name }: { name: string }) => name),
      ['Three', 'Two'],
    )
    const next = await ok(
      call('GET', `/v1/smtp-credentials?domain=${second.id}&limit=1&cursor=${first.next_cursor}`),
    )
    assert.equal(next.data[0].name, 'One')
    const keyId = 'key_01M8484C8P02003017VXZ4G0K0'
    await refused(call('GET', `/v1/smtp-credentials?cursor=${keyId}`), 400, 'malformed_request')
  })

  test('with fields that are wrong are refused with every reason', async () => {
    const wrong = await refused(
      call('POST', '/v1/smtp-credentials', {
        ...{ name: 'a\nb', rate: 'x', expires_at: '2001-01-01T00:00:00Z', domain: 'none.test' },
        ...{ networks: ['office'], recipients: ['*@'] },
      }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(wrong).sort(), [
      ...['in_the_past expires_at', 'invalid_email recipients[0]', 'invalid_name name'],
      ...['invalid_network networks[0]', 'invalid_rate rate', 'unknown_domain domain'],
    ])
    for (const [body, problem] of [
      [{ name: 'x' }, 'required domain'],
      [{ name: 'x', domain: '' }, 'too_short domain'],
      [{ name: 'x', domain, networks: [] }, 'required networks'],
      [{ name: 'x', domain, scopes: ['messages:send'] }, 'unknown_field scopes'],
      [{ domain }, 'required name'],
    ] as const) {
      const answer = await refused(call('POST', '/v1/smtp-credentials', body), 422, 'validation_failed')
      assert.deepEqual(told(answer), [problem])
    }
    const { username } = await make()
    const at = `/v1/smtp-credentials/${username}`
    const moved = await refused(call('PATCH', at, { domain: second.name }), 422, 'validation_failed')
    assert.deepEqual(told(moved), ['unknown_field domain'])
    const long = await refused(call('POST', `${at}/rotate`, { overlap: '31d' }), 422, 'validation_failed')
    assert.deepEqual(told(long), ['invalid_duration overlap'])
    await refused(
      by(app.playground.sending_key)('GET', '/v1/smtp-credentials'),
      403,
      'key_kind_not_permitted',
    )
    const reader = by(await managementKey(app, { scopes: ['keys:read'], grants: [] }))
    await refused(reader('DELETE', at), 403, 'scope_not_permitted')
    await ok(reader('GET', at))
  })
})
