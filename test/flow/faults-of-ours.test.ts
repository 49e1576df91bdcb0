// A message that the service cannot deliver because of its own fault is retried by the schedule, fails with a reason
// after the last retry, and affects no other message.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../support/app.ts'
import { changeRow } from '../support/store.ts'
import { TestClock } from '../support/test-clock.ts'

const MINUTE = 60_000

describe('a message that the service cannot deliver', () => {
  let app: TestApp
  afterEach(() => app.stop())

  /** Damages the DKIM key that signs mail; returns a function that restores the key. */
  async function breakKey(): Promise<() => Promise<void>> {
    const [key] = await app.store.read
      .selectFrom('dkim_keys')
      .selectAll()
      .where('algorithm', '=', 'rsa-sha256')
      .execute()
    assert.ok(key)
    const write = (value: string) =>
      changeRow(app.storage, 'update dkim_keys set private_key = $1 where id = $2', [value, key.id])
    await write('broken')
    return () => write(key.private_key)
  }

  test('is retried by its schedule, and is delivered when the fault is repaired', async () => {
    const clock = new TestClock()
    app = await TestApp.start({ clock, env: { POSTRIDER_RETRY_SCHEDULE: '1m,1m,1m,1m,1m,1m' } })
    const mend = await breakKey()
    const id = await app.send()
    for (let tries = 0; tries < 4; tries++) await app.advance(1.2 * MINUTE)
    const deferred = await app.messageIn(id, 'deferred')
    const last = deferred.events.findLast(({ type }: { type: string }) => type === 'deferred')
    assert.match(last.detail.reason, /An internal error occurred/)
    await mend()
    await app.stopNode()
    await app.startNode()
    await app.advance(1.2 * MINUTE)
    await app.messageIn(id, 'delivered')
  })

  test('fails with a reason when its schedule is used up', async () => {
    const clock = new TestClock()
    app = await TestApp.start({ clock, env: { POSTRIDER_RETRY_SCHEDULE: '1m,1m,1m' } })
    await breakKey()
    const id = await app.send()
    for (let tries = 0; tries < 5; tries++) await app.advance(1.2 * MINUTE)
    const failed = await app.messageIn(id, 'failed')
    assert.match(failed.events.at(-1).detail.reason, /Given up after 4 attempts. An internal error occurred/)
  })

  test('fails if its stored content is damaged, and affects no other message', async () => {
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
