// Notes of deliveries: they are taken for the ends of attempts when the lease of the node that made them has ended.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import {
  claim,
  createOwner,
  finish,
  type Held,
  messageTo,
  NOW,
  takeOver,
} from '../../../test/support/queued.ts'
import { openTestStore } from '../../../test/support/store.ts'
import type { Store } from '../database/store.ts'
import { acceptMessage, findMessage, type Owner } from '../messages/messages.ts'
import { clearDeliveryNotes, forgetDeliveryNotes, noteDelivery } from './delivery-notes.ts'

let store: Store
let owner: Owner
beforeEach(async () => {
  store = await openTestStore('postgres')
  owner = await createOwner(store)
})
afterEach(() => store.close())

/** Messages to these addresses, claimed by a node. */
async function claimed(emails: readonly string[]): Promise<readonly Held[]> {
  await Promise.all(emails.map((email) => store.write(acceptMessage, messageTo(owner, [email]))))
  const { recipients } = await claim(store)
  return [...recipients].sort((a, b) => (a.email < b.email ? -1 : 1))
}
const ATTEMPT = {
  ...{ startedAt: NOW, durationMs: 5, mx: 'mx.example', address: '192.0.2.1', transcript: 'secret' },
  reply: { code: 250, text: 'Taken' },
}
const note = (held: Held, lease = held.lease): Promise<true> =>
  store.write(noteDelivery, { claimed: held, lease, attempt: ATTEMPT, now: NOW + 5 })
const notes = () => store.read.selectFrom('delivery_notes').selectAll().execute()

test('a recipient whose delivery was noted is not attempted again: its outcome is written', async () => {
  const [noted, other] = (await claimed(['a@x.example', 'b@x.example'])) as [Held, Held]
  await note(noted)
  const again = await takeOver(store)
  assert.deepEqual(
    again.map(({ email, faults }) => [email, faults]),
    [[other.email, 1]],
  )
  const found = await findMessage(store.read, owner, noted.messageId)
  assert.deepEqual(
    [found?.message.status, found?.recipients[0]?.smtp_response, found?.recipients[0]?.mx],
    ['delivered', 'Taken', 'mx.example'],
  )
  const events = await store.read
    .selectFrom('events')
    .select(['type', 'at', 'email'])
    .where('message_id', '=', noted.messageId)
    .where('type', '=', 'delivered')
    .execute()
  assert.deepEqual(events, [{ type: 'delivered', at: NOW + 5, email: 'a@x.example' }])
  assert.deepEqual(await notes(), [])
  assert.equal(await finish(store, noted, 'delivered'), false, 'a node that was not gone comes too late')
})

test('a note counts for the lease that it was made under alone', async () => {
  const [held] = (await claimed(['a@x.example'])) as [Held]
  await note(held, 'nod_before.1')
  assert.deepEqual(
    (await takeOver(store)).map(({ email }) => email),
    ['a@x.example'],
  )
})

test('notes have neither addresses nor dialogs in them, and go when the outcome is written', async () => {
  const [one, two, three] = (await claimed(['a@x.example', 'b@x.example', 'c@x.example'])) as [
    Held,
    Held,
    Held,
  ]
  for (const held of [one, two, three]) await note(held)
  assert.doesNotMatch(JSON.stringify(await notes()), /@|secret/)
  await finish(store, one, 'delivered')
  await store.write(forgetDeliveryNotes, [{ claimed: one }])
  assert.deepEqual(
    (await notes()).map(({ message_id }) => message_id).toSorted(),
    [two.messageId, three.messageId].toSorted(),
  )
  await finish(store, two, 'delivered')
  await store.write(clearDeliveryNotes, {})
  assert.deepEqual(
    (await notes()).map(({ message_id }) => message_id),
    [three.messageId],
    'one whose process ended before it could remove its note',
  )
})
