// The limit of stored bytes applies over HTTP and SMTP, by a setting and for an account; the refusal names the remedy,
// and accounts do not affect each other.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { changeAccount } from '../../src/store/access/accounts.ts'
import { readStoredBytes } from '../../src/store/messages/stored-bytes.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import { TestClock, until } from '../support/test-clock.ts'

const LIMIT = 10_000
const TEXT = 'x'.repeat(4_000)

describe('stored bytes', () => {
  const clock = new TestClock(Date.now())
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      clock,
      env: { POSTRIDER_STORED_BYTES_PER_ACCOUNT: String(LIMIT), POSTRIDER_SMTPS_PORT: '0' },
    })
  })
  after(() => app.stop())

  const request = ({ domain }: Tenant, text = TEXT): object => ({
    from: `a@${domain.name}`,
    to: [{ email: 'you@receiver.example' }],
    subject: 'Hello',
    text,
  })
  const post = (tenant: Tenant, body: object, path = '/v1/messages', headers = {}): Promise<Answer> =>
    app.call('POST', path, body, { authorization: `Bearer ${tenant.sendingKey}`, ...headers })
  const send = (tenant: Tenant, headers = {}): Promise<Answer> =>
    post(tenant, request(tenant), '/v1/messages', headers)

  async function sendBySmtp(tenant: Tenant): Promise<string> {
    const client = await RawSmtpClient.loggedIn(app.app.smtpsPort as number, tenant)
    const from = `a@${tenant.domain.name}`
    const reply = await client.deliver(
      from,
      ['you@receiver.example'],
      `From: ${from}\r\n\r\n${'x'.repeat(900)}`,
    )
    client.vanish()
    return reply
  }

  /** Waits until the store counts at least this many bytes, and until cached counts have expired. */
  async function counted(tenant: Tenant, bytes: number): Promise<void> {
    const stored = (): Promise<number> => readStoredBytes(app.store.read, tenant.account.id)
    await until(`${bytes} are counted`, async () => (await stored()) >= bytes)
    await app.advance(1_001)
  }

  test('are refused beyond the limit with 403 that names it, and earlier answers stay', async () => {
    const tenant = await createTenant(app.store, { clock })
    const key = { 'idempotency-key': 'once' }
    const first = await send(tenant, key)
    assert.equal(first.status, 202)
    assert.equal((await send(tenant)).status, 202)
    const { status, body } = await send(tenant)
    assert.deepEqual([status, body.code], [403, 'sending_allowance_exhausted'])
    assert.match(
      body.detail,
      /take 8\d{3} of 10000 bytes, .* ask the operator to raise the limit of stored bytes/,
    )
    const again = await send(tenant, key)
    assert.deepEqual([again.status, again.body.message_id], [202, first.body.message_id])
    assert.equal((await send(tenant, { 'idempotency-key': 'new' })).status, 403)
    const other = await post(tenant, request(tenant, 'Another'), '/v1/messages', key)
    assert.deepEqual([other.status, other.body.errors[0].code], [422, 'key_reused'])
    // A message that fits within the limit is still accepted.
    assert.equal((await post(tenant, request(tenant, 'Short'))).status, 202)
    const neighbour = await createTenant(app.store, { clock })
    assert.equal((await send(neighbour)).status, 202)
  })

  test('never exceed the limit by concurrent messages', async () => {
    const tenant = await createTenant(app.store, { clock })
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(tenant)))
    assert.equal(answers.filter(({ status }) => status === 202).length, 2)
    assert.equal(answers.filter(({ status }) => status === 403).length, 18)
  })

  test('equal those of the store as soon as the cached read is a second old', async () => {
    const tenant = await createTenant(app.store, { clock })
    assert.equal((await send(tenant)).status, 202)
    await app.stopNode()
    await app.startNode()
    assert.equal((await send(tenant)).status, 202)
    await counted(tenant, 8_000)
    assert.equal((await send(tenant)).status, 403)
  })

  test('are refused over SMTP with 550 5.7.1', async () => {
    const tenant = await createTenant(app.store, { clock, storedBytes: 1_500 })
    assert.match(await sendBySmtp(tenant), /^250 /)
    assert.match(
      await sendBySmtp(tenant),
      /^550 5\.7\.1 The stored messages of this account take \d+ of 1500 bytes/,
    )
    assert.equal((await send(tenant)).status, 403)
  })

  test('exclude messages that the allowance did not cover', async () => {
    const tenant = await createTenant(app.store, { clock, allowance: 1 })
    const { body } = await post(tenant, [request(tenant), request(tenant)], '/v1/messages/batch')
    assert.deepEqual(
      body.data.map((one: { status?: string; error?: { code: string } }) => one.status ?? one.error?.code),
      ['queued', 'sending_allowance_exhausted'],
    )
    const changes = { sending_allowance: 1 }
    await app.store.write(changeAccount, { id: tenant.account.id, changes, now: clock.now() })
    assert.equal((await send(tenant)).status, 202)
  })

  test('never exceed the limit by concurrent batches', async () => {
    const tenant = await createTenant(app.store, { clock })
    const batch = Array.from({ length: 2 }, () => request(tenant))
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(tenant, batch, '/v1/messages/batch')),
    )
    const accepted = answers.flatMap(({ body }) =>
      body.data.filter(({ status }: { status?: string }) => status === 'queued'),
    )
    assert.equal(accepted.length, 2)
  })

  test('let the part of a batch that fits pass', async () => {
    const tenant = await createTenant(app.store, { clock })
    const { status, body } = await post(
      tenant,
      [request(tenant), request(tenant), request(tenant), request(tenant, 'Short')],
      '/v1/messages/batch',
    )
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map((one: { status?: string; error?: { code: string } }) => one.status ?? one.error?.code),
      ['queued', 'queued', 'sending_allowance_exhausted', 'queued'],
    )
    assert.equal((await send(tenant)).status, 403)
  })

  test('have a limit by account, which replaces the setting', async () => {
    const tenant = await createTenant(app.store, { clock, storedBytes: 0 })
    assert.equal((await send(tenant)).status, 403)
    const id = tenant.account.id
    await app.store.write(changeAccount, { id, changes: { stored_bytes_limit: 1_000_000 }, now: clock.now() })
    await until('the new limit is noticed', async () => (await send(tenant)).status === 202)
    for (let more = 0; more < 4; more++) assert.equal((await send(tenant)).status, 202)
  })
})
