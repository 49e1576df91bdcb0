// Writes a long queue into a store: most recipients are due, some are deferred, and some are at paused destinations.

import { type AcceptMessage, acceptMessage } from '../../src/store/accepting/accept-message.ts'
import type { Store } from '../../src/store/database/store.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { pauseQueue } from '../../src/store/queue/queue-control.ts'
import { claim, finish, messageTo } from '../../test/support/queued.ts'
import { envelope, requestBody } from './message.ts'
import { COUNTER, Stamped } from './stamped.ts'

/** Fraction of the recipients whose destination is paused. */
const PAUSED = 0.1
/** Fraction of the recipients that are deferred. */
const DEFERRED = 0.2
/** Number of concurrent writes, large enough for large commits. */
const AT_ONCE = 2_048
const HOUR_MS = 3_600_000

/**
 * Fills the queue of the playground's domain with `count` messages of one recipient each. The rows have the same
 * states as in a queue that a worker has claimed from: paused and deferred recipients are marked as held or deferred.
 */
export async function fillQueue(store: Store, count: number, destinations: readonly string[]): Promise<void> {
  const owner = await playgroundOwner(store)
  const paused = destinations.slice(0, Math.ceil(destinations.length * PAUSED))
  const open = destinations.slice(paused.length)
  for (const value of paused) {
    await store.write(pauseQueue, { kind: 'destination', value, created_at: Date.now() })
  }
  const deferredFrom = Math.round(count * PAUSED)
  const dueFrom = deferredFrom + Math.round(count * DEFERRED)
  await accept(store, owner, 0, deferredFrom, paused)
  while ((await claim(store, everything())).more);
  await accept(store, owner, deferredFrom, dueFrom, open)
  await deferAll(store)
  await accept(store, owner, dueFrom, count, open)
}

async function playgroundOwner(store: Store): Promise<Owner> {
  const { id, account_id } = await store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .executeTakeFirstOrThrow()
  return { accountId: account_id, domainId: id }
}

const everything = () => ({ now: Date.now(), limit: 1_000, bytes: Number.MAX_SAFE_INTEGER })

/** Accepts the messages whose numbers are from `first` (inclusive) to `end` (exclusive). */
async function accept(
  store: Store,
  owner: Owner,
  first: number,
  end: number,
  destinations: readonly string[],
): Promise<void> {
  const bodies = destinations.map((destination) => new Stamped(requestBody(destination)))
  for (let from = first; from < end; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, end - from) }, (_, index) => {
      const at = (from + index) % destinations.length
      return messageOf(owner, from + index, destinations[at]!, bodies[at]!)
    })
    await Promise.all(batch.map((message) => store.write(acceptMessage, message)))
  }
}

function messageOf(owner: Owner, counter: number, destination: string, body: Stamped): AcceptMessage {
  const now = Date.now()
  body.stamp(counter, now)
  const { message, recipients, ...rest } = messageTo(owner, [
    envelope(destination).to.replace(COUNTER, String(counter).padStart(COUNTER.length, '0')),
  ])
  return {
    ...rest,
    message: { ...message, size: body.bytes.length, created_at: now },
    content: body.bytes.toString(),
    recipients: recipients.map((recipient) => ({ ...recipient, startTag: now })),
  }
}

/** Claims all ready recipients, and defers these recipients by one to seven hours. */
async function deferAll(store: Store): Promise<void> {
  for (let more = true; more; ) {
    const claimed = await claim(store, everything())
    const next = (index: number): number => Date.now() + HOUR_MS + ((index * 7_919) % (6 * HOUR_MS))
    await Promise.all(claimed.recipients.map((one, index) => finish(store, one, 'deferred', next(index))))
    more = claimed.more
  }
}
