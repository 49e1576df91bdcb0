// Tests the status codes of POST /v1/erasures, with the whole service.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { eraseAddress } from './erase.ts'

describe('erasing an address', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  test('200 with a receipt; the message is erased, for this domain only', async () => {
    const id = await app.send({ to: [{ email: 'Jo+a@c.example' }] })
    await app.messageIn(id, 'delivered')
    const stranger = await createTenant(app.store, { domain: 'stranger.test' })
    const body = { email: 'jo+A@C.example' }
    const authorization = `Bearer ${stranger.sendingKey}`
    const foreign = await app.call('POST', '/v1/erasures', body, { authorization })
    assert.deepEqual([foreign.status, foreign.body.rows.messages], [200, undefined])
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).status, 200)
    const erased = await app.call('POST', '/v1/erasures', body)
    assert.deepEqual([erased.status, erased.body.rows.messages], [200, 1])
    assert.deepEqual(erased.body.kept, {
      webhook_deliveries: 'Deliveries of webhooks, whose answers may quote payloads, end after 7 days.',
      audit_log: 'The audit log keeps actors and actions for 365 days.',
    })
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).status, 404)
  })

  test('410 reports that an erasure removed the content of a message with other recipients', async () => {
    const id = await app.send({ to: [{ email: 'shared@c.example' }, { email: 'other@c.example' }] })
    await app.messageIn(id, 'delivered')
    const { status } = await app.call('POST', '/v1/erasures', { email: 'shared@c.example' })
    assert.equal(status, 200)
    for (const path of ['?include=content', '/raw']) {
      const gone = await app.call('GET', `/v1/messages/${id}${path}`)
      assert.equal(gone.status, 410)
      assert.match(gone.body.detail, /was removed: the data of one of its recipients was erased\.$/)
    }
  })

  test('409 while a message waits', async () => {
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const id = await app.send({ to: [{ email: 'later@c.example' }], send_at })
    const { status, body } = await app.call('POST', '/v1/erasures', { email: 'later@c.example' })
    assert.deepEqual([status, body.code], [409, 'conflict'])
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).status, 200)
  })

  test('an account erases one address at a time, whatever another account does', async () => {
    const underWay = new Map<string, number>()
    let most = 0
    const { handler } = eraseAddress(async ({ accountId }) => {
      const inside = (underWay.get(accountId) ?? 0) + 1
      underWay.set(accountId, inside)
      most = Math.max(most, inside)
      // The erasure of the other account starts while the first erasure is running.
      await until('both erasures are running', () => underWay.size === 2)
      underWay.set(accountId, inside - 1)
      return { erased_at: '', rows: {}, kept: {} }
    })
    const ask = (accountId: string) =>
      handler({ caller: { sender: { accountId } }, body: { email: 'jo@c.example' } } as never, {} as never)
    await Promise.all(['one', 'one', 'one', 'other'].map(ask))
    assert.equal(most, 1)
  })

  test('422 for an invalid address, 403 for a Verification key', async () => {
    const { status, body } = await app.call('POST', '/v1/erasures', { email: 'nobody' })
    assert.deepEqual([status, body.errors[0].path], [422, 'email'])
    const authorization = `Bearer ${app.playground.verification_key}`
    const refused = await app.call('POST', '/v1/erasures', { email: 'a@b.example' }, { authorization })
    assert.equal(refused.status, 403)
  })
})
