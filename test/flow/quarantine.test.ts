// What our own side cannot deliver is tried three times and then waits for the operator, not for ever anew.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { silentLog } from '../../src/lib/log.ts'
import { openStore } from '../../src/store/store.ts'
import { TestApp } from '../support/app.ts'
import { changeRow } from '../support/store.ts'
import { pass, TestClock, until } from '../support/test-clock.ts'

const MINUTE = 60_000

describe('a message that our side cannot deliver', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test('is held back after three tries, and goes when the fault is mended and it is retried', async () => {
    const clock = new TestClock()
    app = await TestApp.start({ clock, env: { POSTRIDER_RETRY_SCHEDULE: '1m,1m,1m,1m,1m,1m' } })
    const [key] = await app.store.read
      .selectFrom('dkim_keys')
      .selectAll()
      .where('algorithm', '=', 'rsa-sha256')
      .execute()
    assert.ok(key)
    await changeRow(app.storage, 'update dkim_keys set private_key = $1 where id = $2', ['broken', key.id])
    const id = await app.send()
    const lane = async (): Promise<string | null | undefined> =>
      (
        await app.store.read
          .selectFrom('recipients')
          .select('lane')
          .where('message_id', '=', id)
          .executeTakeFirst()
      )?.lane
    for (let minutes = 0; minutes < 6 && (await lane()) !== 'quarantine'; minutes++)
      await pass(clock, 1.2 * MINUTE)
    await until('it is in quarantine', async () => {
      clock.advance(1_000)
      return (await lane()) === 'quarantine'
    })
    const held = await app.messageIn(id, 'deferred')
    assert.match(held.events.at(-1).detail.reason, /Held back after three attempts/)
    assert.equal(held.events.filter((event: { type: string }) => event.type === 'sending').length, 3)
    const healthy = await app.send({ to: [{ email: 'x@receiver.example' }] })
    await app.messageIn(healthy, 'deferred')
    await changeRow(app.storage, 'update dkim_keys set private_key = $1 where id = $2', [
      key.private_key,
      key.id,
    ])
    await app.stopNode()
    await app.startNode()
    const store = await openStore({ ...app.storage, log: silentLog })
    await store.write('retryRecipients', { selection: { messageId: id }, now: clock.now() })
    await store.close()
    // To the next look at the queue, and not over the end of the lease.
    await pass(clock, 5_000)
    await app.messageIn(id, 'delivered')
  })

  test('because its stored content is damaged has failed, and harms no other', async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    const id = await app.send()
    const good = await app.send({ to: [{ email: 'good@receiver.example' }] })
    await changeRow(app.storage, 'update message_contents set content = $1 where message_id = $2', [
      Buffer.from('{'),
      id,
    ])
    await app.stopNode()
    await app.startNodeWith({})
    await app.messageIn(id, 'failed')
    await app.messageIn(good, 'delivered')
  })
})
