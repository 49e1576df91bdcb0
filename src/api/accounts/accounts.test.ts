// Tests the accounts of an installation by an operator and by a platform's key: the same responses, limits, monthly
// allowances, credits, keys for accounts, and deletion.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { TestClock, until } from '../../../test/support/test-clock.ts'
import { addUser } from '../../../test/support/users.ts'
import { addDomain } from '../../domains/domains.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Store } from '../../store/database/store.ts'
import { openVerification } from '../../store/verification/verifications.ts'

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

const PLATFORM = ['accounts:read', 'accounts:write'] as const

const told = (body: Answer['body']): string[] =>
  body.errors.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)

const verifiedDomain = (store: Store, accountId: string, name: string) =>
  addDomain({
    ...{ store, clock: systemClock, accountId, name, verified: true },
    ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
  })

describe('accounts', () => {
  let app: TestApp
  let operator: Person
  let platform: string
  let own: string
  let made = 0
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '100000/s' },
    })
    operator = await Person.loggedIn(app)
    platform = await managementKey(app, { scopes: PLATFORM, rate: '100000/s' })
    own = (await operator.call('GET', '/api/account')).body.account_id
  })
  after(() => app.stop())

  const by =
    (key: string): Call =>
    (method, path, body, headers = {}) =>
      app.call(method, path, body, { authorization: `Bearer ${key}`, ...headers })
  /** The two doors: the path prefix and the function that sends a request. */
  const doors = (): readonly (readonly [string, Call])[] => [
    ['/v1', by(platform)],
    ['/api', (method, path, body, headers) => operator.call(method, path, body, headers)],
  ]
  const newAccount = async (fields: object = {}): Promise<Answer['body']> =>
    ok(by(platform)('POST', '/v1/accounts', { name: `Account ${++made}`, ...fields }), 201)
  const mint = (account: string, fields: object, call = by(platform)) =>
    call('POST', `/v1/accounts/${account}/keys`, { name: 'Minted', ...fields })

  test('are opened, read, changed and deleted the same way by an operator and by a platform', async () => {
    const shown: object[] = []
    for (const [index, [door, call]] of doors().entries()) {
      const fields = {
        ...{
          name: ' Larch ',
          external_id: `customer-${index}`,
          sending_allowance: 500,
          allowance_renews: 'month',
        },
        ...{ stored_bytes_limit: 1_000_000, domains_limit: 3, keys_limit: 4 },
      }
      const { status, body: opened, headers } = await call('POST', `${door}/accounts`, fields)
      assert.equal(status, 201, JSON.stringify(opened))
      assert.equal(headers.get('location'), `/v1/accounts/${opened.account_id}`)
      const { invitation, ...view } = opened
      assert.equal(invitation, null)
      const at = `${door}/accounts/${opened.account_id}`
      const found = await call('GET', at)
      assert.deepEqual(found.body, view)
      const etag = found.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]{22}"$/)
      const list = await ok(call('GET', `${door}/accounts?external_id=customer-${index}`))
      assert.deepEqual(
        [list.data.length, list.data[0].account_id, list.data[0].operates],
        [1, opened.account_id, false],
      )
      await refused(call('POST', `${door}/accounts`, { ...fields, name: 'Other' }), 409, 'conflict')

      const change = { name: 'Linden', sending_allowance: 900, status: 'suspended', reason: 'Unpaid' }
      const changed = await call('PATCH', at, change, { 'if-match': etag })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
      assert.deepEqual(
        [changed.body.name, changed.body.status, changed.body.reason, changed.body.sending_allowance_left],
        ['Linden', 'suspended', 'Unpaid', 900],
      )
      assert.notEqual(changed.headers.get('etag'), etag)
      await refused(call('PATCH', at, { name: 'Late' }, { 'if-match': etag }), 412, 'changed_meanwhile')
      const resumed = await ok(call('PATCH', at, { status: 'active', external_id: null, keys_limit: null }))
      assert.deepEqual([resumed.reason, resumed.external_id, resumed.keys_limit], [null, null, null])
      const { data: usage, limits, left } = await ok(call('GET', `${at}/usage`))
      assert.deepEqual(
        [usage.length, limits.sending_allowance, limits.domains, left.keys],
        [31, 900, 3, 1_000],
      )

      assert.deepEqual(told(await refused(call('DELETE', at), 422, 'validation_failed')), [
        'required confirm',
      ])
      const wrong = await refused(call('DELETE', `${at}?confirm=Larch`), 422, 'validation_failed')
      assert.deepEqual(told(wrong), ['not_confirmed confirm'])
      assert.equal((await call('DELETE', `${at}?confirm=Linden`)).status, 204)
      for (const again of [
        call('GET', at),
        call('PATCH', at, { name: 'x' }),
        call('DELETE', `${at}?confirm=x`),
      ]) {
        await refused(again, 404, 'not_found')
      }
      const { account_id: _, external_id: __, created_at: ___, ...same } = view
      shown.push(same)
    }
    assert.deepEqual(shown[0], shown[1])
    const entries = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('account_id', '=', own)
      .where('action', 'like', 'account.%')
      .orderBy('id')
      .execute()
    const seen = entries.map(({ action, target, detail }) => [
      ...[action, target?.slice(0, 4), detail.replace(/customer-\d/, 'customer')],
    ])
    assert.equal(seen.length, 8)
    assert.deepEqual(seen.slice(0, 4), seen.slice(4))
    assert.match(entries[0]?.actor ?? '', /^key Management \(…/)
    assert.equal(entries[4]?.actor, app.playground.dashboard_login.email)
  })

  test('with an owner are joined by invitation, and others have no login', async () => {
    const opened = await newAccount({ owner_email: 'Owner@Customer.example' })
    assert.equal(opened.invitation.email, 'owner@customer.example')
    const token = new URL(opened.invitation.url).searchParams.get('token')
    const accept = { token, name: 'Ann', password: 'a long password' }
    const session = await ok(new Person(app).call('POST', '/api/invitations/accept', accept))
    assert.equal(session.account.account_id, opened.account_id)
    await refused(
      by(platform)('POST', '/v1/accounts', { name: 'x', owner_email: 'owner@customer.example' }),
      409,
      'conflict',
    )
  })

  test('are for keys and owners of the operating account only', async () => {
    const tenant = await createTenant(app.store)
    const login = { email: 'owner@tenant.example', password: 'a long password' }
    await addUser(app.store, { ...login, account_id: tenant.account.id, name: null, role: 'owner' })
    const owner = await Person.loggedIn(app, login)
    const stored = await managementKey(app, { accountId: tenant.account.id, scopes: PLATFORM })
    const reader = await managementKey(app, { scopes: ['accounts:read'] })
    for (const [method, path] of [
      ['GET', 'accounts'],
      ['GET', `accounts/${own}`],
      ['GET', 'accounts/acc_x'],
      ['DELETE', `accounts/${own}?confirm=x`],
      ['GET', `accounts/${own}/usage`],
    ] as const) {
      await refused(owner.call(method, `/api/${path}`), 403, 'role_not_permitted')
      await refused(by(stored)(method, `/v1/${path}`), 403, 'scope_not_permitted')
    }
    await ok(by(reader)('GET', '/v1/accounts'))
    await refused(by(reader)('POST', '/v1/accounts', { name: 'x' }), 403, 'scope_not_permitted')
    await refused(mint(own, { scopes: ['stats:read'] }, by(reader)), 403, 'scope_not_permitted')
  })

  test('that operate the installation are neither suspended nor deleted', async () => {
    const { name } = await ok(by(platform)('GET', `/v1/accounts/${own}`))
    const path = `/v1/accounts/${own}`
    await refused(by(platform)('PATCH', path, { status: 'suspended' }), 409, 'conflict')
    await refused(by(platform)('DELETE', `${path}?confirm=${encodeURIComponent(name)}`), 409, 'conflict')
    assert.equal((await ok(operator.call('GET', '/api/account'))).status, 'active')
  })

  test('have no more domains and keys than their limits, exactly', async () => {
    const { account_id: account } = await newAccount({ domains_limit: 1, keys_limit: 2 })
    const { key } = await ok(mint(account, { scopes: ['domains:*', 'keys:*'] }), 201)
    const added = await Promise.allSettled(
      ['a.limits.test', 'b.limits.test'].map((name) => verifiedDomain(app.store, account, name)),
    )
    assert.deepEqual(added.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [{ name: domain }] = (await app.store.read
      .selectFrom('domains')
      .select('name')
      .where('account_id', '=', account)
      .execute()) as [{ name: string }]
    const wanted = { kind: 'sending', name: 'Shop', domains: [domain], scopes: ['messages:send'] }
    const create = () => by(key)('POST', '/v1/keys', wanted)
    const answers = await Promise.all([create(), create(), create()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 403])
    const limited = answers.find(({ status }) => status === 403)?.body
    assert.deepEqual([limited.code, limited.errors[0].code], ['limit_reached', 'keys_limit'])
    // The keys of the platform do not count.
    await ok(mint(account, { scopes: ['keys:read'] }), 201)
    const { left } = await ok(by(platform)('GET', `/v1/accounts/${account}/usage`))
    assert.deepEqual([left.domains, left.keys], [0, 0])
    await ok(by(platform)('PATCH', `/v1/accounts/${account}`, { keys_limit: 3 }))
    await ok(create(), 201)
  })

  test('get and lose credits, never below none', async () => {
    const { account_id: account } = await newAccount()
    const shown: number[][] = []
    for (const [door, call] of doors()) {
      const grant = async (credits: number): Promise<number> =>
        (await ok(call('POST', `${door}/accounts/${account}/credits`, { credits, note: 'Order 7' })))
          .verification_credits
      shown.push([await grant(100), await grant(-30), await grant(-1_000), await grant(0 - 1)])
      const wrong = { credits: 0, note: 'x'.repeat(201) }
      await refused(call('POST', `${door}/accounts/${account}/credits`, wrong), 422, 'validation_failed')
      await refused(call('POST', `${door}/accounts/acc_x/credits`, { credits: 1 }), 404, 'not_found')
    }
    assert.deepEqual(shown, [
      [100, 70, 0, 0],
      [100, 70, 0, 0],
    ])
    const reader = (await ok(mint(account, { scopes: ['stats:read'] }), 201)).key
    await refused(by(reader)('GET', '/v1/credits'), 403, 'scope_not_permitted')
  })

  test('get keys within the grants of the platform, which their owners see', async () => {
    const { account_id: account } = await newAccount()
    await verifiedDomain(app.store, account, 'minted.test')
    const scopes = ['domains:read', 'keys:*', 'people:*']
    const { status, body: minted, headers } = await mint(account, { scopes, domains: ['minted.test'] })
    assert.equal(status, 201, JSON.stringify(minted))
    assert.match(minted.key, /^manage_\w{43}$/)
    assert.equal(headers.get('location'), `/v1/keys/${minted.key_id}`)
    assert.deepEqual(
      [minted.created_by, minted.kind, minted.domains],
      ['operator', 'management', ['minted.test']],
    )
    const hour = Date.parse(minted.expires_at) - Date.parse(minted.created_at)
    assert.ok(Math.abs(hour - 3_600_000) < 5_000, String(hour))
    const call = by(minted.key)
    assert.equal((await ok(call('GET', '/v1/key'))).account.account_id, account)
    const made = await ok(
      call('POST', '/v1/keys', { kind: 'sending', name: 'Shop', scopes: ['messages:send'] }),
      201,
    )
    assert.equal(made.created_by, minted.key_id)
    await refused(call('POST', '/v1/keys', { kind: 'sending', name: 'x' }), 422, 'validation_failed')
    const listed = (await ok(call('GET', `/v1/keys?kind=management`))).data
    assert.deepEqual(
      listed.map((key: { created_by: string; name: string }) => [key.created_by, key.name]),
      [['operator', 'Minted']],
    )
    const entries = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('target', 'in', [account, minted.key_id])
      .where('action', 'in', ['key.create', 'account.key'])
      .orderBy('account_id')
      .execute()
    assert.deepEqual(entries.map(({ action, actor }) => [action, actor.replace(/\(.*/, '')]).sort(), [
      ['account.key', 'key Management '],
      ['key.create', 'the operator'],
    ])
    assert.ok(!JSON.stringify(entries).includes(minted.key))

    const limits = { networks: ['127.0.0.0/8'], recipients: ['*@example.net'] }
    const narrow = await managementKey(app, {
      ...{ scopes: PLATFORM, grants: ['keys:write'], ...limits, expiresAt: Date.now() + 1_800_000 },
    })
    const bounded = await ok(mint(account, { scopes: ['keys:write'] }, by(narrow)), 201)
    assert.deepEqual(
      [bounded.grants, bounded.networks, bounded.recipients],
      [[], limits.networks, limits.recipients],
    )
    assert.ok(Date.parse(bounded.expires_at) <= Date.now() + 1_800_000)
    const beyond = await refused(
      mint(
        account,
        { scopes: ['keys:*'], networks: null, expires_at: new Date(Date.now() + 2_000_000).toISOString() },
        by(narrow),
      ),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(beyond).sort(), [
      ...['beyond_own_rights expires_at', 'beyond_own_rights networks', 'beyond_own_rights scopes[0]'],
    ])
    // The platform's key has rights in its own account that it does not give to others.
    const strong = await managementKey(app, { scopes: [...PLATFORM, 'content:read'], grants: ['stats:read'] })
    const foreign = await refused(
      mint(account, { scopes: ['content:read'] }, by(strong)),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(foreign), ['beyond_own_rights scopes[0]'])
    // An operator who is logged in may give every scope of an account.
    const all = await ok(
      operator.call('POST', `/api/accounts/${account}/keys`, { name: 'All', scopes: ['*'] }),
      201,
    )
    assert.ok(all.scopes.includes('content:read') && !all.scopes.includes('accounts:read'))
  })

  test('get no keys with wrong properties', async () => {
    const { account_id: account } = await newAccount()
    const other = await createTenant(app.store)
    const late = new Date(Date.now() + 91 * 86_400_000).toISOString()
    for (const [fields, problems] of [
      [{}, ['required scopes']],
      [{ scopes: [] }, ['required scopes']],
      [
        { scopes: ['accounts:read', 'operator:*'] },
        ['scope_of_other_kind scopes[0]', 'scope_of_other_kind scopes[1]'],
      ],
      [{ scopes: ['domain:read'] }, ['unknown_scope scopes[0]']],
      [{ scopes: ['stats:read'], expires_at: late }, ['too_late expires_at']],
      [{ scopes: ['stats:read'], expires_at: '2020-01-01T00:00:00Z' }, ['in_the_past expires_at']],
      [{ scopes: ['stats:read'], expires_at: 'soon' }, ['invalid_type expires_at']],
      [{ scopes: ['stats:read'], domains: ['absent.test'] }, ['unknown_domain domains[0]']],
      [{ scopes: ['stats:read'], domains: [other.domain.name] }, ['unknown_domain domains[0]']],
      [{ scopes: ['stats:read'], domains: [] }, ['required domains']],
      [{ scopes: ['stats:read'], networks: ['office'] }, ['invalid_network networks[0]']],
      [{ scopes: ['stats:read'], rate: '50/s' }, ['unknown_field rate']],
      [{ name: '', scopes: ['stats:read'] }, ['too_short name']],
    ] as const) {
      const problem = await refused(mint(account, fields), 422, 'validation_failed')
      assert.deepEqual(told(problem), problems, JSON.stringify(fields))
    }
    await refused(mint('acc_x', { scopes: ['stats:read'] }), 404, 'not_found')
  })

  test('are not opened or changed with wrong fields', async () => {
    const { account_id: account } = await newAccount({ external_id: 'taken-one' })
    const { account_id: second } = await newAccount()
    for (const [fields, problems] of [
      [{ sending_allowance: -1 }, ['below_minimum sending_allowance']],
      [{ allowance_renews: 'week' }, ['invalid_value allowance_renews']],
      [{ allowance_renews: 'month' }, ['required sending_allowance']],
      [{ sending_allowance: null, allowance_renews: 'month' }, ['required sending_allowance']],
      [{ domains_limit: 1_001 }, undefined],
      [{ keys_limit: 1.5 }, undefined],
      [{ external_id: '' }, undefined],
      [{ external_id: 'x'.repeat(101) }, undefined],
      [{ external_id: 'a\0' }, ['invalid_characters external_id']],
      [{ status: 'closed' }, undefined],
      [{ operates: true }, ['unknown_field operates']],
      [{ name: 'a\nb' }, ['invalid_name name']],
    ] as const) {
      for (const answer of [
        by(platform)('POST', '/v1/accounts', { name: 'Wrong', ...fields }),
        by(platform)('PATCH', `/v1/accounts/${account}`, fields),
      ]) {
        const problem = await refused(answer, 422, 'validation_failed')
        if (problems !== undefined && !problems[0].startsWith('below'))
          assert.deepEqual(told(problem), problems)
      }
    }
    await refused(
      by(platform)('PATCH', `/v1/accounts/${second}`, { external_id: 'taken-one' }),
      409,
      'conflict',
    )
    await ok(by(platform)('PATCH', `/v1/accounts/${account}`, { external_id: 'taken-one' }))
    assert.deepEqual((await ok(by(platform)('GET', '/v1/accounts?name=Wrong'))).data, [])
    for (const [query, status] of [
      ['cursor=x', 400],
      ['status=open', 422],
      ['name=', 422],
      ['owner=x', 422],
      ['external_id=%00', 422],
    ] as const) {
      assert.equal((await by(platform)('GET', `/v1/accounts?${query}`)).status, status, query)
    }
  })

  test('with one external ID at the same time: one is opened', async () => {
    const open = () => by(platform)('POST', '/v1/accounts', { name: 'Twice', external_id: 'at-once' })
    const answers = await Promise.all([open(), open(), open()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    const { account_id: account } = answers.find(({ status }) => status === 201)?.body ?? {}
    assert.equal((await by(platform)('DELETE', `/v1/accounts/${account}?confirm=Twice`)).status, 204)
    await ok(open(), 201)
  })

  test('are deleted with their users, keys, domains and queue, and nothing of others', async () => {
    const tenant: Tenant = await createTenant(app.store)
    const { id } = tenant.account
    const login = { email: 'owner@gone.example', password: 'a long password' }
    await addUser(app.store, { ...login, account_id: id, name: null, role: 'owner' })
    const owner = await Person.loggedIn(app, login)
    const invitation = { email: 'new@gone.example', role: 'viewer' }
    await ok(by(await managementKey(app, { accountId: id }))('POST', '/v1/invitations', invitation), 201)
    const { key } = await ok(mint(id, { scopes: ['keys:read'] }), 201)
    const mail = {
      ...{ from: `a@${tenant.domain.name}`, to: [{ email: 'b@receiver.example' }], subject: 's', text: 't' },
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    }
    const { message_id } = await ok(by(tenant.sendingKey)('POST', '/v1/messages', mail), 202)
    const others = await app.send({ send_at: mail.send_at })
    const verification_id = newId('ver')
    await app.store.write(openVerification, {
      ...{ id: verification_id, account_id: id, key_id: newId('key'), name: null, columns: null },
      ...{
        status: 'paused',
        total: 1,
        duplicates: 0,
        deliverable: 0,
        undeliverable: 0,
        risky: 0,
        unknown: 0,
      },
      ...{ lease: null, lease_until: null, created_at: Date.now(), finished_at: null },
    })

    const confirm = encodeURIComponent(tenant.account.name)
    assert.equal((await operator.call('DELETE', `/api/accounts/${id}?confirm=${confirm}`)).status, 204)
    for (const secret of [key, tenant.sendingKey, tenant.verificationKey]) {
      await refused(by(secret)('GET', '/v1/key'), 401, 'authentication_failed')
    }
    await refused(owner.call('GET', '/api/session'), 401, 'authentication_failed')
    await refused(new Person(app).call('POST', '/api/session', login), 401, 'authentication_failed')
    const statusOf = async (message: string) =>
      app.store.read.selectFrom('recipients').select('status').where('message_id', '=', message).execute()
    await until(
      'the message is cancelled',
      async () => (await statusOf(message_id))[0]?.status === 'cancelled',
    )
    assert.notEqual((await statusOf(others))[0]?.status, 'cancelled')
    const rows = async (table: 'users' | 'invitations' | 'queue'): Promise<number> =>
      (await app.store.read.selectFrom(table).select('account_id').where('account_id', '=', id).execute())
        .length
    assert.deepEqual([await rows('users'), await rows('invitations'), await rows('queue')], [0, 0, 0])
    const list = await app.store.read
      .selectFrom('verifications')
      .select('status')
      .where('id', '=', verification_id)
      .executeTakeFirstOrThrow()
    assert.equal(list.status, 'cancelled')
    // The addresses and the domain are free again.
    await newAccount({ owner_email: login.email })
    await verifiedDomain(app.store, own, tenant.domain.name)
    const { data } = await ok(by(platform)('GET', '/v1/accounts?limit=200'))
    assert.ok(data.every((one: { account_id: string }) => one.account_id !== id))
  })
})

describe('an allowance that renews', () => {
  test('is whole again in the next month, for every message from then on', async () => {
    const clock = new TestClock(Date.UTC(2026, 0, 30, 12))
    const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' }, clock })
    try {
      const tenant = await createTenant(app.store, { clock })
      const platform = await managementKey(app, { scopes: PLATFORM })
      const path = `/v1/accounts/${tenant.account.id}`
      const operate = (method: string, body?: object, more = '') =>
        app.call(method, `${path}${more}`, body, { authorization: `Bearer ${platform}` })
      const send = (count = 1) =>
        app.call(
          'POST',
          '/v1/messages',
          {
            ...{ from: `a@${tenant.domain.name}`, subject: 's', text: 't' },
            to: Array.from({ length: count }, (_, index) => ({ email: `to${index}@receiver.example` })),
          },
          { authorization: `Bearer ${tenant.sendingKey}` },
        )
      const left = async (): Promise<number> => (await ok(operate('GET'))).sending_allowance_left
      await ok(operate('PATCH', { sending_allowance: 3, allowance_renews: 'month' }))
      await until('the allowance counts', async () => {
        const { status } = await send(4)
        return status === 403
      })
      await ok(send(2), 202)
      const { detail } = await refused(send(2), 403, 'sending_allowance_exhausted')
      assert.match(detail, /1 left, 2 needed/)
      await ok(send(1), 202)
      assert.equal(await left(), 0)
      // More in the middle of a month: what was sent counts.
      await ok(operate('PATCH', { sending_allowance: 5 }))
      assert.equal(await left(), 2)
      await refused(send(3), 403, 'sending_allowance_exhausted')

      clock.advance(Date.UTC(2026, 1) - 1 - clock.now())
      assert.equal(await left(), 2)
      clock.advance(1)
      const view = await ok(operate('GET'))
      assert.deepEqual(
        [view.sending_allowance, view.allowance_renews, view.sending_allowance_left],
        [5, 'month', 5],
      )
      assert.equal((await ok(operate('GET', undefined, '/usage'))).left.sending_allowance, 5)
      await refused(send(6), 403, 'sending_allowance_exhausted')
      const answers = await Promise.all([send(2), send(2), send(2)])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 202, 403])
      assert.equal(await left(), 1)

      await ok(operate('PATCH', { allowance_renews: 'never' }))
      clock.advance(40 * 86_400_000)
      assert.equal(await left(), 1)
    } finally {
      await app.stop()
    }
  })
})
