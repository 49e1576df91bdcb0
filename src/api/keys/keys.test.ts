// Tests the API of keys by users and by management keys: rights, refusals, rotation and the audit log.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { addUser } from '../../../test/support/users.ts'
import { addDomain } from '../../domains/domains.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Domain } from '../../store/domains/domain-rows.ts'

describe('keys', () => {
  let app: TestApp
  let owner: Person
  let accountId: string
  let domain: string
  let second: Domain
  let other: Tenant
  /** A management key with all scopes. */
  let manager: string
  before(async () => {
    const env = { POSTRIDER_ROLES: 'api,smtp,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '100000/s' }
    app = await TestApp.start({ env })
    owner = await Person.loggedIn(app)
    const row = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
    domain = row.name
    accountId = row.account_id
    const added = await addDomain({
      ...{ store: app.store, clock: systemClock, accountId, name: 'second.test', verified: true },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
    })
    second = added.domain
    other = await createTenant(app.store)
    manager = await managementKey(app)
  })
  after(() => app.stop())

  const by = (key: string) => (method: string, path: string, body?: object) =>
    app.call(method, path, body, { authorization: `Bearer ${key}` })
  const told = (body: Answer['body']): string[] =>
    body.errors.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)
  /** The two doors: the path prefix and the function that sends a request. */
  const doors = () => [
    ['/v1', by(manager)] as const,
    ['/api', (method: string, path: string, body?: object) => owner.call(method, path, body)] as const,
  ]

  test('are created, shown once, changed, rotated and revoked the same way by a user and by a key', async () => {
    const shown: object[] = []
    for (const [door, call] of doors()) {
      const fields = {
        name: 'Shop',
        rate: '50/s',
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      }
      const wanted = { kind: 'sending', domains: [domain], networks: ['127.0.0.0/8', '::1/128'], ...fields }
      const { status, body: made, headers } = await call('POST', `${door}/keys`, wanted)
      assert.equal(status, 201, JSON.stringify(made))
      assert.match(made.key, /^send_[A-Za-z0-9]{43}$/)
      assert.equal(headers.get('location'), `/v1/keys/${made.key_id}`)
      const { key, ...view } = made
      assert.deepEqual(await ok(call('GET', `${door}/keys/${made.key_id}`)), view)
      assert.deepEqual((await ok(call('GET', `${door}/keys?kind=sending&domain=${domain}`))).data[0], view)
      assert.deepEqual([view.domains, view.domain, view.rate], [[domain], domain, '50/s'])
      assert.equal((await by(key)('GET', '/v1/messages')).status, 200)

      const change = { name: 'Till', scopes: ['messages:send'], rate: null, networks: null }
      const changed = await ok(call('PATCH', `${door}/keys/${made.key_id}`, change))
      assert.deepEqual(
        [changed.name, changed.scopes, changed.rate, changed.networks, changed.expires_at],
        ['Till', ['messages:send'], null, null, fields.expires_at],
      )
      await until('the scope is gone', async () => (await by(key)('GET', '/v1/messages')).status === 403)
      const reset = await ok(call('PATCH', `${door}/keys/${made.key_id}`, { scopes: null, expires_at: null }))
      assert.deepEqual([reset.scopes, reset.expires_at], [view.scopes, null])

      const rotated = await ok(call('POST', `${door}/keys/${made.key_id}/rotate`, { overlap: '1h' }))
      assert.notEqual(rotated.key, key)
      assert.ok(Date.parse(rotated.rotating_until) > Date.now() + 3_500_000)
      for (const one of [key, rotated.key]) {
        assert.equal((await ok(by(one)('GET', '/v1/key'))).key_id, made.key_id)
      }
      assert.equal((await call('DELETE', `${door}/keys/${made.key_id}`)).status, 204)
      assert.equal((await call('DELETE', `${door}/keys/${made.key_id}`)).status, 204)
      for (const one of [key, rotated.key]) {
        await until('the key is refused', async () => (await by(one)('GET', '/v1/key')).status === 401)
      }
      await refused(call('PATCH', `${door}/keys/${made.key_id}`, { name: 'x' }), 409, 'conflict')
      await refused(call('POST', `${door}/keys/${made.key_id}/rotate`, {}), 409, 'conflict')
      const { key_id: _, last4: __, created_at: ___, created_by, ...same } = view
      assert.match(created_by, door === '/v1' ? /^key_/ : /^usr_/)
      shown.push({ ...same, expires_at: null })
    }
    assert.deepEqual(shown[0], shown[1])
    const entries = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('action', 'like', 'key.%')
      .orderBy('id')
      .execute()
    const asSeen = entries.map(({ action, detail }) => `${action} ${detail}`)
    // A repeated revocation is logged as well.
    assert.equal(asSeen.length, 12)
    assert.deepEqual(
      asSeen.slice(0, 6).map((one) => one.replace(/"expires_at":"[^"]*"/, '')),
      asSeen.slice(6),
    )
    assert.match(entries[0]?.actor ?? '', /^key Management \(…/)
    assert.match(entries[6]?.actor ?? '', /@/)
  })

  test('of a rotation without overlap end the secret at once', async () => {
    const made = await ok(by(manager)('POST', '/v1/keys', { kind: 'verification', name: 'Forms' }), 201)
    assert.match(made.key, /^verify_/)
    await ok(by(made.key)('GET', '/v1/verifyEmail?email=nonsense'))
    const { key, rotating_until } = await ok(
      by(manager)('POST', `/v1/keys/${made.key_id}/rotate`, { overlap: '0s' }),
    )
    assert.equal(rotating_until, null)
    assert.equal((await by(made.key)('GET', '/v1/key')).status, 401)
    await ok(by(key)('GET', '/v1/key'))
    await refused(by(key)('GET', '/v1/messages'), 403, 'key_kind_not_permitted')
    await refused(by(key)('GET', '/v1/keys'), 403, 'key_kind_not_permitted')
  })

  test('tell who they are, whatever they may do', async () => {
    const wanted = { name: 'Narrow', scopes: ['stats:read'] as const, domainIds: [second.id] }
    const narrow = await managementKey(app, { ...wanted, recipients: ['*@example.net'], grants: [] })
    const { key_id, account, ...body } = await ok(by(narrow)('GET', '/v1/key'))
    assert.match(key_id, /^key_/)
    assert.equal(account.account_id, accountId)
    assert.deepEqual(body, {
      ...{ credential: 'key', kind: 'management', name: 'Narrow', mode: 'live', scopes: ['stats:read'] },
      ...{ grants: [], domains: ['second.test'], networks: null, recipients: ['*@example.net'] },
      ...{ expires_at: null, address: '127.0.0.1' },
    })
    const sending = await ok(by(app.playground.sending_key)('GET', '/v1/key'))
    assert.deepEqual([sending.kind, sending.domains], ['sending', [domain]])
    const { username, password } = app.playground.smtp
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    const smtp = await ok(app.call('GET', '/v1/key', undefined, basic(`${username}:${password}`)))
    assert.deepEqual([smtp.credential, smtp.key_id, smtp.scopes], ['smtp', username, ['messages:send']])
    for (const login of [`x${username}:${password}`, `${username}:${password}x`, username, ':']) {
      await refused(app.call('GET', '/v1/key', undefined, basic(login)), 401, 'authentication_failed')
    }
    const elsewhere = app.call('GET', '/v1/messages', undefined, basic(`${username}:${password}`))
    await refused(elsewhere, 401, 'authentication_failed')
    await refused(by(password)('GET', '/v1/key'), 401, 'authentication_failed')
  })

  test('need the scope of the endpoint, and the refusal names it', async () => {
    const reader = await managementKey(app, { scopes: ['keys:read', 'stats:read'] })
    const { detail } = await refused(
      by(reader)('POST', '/v1/keys', { kind: 'verification', name: 'x' }),
      403,
      'scope_not_permitted',
    )
    assert.match(detail, /keys:write.*keys:read, stats:read/)
    await refused(by(reader)('GET', '/v1/messages'), 403, 'scope_not_permitted')
    await ok(by(reader)('GET', '/v1/keys'))
    await refused(by(app.playground.sending_key)('GET', '/v1/keys'), 403, 'key_kind_not_permitted')
  })

  test('are refused outside of their networks, before the body is read, and named the address', async () => {
    const key = await managementKey(app, { networks: ['192.0.2.0/24', '2001:db8::/32'] })
    const { detail } = await refused(by(key)('GET', '/v1/key'), 403, 'network_not_permitted')
    assert.match(detail, /127\.0\.0\.1/)
    await refused(by(key)('POST', '/v1/keys', {}), 403, 'network_not_permitted')
    const { body } = await app.call('GET', `/v1/keys?name=Management&limit=1`, undefined, {
      authorization: `Bearer ${manager}`,
    })
    assert.equal(body.data[0].last_used_at, null, 'a refused key was not used')
  })

  test('are never wider than their maker', async () => {
    const maker = await managementKey(app, {
      ...{ scopes: ['keys:write', 'keys:read', 'stats:read'], grants: ['messages:send'] },
      ...{ domainIds: [second.id], networks: ['127.0.0.0/8'], recipients: ['*@example.net'] },
    })
    const create = (fields: object) =>
      by(maker)('POST', '/v1/keys', { kind: 'sending', name: 'x', scopes: ['messages:send'], ...fields })
    const made = await ok(create({}), 201)
    assert.deepEqual(
      [made.domains, made.networks, made.recipients],
      [['second.test'], ['127.0.0.0/8'], ['*@example.net']],
    )
    const beyond = await refused(
      create({
        scopes: ['messages:send', 'content:read'],
        domains: [domain],
        networks: null,
        recipients: null,
      }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(beyond), [
      ...['beyond_own_rights scopes[1]', 'beyond_own_rights domains[0]'],
      ...['beyond_own_rights networks', 'beyond_own_rights recipients'],
    ])
    assert.deepEqual(told(await refused(create({ scopes: undefined }), 422, 'validation_failed')).length, 15)
    const foreign = await refused(create({ domains: [other.domain.name] }), 422, 'validation_failed')
    const absent = await refused(create({ domains: ['nothing.test'] }), 422, 'validation_failed')
    assert.deepEqual(told(foreign), told(absent))
    assert.deepEqual(told(foreign), ['unknown_domain domains[0]'])

    // A key with further rights is neither widened nor given a new secret, and may be narrowed.
    const strong = await ok(
      owner.call('POST', '/api/keys', { kind: 'sending', name: 'Strong', domains: ['second.test'] }),
      201,
    )
    const at = `/v1/keys/${strong.key_id}`
    assert.ok(told(await refused(by(maker)('POST', `${at}/rotate`, {}), 422, 'validation_failed')).length > 0)
    await ok(by(maker)('PATCH', at, { scopes: ['content:read'], networks: ['127.0.0.1/32'] }))
    await refused(by(maker)('PATCH', at, { networks: null }), 422, 'validation_failed')
    await refused(by(maker)('PATCH', at, { domains: [domain] }), 422, 'validation_failed')
    // Keys of other domains are not there.
    const { data } = await ok(by(maker)('GET', '/v1/keys'))
    for (const one of data) assert.ok(one.kind === 'verification' || one.domains.includes('second.test'))
    const ofFirst = await ok(by(manager)('GET', `/v1/keys?kind=sending&domain=${domain}&limit=1`))
    await refused(by(maker)('GET', `/v1/keys/${ofFirst.data[0].key_id}`), 404, 'not_found')
    await refused(by(maker)('GET', `/v1/keys?domain=${domain}`), 403, 'domain_not_permitted')
    await refused(by(maker)('GET', `/v1/keys?domain=${other.domain.name}`), 404, 'not_found')
  })

  test('that manage are created and changed by users only', async () => {
    const wanted = { kind: 'management', name: 'Provisioning', scopes: ['domains:*', 'keys:*'] }
    await refused(by(manager)('POST', '/v1/keys', wanted), 403, 'session_required')
    const made = await ok(owner.call('POST', '/api/keys', wanted), 201)
    assert.match(made.key, /^manage_[A-Za-z0-9]{43}$/)
    assert.deepEqual(made.scopes, [
      'domains:read',
      'domains:verify',
      'domains:write',
      'keys:read',
      'keys:write',
    ])
    assert.ok(made.grants.includes('messages:send') && !made.grants.includes('content:read'))
    assert.equal(made.domains, null)
    const at = `/keys/${made.key_id}`
    await ok(by(made.key)('GET', `/v1${at}`))
    for (const [method, path] of [
      ['PATCH', `/v1${at}`],
      ['POST', `/v1${at}/rotate`],
      ['DELETE', `/v1${at}`],
    ] as const) {
      const body = method === 'DELETE' ? undefined : {}
      await refused(by(made.key)(method, path, body), 403, 'session_required')
    }
    const narrowed = await ok(
      owner.call('PATCH', `/api${at}`, { domains: ['second.test'], scopes: ['keys:*'] }),
    )
    assert.deepEqual([narrowed.domains, narrowed.scopes], [['second.test'], ['keys:read', 'keys:write']])
    await until('the key is narrowed', async () => {
      const { body } = await by(made.key)('GET', '/v1/key')
      return body.domains?.length === 1
    })
    assert.deepEqual((await ok(owner.call('PATCH', `/api${at}`, { domains: null }))).domains, null)
  })

  test('with properties that do not exist are refused with every reason', async () => {
    const post = (body: object) => by(manager)('POST', '/v1/keys', body)
    const wrong = await refused(
      post({
        ...{ kind: 'verification', name: 'x', expires_at: '2001-01-01T00:00:00Z', rate: 'x' },
        ...{ scopes: ['messages:send', 'verifications:chek'], networks: ['office', '10.0.0.1/8'] },
        ...{ recipients: ['*@'], grants: ['stats:read'], domains: [domain] },
      }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(wrong), [
      ...['scope_of_other_kind scopes[0]', 'unknown_scope scopes[1]', 'not_together grants'],
      ...['in_the_past expires_at', 'invalid_rate rate'],
      ...['invalid_network networks[0]', 'invalid_network networks[1]', 'invalid_email recipients[0]'],
      'not_together domains',
    ])
    assert.match(wrong.errors[1].message, /did you mean verifications:check\?/)
    for (const [body, problem] of [
      [{ kind: 'sending', name: 'x' }, 'required domains'],
      [{ kind: 'sending', name: 'x', domains: [domain, 'second.test'] }, 'too_many domains'],
      [{ kind: 'sending', name: 'x', domains: [domain], networks: [] }, 'required networks'],
      [{ kind: 'sending', name: 'x', domains: [domain], scopes: [] }, 'required scopes'],
      [{ kind: 'smtp', name: 'x', domains: [domain] }, 'invalid_value kind'],
      [{ kind: 'sending', name: '', domains: [domain] }, 'too_short name'],
      [{ kind: 'sending', name: 'x', domains: [domain], mode: 'test' }, 'required inbox_id'],
      [{ kind: 'sending', name: 'x', domains: [domain], inbox_id: 'inb_x' }, 'unknown_inbox inbox_id'],
      [
        { kind: 'sending', name: 'x', domains: [domain], origins: ['https://a.example'] },
        'not_together origins',
      ],
      [{ kind: 'verification', name: 'x', mode: 'test' }, 'not_together mode'],
      [{ kind: 'public', name: 'x' }, 'required origins'],
      [{ kind: 'public', name: 'x', origins: ['https://a.example/path'] }, 'invalid_origin origins[0]'],
      [{ kind: 'public', name: 'x', origins: ['http://a.example'] }, 'invalid_origin origins[0]'],
    ] as const) {
      assert.deepEqual(told(await refused(post(body), 422, 'validation_failed')), [problem])
    }
    const nowhere = { kind: 'management', name: 'x', scopes: ['stats:read'], domains: [] }
    const { errors } = await refused(owner.call('POST', '/api/keys', nowhere), 422, 'validation_failed')
    assert.deepEqual([errors[0].code, errors[0].path], ['required', 'domains'])
  })

  test('have the scopes of the operator in the operating account only', async () => {
    const wanted = { kind: 'management', name: 'Platform', scopes: ['accounts:*'] }
    const made = await ok(owner.call('POST', '/api/keys', wanted), 201)
    assert.deepEqual(made.scopes, ['accounts:read', 'accounts:write'])
    assert.ok(made.grants.includes('domains:write'))
    const email = 'owner@tenant.example'
    const password = 'a long password'
    const user = { account_id: other.account.id, email, name: null, role: 'owner' as const, password }
    await addUser(app.store, user)
    const tenant = await Person.loggedIn(app, { email, password })
    const { errors } = await refused(tenant.call('POST', '/api/keys', wanted), 422, 'validation_failed')
    assert.equal(errors[0].code, 'beyond_own_rights')
    const all = await ok(tenant.call('POST', '/api/keys', { ...wanted, scopes: ['*'] }), 201)
    assert.ok(!all.scopes.some((one: string) => /^(accounts|operator):/.test(one)))
    // Scopes that were stored by other means are not valid in this account.
    const stored = await managementKey(app, { accountId: other.account.id, scopes: ['accounts:read'] })
    assert.deepEqual((await ok(by(stored)('GET', '/v1/key'))).scopes, [])
  })

  test('have the scopes that the form offers to a user of any role, and no other', async () => {
    const { sets, scopes: ofOperator } = await ok(owner.call('GET', '/api/me/scopes'))
    assert.ok(sets.some(({ name }: { name: string }) => name === 'provisioning'))
    for (const role of ['developer', 'admin', 'owner'] as const) {
      const login = { email: `${role}@scopes.example`, password: 'a long password' }
      await addUser(app.store, { ...login, account_id: other.account.id, name: null, role })
      const person = await Person.loggedIn(app, login)
      const { scopes } = await ok(person.call('GET', '/api/me/scopes'))
      const fields = { kind: 'management', name: role }
      const made = await ok(person.call('POST', '/api/keys', { ...fields, scopes }), 201)
      assert.deepEqual(made.scopes, scopes)
      const beyond = ofOperator.filter((scope: string) => !scopes.includes(scope))
      const { errors } = await refused(
        person.call('POST', '/api/keys', { ...fields, scopes: beyond }),
        422,
        'validation_failed',
      )
      assert.ok(errors.length > 0 && beyond.includes('accounts:write'))
      for (const { code } of errors) assert.equal(code, 'beyond_own_rights')
    }
  })
})
