// Tests the status codes of the operator's dashboard: accounts, credits, the queue, nodes and health.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'
import { createTenant } from '../../../../test/support/tenant.ts'
import { until } from '../../../../test/support/test-clock.ts'
import { addUser } from '../../../../test/support/users.ts'
import type { ListedAccount } from '../../contract/accounts.ts'
import type { HealthView } from '../../contract/dashboard-operator.ts'

describe("the operator's dashboard", () => {
  let app: TestApp
  let operator: Person
  before(async () => {
    app = await TestApp.start()
    operator = await Person.loggedIn(app)
  })
  after(() => app.stop())

  const accounts = async (): Promise<ListedAccount[]> =>
    (await operator.call('GET', '/api/accounts?limit=200')).body.data

  test('201 creates an account whose owner is invited', async () => {
    const { status, body } = await operator.call('POST', '/api/accounts', {
      name: 'Newcomers',
      owner_email: 'New@Example.ORG',
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body.name, body.status, body.sending_allowance], ['Newcomers', 'active', null])
    assert.deepEqual([body.invitation.email, body.invitation.role], ['new@example.org', 'owner'])
    const token = new URL(body.invitation.url).searchParams.get('token')
    const owner = new Person(app)
    const accepted = await owner.call('POST', '/api/invitations/accept', {
      token,
      name: 'New',
      password: 'correct horse battery',
    })
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
    const session = (await owner.call('GET', '/api/session')).body
    assert.deepEqual(
      [session.account.account_id, session.user.role, session.user.operator],
      [body.account_id, 'owner', false],
    )
    const [newest] = await accounts()
    assert.deepEqual([newest?.account_id, newest?.users, newest?.domains], [body.account_id, 1, 0])
    assert.equal((await owner.call('GET', '/api/accounts')).status, 403)
    const again = { name: 'Again', owner_email: 'new@example.org' }
    assert.equal((await operator.call('POST', '/api/accounts', again)).status, 409)
    assert.equal((await accounts()).length, 2)
    const bad = await operator.call('POST', '/api/accounts', { name: 'X', owner_email: 'x' })
    assert.deepEqual([bad.status, bad.body.errors[0].path], [422, 'owner_email'])
  })

  test('a suspended account cannot send, and an allowance is enforced', async () => {
    const tenant = await createTenant(app.store)
    const path = `/api/accounts/${tenant.account.id}`
    const send = (email = 'to@receiver.example') =>
      app.call(
        'POST',
        '/v1/messages',
        { from: `a@${tenant.domain.name}`, to: [{ email }], subject: 'S', text: 'T' },
        { authorization: `Bearer ${tenant.sendingKey}` },
      )
    const becomes = async (code: string | undefined): Promise<void> => {
      await until(`it is ${code}`, async () => (await send()).body.code === code)
    }
    assert.equal((await send()).status, 202)
    const { body } = await operator.call('PATCH', path, { status: 'suspended' })
    assert.equal(body.status, 'suspended')
    await becomes('account_suspended')
    await operator.call('PATCH', path, { status: 'active', sending_allowance: 0 })
    await becomes('sending_allowance_exhausted')
    await operator.call('PATCH', path, { sending_allowance: null })
    await becomes(undefined)
    const limited = await operator.call('PATCH', path, { stored_bytes_limit: 0 })
    assert.equal(limited.body.stored_bytes_limit, 0)
    await becomes('sending_allowance_exhausted')
    await operator.call('PATCH', path, { stored_bytes_limit: null })
    await becomes(undefined)
    assert.equal((await operator.call('PATCH', path, {})).body.sending_allowance, null)
    for (const wrong of [
      { sending_allowance: -1 },
      { status: 'x' },
      { operates: true },
      { sending_allowance: 1.5 },
      { stored_bytes_limit: -1 },
      { stored_bytes_limit: 1e15 },
    ]) {
      assert.equal((await operator.call('PATCH', path, wrong)).status, 422, JSON.stringify(wrong))
    }
    assert.equal((await operator.call('PATCH', '/api/accounts/acc_x', { status: 'active' })).status, 404)
  })

  test('the operating account cannot be suspended', async () => {
    const own = (await accounts()).find((account) => account.operates)
    const path = `/api/accounts/${own?.account_id}`
    const { status, body } = await operator.call('PATCH', path, { status: 'suspended' })
    assert.deepEqual([status, body.code], [409, 'conflict'])
  })

  test('credits are granted with a note, and the log names the operator', async () => {
    const tenant = await createTenant(app.store)
    const path = `/api/accounts/${tenant.account.id}/credits`
    const first = await operator.call('POST', path, { credits: 100, note: 'Order 7' })
    assert.deepEqual([first.status, first.body.verification_credits], [200, 100])
    assert.equal((await operator.call('POST', path, { credits: 5 })).body.verification_credits, 105)
    for (const credits of [0, 1.5, 1e10, 'x']) {
      assert.equal((await operator.call('POST', path, { credits })).status, 422)
    }
    assert.equal((await operator.call('POST', '/api/accounts/acc_x/credits', { credits: 1 })).status, 404)
    const { body } = await operator.call('GET', '/api/audit?action=credits.grant')
    assert.ok(body.data.some((entry: { detail: { note?: string } }) => entry.detail.note === 'Order 7'))
  })

  test('the list of accounts comes in pages', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await operator.call('GET', `/api/accounts?limit=1${query}`)
      seen.push(...body.data.map((account: ListedAccount) => account.account_id))
      cursor = body.next_cursor
    }
    assert.deepEqual(
      seen,
      (await accounts()).map((account) => account.account_id),
    )
    assert.equal((await operator.call('GET', '/api/accounts?cursor=x')).status, 400)
  })

  test('the queue of all accounts, with a login instead of the token', async () => {
    const note = 'Their postmaster asked for a break'
    const paused = await operator.call('POST', '/api/operator/queue/pause', {
      destination: 'held.example',
      note,
    })
    assert.deepEqual([paused.status, paused.body.paused], [200, true])
    const id = await app.send({ to: [{ email: 'you@held.example' }] })
    await until('it is held', async () => {
      const { body } = await operator.call('GET', '/api/operator/queue')
      return body.data.find((one: { destination: string }) => one.destination === 'held.example')?.paused
    })
    const { body: shown } = await operator.call('GET', `/api/operator/queue/messages/${id}`)
    assert.equal(shown.message_id, id)
    const { body: queue } = await operator.call('GET', '/api/operator/queue')
    const pause = queue.paused.find((one: { value: string }) => one.value === 'held.example')
    assert.equal(pause.note, note)
    const line = queue.data.find((one: { destination: string }) => one.destination === 'held.example')
    assert.equal(line.next_attempt_at, null)
    const { body: recipients } = await operator.call(
      'GET',
      '/api/operator/queue/recipients?destination=held.example',
    )
    const held = {
      ...{ by: 'operator', cause: 'destination_paused', value: 'held.example', since: pause.created_at },
      reason: 'The operator paused the destination held.example.',
    }
    assert.deepEqual(
      [recipients.data[0].held, recipients.data[0].next_attempt_at, shown.recipients[0].held],
      [{ ...held, note }, null, { ...held, note }],
    )
    // Senders see who holds the message, and not the note.
    const { body: message } = await app.call('GET', `/v1/messages/${id}`)
    assert.deepEqual([message.to[0].status, message.to[0].held], ['queued', held])
    const [domain] = (await operator.call('GET', '/api/domains')).body.data
    const retried = await operator.call('POST', `/api/domains/${domain.domain_id}/messages/${id}/retry`)
    assert.equal(retried.status, 409)
    assert.match(retried.body.detail, /is held.*The operator paused the destination held\.example\.$/)
    const { body: problems } = await operator.call('GET', '/api/problems')
    assert.partialDeepStrictEqual(problems.data, [
      { kind: 'queue_held', wording: 'held_destination_paused', values: { value: 'held.example' } },
    ])
    assert.equal(
      (await operator.call('POST', '/api/operator/queue/pause', { stream: 'x', note: 'y'.repeat(201) }))
        .status,
      422,
    )
    await operator.call('POST', '/api/operator/queue/resume', { destination: 'held.example' })
    await app.messageIn(id, 'delivered')
    assert.equal((await app.call('GET', '/v1/operator/queue')).status, 404)
    // The audit log names what was paused and resumed.
    const { body: log } = await operator.call('GET', '/api/audit?limit=2')
    assert.deepEqual(
      log.data.map(({ action, target }: Record<string, string>) => [action, target]),
      [
        ['queue.resume', 'held.example'],
        ['queue.pause', 'held.example'],
      ],
    )
  })

  test('the running nodes, and the health of the installation', async () => {
    // The list does not contain a node that a busy machine keeps from reporting.
    const body = await until('the node is among those that run', async () => {
      const { body: nodes } = await operator.call('GET', '/api/operator/nodes')
      return nodes.data.length === 1 ? nodes : undefined
    })
    assert.deepEqual([body.data[0].running, body.data[0].roles.includes('api')], [true, true])
    assert.match(body.data[0].version, /^\d+\.\d+\.\d+$/)
    const { event_loop, cpu, memory } = body.data[0].load
    assert.ok(event_loop >= 0 && event_loop <= 1 && cpu >= 0 && memory > 1_000_000, JSON.stringify(body))
    const first = (await operator.call('GET', '/api/operator/health')).body as HealthView
    const names = first.checks.map((check) => check.name)
    for (const name of [
      'node',
      'store',
      'durability',
      'clock',
      'disk',
      'SMTP certificate',
      'port 25',
      'block lists',
    ]) {
      assert.ok(names.includes(name), name)
    }
    // The PostgreSQL of the tests may run without fsync, which the check reports.
    const failing = first.checks.filter(({ name, status }) => status === 'fail' && name !== 'durability')
    assert.deepEqual(failing, [])
    const second = (await operator.call('GET', '/api/operator/health')).body as HealthView
    assert.equal(second.checked_at, first.checked_at)
  })

  test('403 for an owner of another account', async () => {
    const tenant = await createTenant(app.store)
    const login = { email: `owner@${tenant.domain.name}`, password: 'correct horse battery' }
    await addUser(app.store, { ...login, account_id: tenant.account.id, name: null, role: 'owner' })
    const owner = await Person.loggedIn(app, login)
    const ofOperator = ['nodes', 'health', 'queue', 'queue/recipients'].map((path) => `operator/${path}`)
    for (const path of ['accounts', ...ofOperator]) {
      const { status, body } = await owner.call('GET', `/api/${path}`)
      assert.deepEqual([status, body.code], [403, 'role_not_permitted'], path)
    }
  })
})
