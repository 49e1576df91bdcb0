// Tests the users and invitations of an account by a user and by a management key: the same responses, the rights of
// keys, and the audit log.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { addUser } from '../../../test/support/users.ts'
import type { Role } from '../../model/role.ts'

type Call = (method: string, path: string, body?: object) => Promise<Answer>

describe('people', () => {
  let app: TestApp
  let owner: Person
  let manager: string
  let accountId: string
  let made = 0
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '100000/s' },
    })
    owner = await Person.loggedIn(app)
    manager = await managementKey(app)
    accountId = (await owner.call('GET', '/api/account')).body.account_id
  })
  after(() => app.stop())

  const by =
    (key: string): Call =>
    (method, path, body) =>
      app.call(method, path, body, { authorization: `Bearer ${key}` })
  /** The two doors: the path prefix and the function that sends a request. */
  const doors = (): readonly (readonly [string, Call])[] => [
    ['/v1', by(manager)],
    ['/api', (method, path, body) => owner.call(method, path, body)],
  ]
  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const { status: got, body } = await answer
    assert.deepEqual([got, body.code], [status, code], JSON.stringify(body))
    const { request_id: _, ...problem } = body
    return problem
  }
  const newEmail = (): string => `person${++made}@people.example`
  const add = async (role: Role, account_id = accountId): Promise<string> => {
    const email = newEmail()
    return (await addUser(app.store, { account_id, email, name: null, role, password: 'a long password' })).id
  }
  const told = (body: Answer['body']): string[] =>
    body.errors.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)

  test('are listed, changed and removed the same way by a user and by a key', async () => {
    const shown: unknown[] = []
    for (const [door, call] of doors()) {
      const id = await add('viewer')
      const { data, next_cursor } = await ok(call('GET', `${door}/people`))
      assert.equal(next_cursor, null)
      const listed = data.find((user: { user_id: string }) => user.user_id === id)
      const changed = await ok(call('PATCH', `${door}/people/${id}`, { role: 'developer' }))
      assert.deepEqual(changed, { ...listed, role: 'developer' })
      assert.equal((await call('DELETE', `${door}/people/${id}`)).status, 204)
      await refused(call('DELETE', `${door}/people/${id}`), 404, 'not_found')
      const { user_id: _, email: __, created_at: ___, ...same } = changed
      shown.push(same)
    }
    assert.deepEqual(shown[0], shown[1])
    const current = async ([door, call]: readonly [string, Call]): Promise<number> =>
      (await ok(call('GET', `${door}/people`))).data.filter((user: { current: boolean }) => user.current)
        .length
    assert.deepEqual(await Promise.all(doors().map(current)), [0, 1])
  })

  test('are invited the same way by a user and by a key, and the invitation is withdrawn', async () => {
    const shown: unknown[] = []
    for (const [door, call] of doors()) {
      const email = newEmail()
      const { status, body, headers } = await call('POST', `${door}/invitations`, { email, role: 'admin' })
      assert.equal(status, 201, JSON.stringify(body))
      assert.equal(headers.get('location'), `/v1/invitations/${body.invitation_id}`)
      const { url, mailed, ...view } = body
      assert.deepEqual((await ok(call('GET', `${door}/invitations`))).data[0], view)
      const unsent = await ok(
        call('POST', `${door}/invitations`, { email, role: 'viewer', notify: false }),
        201,
      )
      assert.match(unsent.url, /\?token=\w{43}$/)
      assert.equal((await call('DELETE', `${door}/invitations/${unsent.invitation_id}`)).status, 204)
      await refused(call('DELETE', `${door}/invitations/${unsent.invitation_id}`), 404, 'not_found')
      shown.push([view.role, typeof url, mailed, unsent.role, unsent.mailed])
    }
    assert.deepEqual(shown[0], ['admin', 'string', true, 'viewer', false])
    assert.deepEqual(shown[0], shown[1])
  })

  test('an invitation without mail is accepted by its link', async () => {
    const email = newEmail()
    const invited = await ok(
      by(manager)('POST', '/v1/invitations', { email, role: 'developer', notify: false }),
      201,
    )
    const token = new URL(invited.url).searchParams.get('token')
    const accept = { token, name: 'Ann', password: 'a long password' }
    const session = await ok(new Person(app).call('POST', '/api/invitations/accept', accept))
    assert.deepEqual([session.user.email, session.user.role], [email, 'developer'])
  })

  test('an owner is out of the reach of every key', async () => {
    const call = by(manager)
    const [second, viewer] = [await add('owner'), await add('viewer')]
    const absent = `${second.slice(0, -1)}${second.endsWith('0') ? '1' : '0'}`
    await refused(call('PATCH', `/v1/people/${second}`, { role: 'viewer' }), 403, 'session_required')
    await refused(call('DELETE', `/v1/people/${second}`), 403, 'session_required')
    await refused(call('PATCH', `/v1/people/${viewer}`, { role: 'owner' }), 403, 'session_required')
    await refused(call('PATCH', `/v1/people/${absent}`, { role: 'owner' }), 404, 'not_found')
    const email = newEmail()
    const wanted = { email, role: 'owner' }
    await refused(call('POST', '/v1/invitations', wanted), 403, 'session_required')
    const { invitation_id } = await ok(owner.call('POST', '/api/invitations', wanted), 201)
    await refused(call('DELETE', `/v1/invitations/${invitation_id}`), 403, 'session_required')
    await refused(call('POST', '/v1/invitations', { email, role: 'viewer' }), 403, 'session_required')
    const roles = await app.store.read
      .selectFrom('users')
      .select('role')
      .where('id', 'in', [second, viewer])
      .execute()
    assert.deepEqual(roles.map(({ role }) => role).sort(), ['owner', 'viewer'])
  })

  test('users and invitations of another account answer as absent ones', async () => {
    const other = await createTenant(app.store)
    const foreign = await add('viewer', other.account.id)
    const elsewhere = by(await managementKey(app, { accountId: other.account.id }))
    const invited = await ok(elsewhere('POST', '/v1/invitations', { email: newEmail(), role: 'viewer' }), 201)
    const without = (id: string): string => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    for (const [door, call] of doors()) {
      for (const [method, path, body] of [
        ['PATCH', `${door}/people/${foreign}`, { role: 'admin' }],
        ['PATCH', `${door}/people/${foreign}`, { role: 'owner' }],
        ['DELETE', `${door}/people/${foreign}`, undefined],
        ['DELETE', `${door}/invitations/${invited.invitation_id}`, undefined],
      ] as const) {
        const answers = [path, without(path)].map((one) => refused(call(method, one, body), 404, 'not_found'))
        const [found, absent] = await Promise.all(answers)
        assert.deepEqual(found, absent)
      }
    }
    assert.ok((await ok(elsewhere('GET', '/v1/people'))).data.length === 1)
    assert.ok(
      !JSON.stringify((await by(manager)('GET', '/v1/invitations')).body).includes(invited.invitation_id),
    )
  })

  test('a link without mail is only for the operator and the keys that the operator creates', async () => {
    const tenant: Tenant = await createTenant(app.store)
    const wanted = { accountId: tenant.account.id, scopes: ['people:read', 'people:write'] as const }
    const [own, minted] = [
      by(await managementKey(app, wanted)),
      by(await managementKey(app, { ...wanted, createdBy: 'operator' })),
    ]
    const unsent = { email: newEmail(), role: 'viewer', notify: false }
    const known = { ...unsent, email: app.playground.dashboard_login.email }
    const absent = await refused(own('POST', '/v1/invitations', unsent), 422, 'validation_failed')
    assert.deepEqual(told(absent), ['not_permitted notify'])
    // A login in another account is not revealed.
    assert.deepEqual(await refused(own('POST', '/v1/invitations', known), 422, 'validation_failed'), absent)
    assert.deepEqual((await ok(own('GET', '/v1/invitations'))).data, [])
    assert.match((await ok(minted('POST', '/v1/invitations', unsent), 201)).url, /\?token=/)
    await refused(minted('POST', '/v1/invitations', known), 409, 'conflict')
  })

  test('the invitations of a key end with the key', async () => {
    const { secret, id } = await keyOfOwner()
    const { invitation_id } = await ok(
      by(secret)('POST', '/v1/invitations', { email: newEmail(), role: 'viewer' }),
      201,
    )
    assert.equal((await owner.call('DELETE', `/api/keys/${id}`)).status, 204)
    const { data } = await ok(owner.call('GET', '/api/invitations'))
    assert.ok(data.every((one: { invitation_id: string }) => one.invitation_id !== invitation_id))
  })

  async function keyOfOwner(): Promise<{ secret: string; id: string }> {
    const wanted = { kind: 'management', name: 'People', scopes: ['people:*'] }
    const { key, key_id } = await ok(owner.call('POST', '/api/keys', wanted), 201)
    return { secret: key, id: key_id }
  }

  test('scopes and roles decide: reading for viewers, changes for admins', async () => {
    const reader = by(await managementKey(app, { scopes: ['people:read'] }))
    await ok(reader('GET', '/v1/people'))
    await refused(reader('DELETE', '/v1/people/usr_x'), 403, 'scope_not_permitted')
    await refused(by(app.playground.sending_key)('GET', '/v1/people'), 403, 'key_kind_not_permitted')
    const email = newEmail()
    const password = 'a long password'
    await addUser(app.store, { account_id: accountId, email, name: null, role: 'viewer', password })
    const viewer = await Person.loggedIn(app, { email, password })
    await ok(viewer.call('GET', '/api/people'))
    await ok(viewer.call('GET', '/api/invitations'))
    await refused(viewer.call('POST', '/api/invitations', {}), 403, 'role_not_permitted')
  })

  test('wrong fields are named', async () => {
    const id = await add('viewer')
    for (const [method, path, body, problems] of [
      ['PATCH', `/v1/people/${id}`, { role: 'king' }, ['invalid_value role']],
      ['PATCH', `/v1/people/${id}`, {}, ['required role']],
      ['PATCH', `/v1/people/${id}`, { role: 'admin', name: 'x' }, ['unknown_field name']],
      ['POST', '/v1/invitations', { role: 'viewer' }, ['required email']],
      ['POST', '/v1/invitations', { email: 'nobody', role: 'viewer' }, ['invalid_email email']],
      [
        'POST',
        '/v1/invitations',
        { email: 'a@b.example', role: 'x', notify: 'no' },
        ['invalid_value role', 'invalid_type notify'],
      ],
    ] as const) {
      const problem = await refused(by(manager)(method, path, body), 422, 'validation_failed')
      assert.deepEqual(told(problem).sort(), [...problems].sort(), `${method} ${path}`)
    }
    await refused(by(manager)('PATCH', '/v1/people/x%00', { role: 'viewer' }), 404, 'not_found')
  })

  test('the audit log differs in the actor alone', async () => {
    const email = newEmail()
    for (const [door, call] of doors()) {
      const { invitation_id } = await ok(call('POST', `${door}/invitations`, { email, role: 'viewer' }), 201)
      assert.equal((await call('DELETE', `${door}/invitations/${invitation_id}`)).status, 204)
    }
    const entries = await until('four entries', async () => {
      const rows = await app.store.read
        .selectFrom('audit_log')
        .selectAll()
        .where('action', 'like', 'invitation.%')
        .orderBy('id', 'desc')
        .limit(4)
        .execute()
      return rows.length === 4 ? rows.reverse() : undefined
    })
    const bare = entries.map(({ id: _, at: __, actor: ___, user_id: ____, target, ...entry }) => ({
      ...entry,
      target: target?.slice(0, 4),
    }))
    assert.deepEqual(bare.slice(0, 2), bare.slice(2))
    assert.match(entries[0]?.actor ?? '', /^key Management \(…/)
    assert.equal(entries[2]?.actor, app.playground.dashboard_login.email)
  })
})
