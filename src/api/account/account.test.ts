// Tests the account, its usage, its logs and its credits by a user and by a management key: the same responses, the
// figures of the usage, and the rights of keys of some domains.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { settled } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { addUser } from '../../../test/support/users.ts'
import { addDomain } from '../../domains/domains.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Domain } from '../../store/domains/domain-rows.ts'
import { NOTHING } from '../../store/readers/message-counts.ts'
import type { UsagePeriod } from '../contract/account.ts'

type Call = (method: string, path: string, body?: object) => Promise<Answer>

describe('the account', () => {
  let app: TestApp
  let owner: Person
  let manager: string
  let accountId: string
  let domain: string
  let second: Domain
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '100000/s' },
    })
    owner = await Person.loggedIn(app)
    manager = await managementKey(app)
    const row = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
    accountId = row.account_id
    domain = row.id
    const added = await addDomain({
      ...{ store: app.store, clock: systemClock, accountId, name: 'second.test', verified: true },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
    })
    second = added.domain
  })
  after(() => app.stop())

  const by =
    (key: string): Call =>
    (method, path, body) =>
      app.call(method, path, body, { authorization: `Bearer ${key}` })
  const doors = (): readonly (readonly [string, Call])[] => [
    ['/v1', by(manager)],
    ['/api', (method, path, body) => owner.call(method, path, body)],
  ]
  const newest = async (action: string) =>
    app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', action)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()

  test('reads the same and is renamed the same way by a user and by a key', async () => {
    const [byKey, byUser] = await Promise.all(
      doors().map(([door, call]) => ok(call('GET', `${door}/account`))),
    )
    assert.deepEqual(byKey, byUser)
    assert.equal(byKey.account_id, accountId)
    const entries = []
    for (const [index, [door, call]] of doors().entries()) {
      const renamed = await ok(call('PATCH', `${door}/account`, { name: ` Workshop ${index} ` }))
      assert.ok(Date.parse(renamed.changed_at) > Date.parse(byKey.changed_at ?? byKey.created_at))
      assert.deepEqual(
        { ...renamed, changed_at: null },
        { ...byKey, changed_at: null, name: `Workshop ${index}` },
      )
      const { action, target, address, detail } = await newest('account.rename')
      entries.push({ action, target, address, to: JSON.parse(detail).to.slice(0, 8) })
      const wrong = await refused(
        call('PATCH', `${door}/account`, { name: 'a\nb', id: 1 }),
        422,
        'validation_failed',
      )
      assert.deepEqual(wrong.errors.map(({ path }: { path: string }) => path).sort(), ['id', 'name'])
    }
    assert.deepEqual(entries[0], entries[1])
    const reader = by(await managementKey(app, { scopes: ['account:read'] }))
    await refused(reader('PATCH', '/v1/account', { name: 'Mine' }), 403, 'scope_not_permitted')
  })

  /** Counts recipients of a domain in an hour, as the reader of the event log does. */
  const counted = (domain_id: string, stream: string, hour_at: number, counts: object): Promise<unknown> =>
    app.store.read
      .insertInto('message_counts')
      .values({ ...NOTHING, account_id: accountId, domain_id, stream, hour_at, ...counts } as never)
      .execute()

  test('shows its usage by day and by month, for domains and streams, the same through both doors', async () => {
    const at = Date.UTC(2025, 4, 31, 23)
    await counted(domain, 'transactional', at, { accepted: 2, delivered: 1, bounced: 1 })
    await counted(domain, 'offers', at, { accepted: 1, complained: 1 })
    await counted(second.id, 'offers', at + 3_600_000, { accepted: 1 })
    const usage = async (query: string, [door, call] = doors()[0] as readonly [string, Call]) =>
      (await ok(call('GET', `${door}/account/usage?${query}`))).data as UsagePeriod[]
    const span = 'from=2025-05-30T10:00:00Z&to=2025-06-01T00:00:01Z'
    const days = await usage(span)
    assert.deepEqual(
      days.map(({ from, to, accepted, delivered, bounced, complained, stored_bytes, verified }) => [
        ...[
          from.slice(0, 10),
          to.slice(0, 10),
          accepted,
          delivered,
          bounced,
          complained,
          stored_bytes,
          verified,
        ],
      ]),
      [
        ['2025-05-30', '2025-05-31', 0, 0, 0, 0, null, 0],
        ['2025-05-31', '2025-06-01', 3, 1, 1, 1, null, 0],
        ['2025-06-01', '2025-06-02', 1, 0, 0, 0, null, 0],
      ],
    )
    for (const query of [span, `${span}&by=month`, `${span}&group=domain`, `${span}&by=month&group=stream`]) {
      const [byKey, byUser] = await Promise.all(doors().map((one) => usage(query, one)))
      assert.deepEqual(byKey, byUser)
    }
    const months = await usage(`${span}&by=month`)
    assert.deepEqual(
      months.map(({ from, to, accepted }) => [from.slice(0, 10), to.slice(0, 10), accepted]),
      [
        ['2025-05-01', '2025-06-01', 3],
        ['2025-06-01', '2025-07-01', 1],
      ],
    )
    const streams = await usage(`${span}&by=month&group=stream`)
    assert.deepEqual(
      streams.map((one) => [one.from.slice(0, 7), one.domain, one.domain_id, one.stream, one.accepted]),
      [
        ['2025-05', app.playground.domain, domain, 'offers', 1],
        ['2025-05', app.playground.domain, domain, 'transactional', 2],
        ['2025-06', 'second.test', second.id, 'offers', 1],
      ],
    )
    const domains = await usage(`${span}&group=domain`)
    assert.deepEqual(
      domains.map((one) => [one.domain, one.stream, one.accepted, one.verified]),
      [
        [app.playground.domain, undefined, 3, null],
        ['second.test', undefined, 1, null],
      ],
    )
    const narrow = by(await managementKey(app, { scopes: ['account:read'], domainIds: [second.id] }))
    const own = (await ok(narrow('GET', `/v1/account/usage?${span}`))).data as UsagePeriod[]
    assert.deepEqual(
      own.map(({ accepted }) => accepted),
      [0, 0, 1],
    )
  })

  test('shows what is stored, verified and left now', async () => {
    const before = await ok(by(manager)('GET', '/v1/account/usage'))
    await ok(owner.call('GET', '/api/verification/verifyEmail?email=nonsense'))
    await app.send()
    await settled(app.store)
    const { data, limits, left } = await ok(by(manager)('GET', '/v1/account/usage'))
    const today = data.at(-1) as UsagePeriod
    assert.equal(today.from.slice(0, 10), new Date().toISOString().slice(0, 10))
    assert.equal(data.length, 31)
    assert.equal(today.verified, (before.data.at(-1).verified ?? 0) + 1)
    assert.equal(today.accepted, before.data.at(-1).accepted + 1)
    assert.ok(Number(today.stored_bytes) > 0)
    assert.deepEqual([limits.domains, limits.keys, limits.sending_allowance], [1_000, 1_000, null])
    assert.equal(left.domains, 998)
    assert.equal(left.verification_credits, before.left.verification_credits - 1)
  })

  test('refuses a span of the wrong form, and too long spans', async () => {
    for (const [query, path] of [
      ['from=yesterday', 'from'],
      ['to=2025-13-01T00:00:00Z', 'to'],
      ['from=2025-02-01T00:00:00Z&to=2025-01-01T00:00:00Z', 'to'],
      ['from=1960-01-01T00:00:00Z', 'from'],
      ['from=2020-01-01T00:00:00Z', 'from'],
      ['from=2001-01-01T00:00:00Z&by=month', 'from'],
      ['by=year', 'by'],
      ['group=tag', 'group'],
      ['from=', 'from'],
      ['from=%00', 'from'],
      ['form=2025-01-01T00:00:00Z', 'form'],
    ] as const) {
      const { errors } = await refused(
        by(manager)('GET', `/v1/account/usage?${query}`),
        422,
        'validation_failed',
      )
      assert.equal(errors[0].path, path, query)
    }
  })

  test('has one audit log, request log and balance for users and keys', async () => {
    await owner.call('POST', '/api/keys', { kind: 'verification', name: 'Forms' })
    await ok(by(manager)('GET', '/v1/people'))
    await until('the log has the request', async () => {
      const { data } = await ok(by(manager)('GET', '/v1/requests?path=/v1/people'))
      return data.length > 0
    })
    for (const path of ['audit?action=key', 'credits', 'requests?path=/v1/people']) {
      const at = ([door]: readonly [string, Call]) =>
        `${door}${door === '/api' && path === 'credits' ? '/verification' : ''}/${path}`
      const [byKey, byUser] = await Promise.all(doors().map((one) => ok(one[1]('GET', at(one)))))
      assert.deepEqual(byKey, byUser, path)
    }
    const [byKey, byUser] = await Promise.all(
      doors().map(async ([door, call]) => {
        const { status, headers, body } = await call('GET', `${door}/audit?format=csv&action=key`)
        assert.equal(status, 200)
        assert.match(headers.get('content-type') ?? '', /^text\/csv/)
        return body as string
      }),
    )
    assert.equal(byKey, byUser)
    assert.match(String(byKey), /^at,actor,action,.*\r?\n.*key\.create/)
    for (const [query, status] of [
      ['audit?cursor=x', 400],
      ['audit?after=x', 422],
      ['audit?actor=%00', 422],
      ['audit?format=xml', 422],
      ['requests?cursor=x', 400],
      ['requests?outcome=x', 422],
      ['credits?day=1', 422],
    ] as const) {
      assert.equal((await by(manager)('GET', `/v1/${query}`)).status, status, query)
    }
    assert.equal((await ok(by(app.playground.verification_key)('GET', '/v1/credits'))).uses.length, 90)
    await refused(by(app.playground.sending_key)('GET', '/v1/audit'), 403, 'key_kind_not_permitted')
  })

  test('shows the requests of its own domains to a key of some domains', async () => {
    const narrow = by(await managementKey(app, { domainIds: [second.id] }))
    await app.send()
    await ok(narrow('GET', '/v1/messages'))
    const found = await until('the request in the domain', async () => {
      const { data, keys } = await ok(narrow('GET', '/v1/requests'))
      return data.length > 0 ? { data, keys } : undefined
    })
    assert.ok(found.data.every((one: { domain_id: string }) => one.domain_id === second.id))
    const known = new Set(found.data.map((one: { key_id: string }) => one.key_id))
    assert.ok(found.keys.every((one: { key_id: string }) => known.has(one.key_id)))
    assert.deepEqual((await ok(narrow('GET', `/v1/requests?domain_id=${domain}`))).data, [])
  })

  test('shows nothing of another account, and roles decide', async () => {
    const other = await createTenant(app.store)
    const elsewhere = by(await managementKey(app, { accountId: other.account.id }))
    assert.equal((await ok(elsewhere('GET', '/v1/account'))).account_id, other.account.id)
    for (const path of [
      'audit',
      'requests',
      'account/usage?from=2025-05-30T10:00:00Z&to=2025-06-01T00:00:00Z',
    ]) {
      const text = JSON.stringify((await ok(elsewhere('GET', `/v1/${path}`))).data)
      assert.ok(!text.includes(accountId) && !text.includes(domain), path)
      assert.doesNotMatch(text, /"accepted":[1-9]/)
    }
    const login = { email: 'viewer@people.example', password: 'a long password' }
    await addUser(app.store, { ...login, account_id: accountId, name: null, role: 'viewer' })
    const viewer = await Person.loggedIn(app, login)
    await ok(viewer.call('GET', '/api/account/usage'))
    await ok(viewer.call('GET', '/api/requests'))
    await refused(viewer.call('GET', '/api/audit'), 403, 'role_not_permitted')
    await refused(viewer.call('PATCH', '/api/account', { name: 'Mine' }), 403, 'role_not_permitted')
  })
})
