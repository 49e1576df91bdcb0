// Notes of deliveries: all but the one whose outcome is on its way alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claim, createOwner, finish, messageTo } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { until } from '../../test/support/test-clock.ts'
import { acceptMessage } from '../store/messages/messages.ts'
import { DeliveryNotes } from './delivery-notes.ts'

test('a delivery is noted while the outcome of another one is written, until its own is', async () => {
  const store = await openTestStore('postgres')
  const owner = await createOwner(store)
  await store.write(acceptMessage, messageTo(owner, ['a@x.example', 'b@x.example', 'c@x.example']))
  const { recipients } = await claim(store)
  const notes = new DeliveryNotes(store)
  const noted = async (): Promise<number[]> => {
    const rows = await store.read.selectFrom('delivery_notes').select('position').execute()
    return rows.map(({ position }) => position).toSorted()
  }
  const deliver = (position: number) => {
    const claimed = recipients.find((one) => one.position === position)!
    const attempt = { startedAt: 0, durationMs: 1, transcript: '' }
    const isWritten = notes.begin({ claimed, lease: claimed.lease, attempt, now: 1 })
    return async (): Promise<void> => {
      await finish(store, claimed, 'delivered')
      isWritten()
    }
  }
  const [first, second] = [deliver(0), deliver(1)]
  await until('the second one is noted', async () => (await noted()).length > 0)
  assert.deepEqual(await noted(), [1])
  await Promise.all([first(), second()])
  await until('the note is removed', async () => (await noted()).length === 0)
  await deliver(2)()
  await notes.flush()
  assert.deepEqual(await noted(), [], 'alone again')
  await store.close()
})
