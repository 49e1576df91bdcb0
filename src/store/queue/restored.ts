// The queue of a restored store: carries over recipients that ended after the backup, and holds all other recipients.

import { holdOf } from '../../model/queue-state.ts'
import { isFinal } from '../../model/recipient.ts'
import { isInbox } from '../../model/test-inbox.ts'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows, findRows, insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { logEvent } from '../events/event-log.ts'
import { deriveMessageStatuses } from '../messages/history.ts'

const KEY = ['message_id', 'position'] as const
type Key = Pick<Tables['queue'], (typeof KEY)[number]>

/**
 * A recipient in the queue of the restored store; without a hold, the restored store would attempt this recipient
 * again.
 */
export type QueuedRow = Key & Pick<Tables['queue'], 'stream' | 'state' | 'due_at' | 'waits_for'>

/** Returns recipients in the queue in the order of their keys, after the key `after`. */
export function listQueued(read: Read, limit: number, after: Key | undefined): Promise<QueuedRow[]> {
  let query = read
    .selectFrom('queue')
    .select([...KEY, 'stream', 'state', 'due_at', 'waits_for'])
    .orderBy('message_id')
    .orderBy('position')
    .limit(limit)
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('message_id', 'position'), '>', tuple(after.message_id, after.position)),
    )
  }
  return query.execute()
}

/** A recipient that ended in the earlier store, with its history in that store. */
export interface EndedBefore {
  readonly stream: string
  readonly recipient: Tables['recipients']
  readonly attempts: readonly Tables['attempts'][]
  readonly events: readonly Tables['events'][]
}

/** State of recipients in the earlier store: the ended recipients, and the keys of the waiting recipients. */
export interface FateBefore {
  readonly ended: readonly EndedBefore[]
  readonly waiting: readonly string[]
}

export const nameOf = ({ message_id, position }: Key): string => `${message_id} ${position}`

/** Looks up recipients in the earlier store; returns empty lists if the earlier store cannot be read. */
export async function fateBefore(before: Read | undefined, rows: readonly QueuedRow[]): Promise<FateBefore> {
  if (before === undefined) return { ended: [], waiting: [] }
  const keys = rows.map(({ message_id, position }) => ({ message_id, position }))
  const streams = new Map(rows.map((row) => [nameOf(row), row.stream]))
  const [queued, found] = await Promise.all([
    findRows(before, 'queue', KEY, keys, ['message_id', 'position']),
    findRows(before, 'recipients', KEY, keys),
  ])
  const final = found.filter(({ status }) => isFinal(status))
  const [attempts, events] = await Promise.all([
    findRows(before, 'attempts', KEY, final.map(keyOf)),
    findRows(
      before,
      'events',
      ['message_id', 'email'],
      final.map(({ message_id, email }) => ({ message_id, email })),
    ),
  ])
  return {
    waiting: queued.map(nameOf),
    ended: final.map((recipient) => ({
      stream: streams.get(nameOf(recipient)) as string,
      recipient,
      attempts: attempts.filter((one) => nameOf(one) === nameOf(recipient)),
      events: events.filter(
        (one) => one.message_id === recipient.message_id && one.email === recipient.email,
      ),
    })),
  }
}

const keyOf = ({ message_id, position }: Key): Key => ({ message_id, position })

/**
 * Ends recipients with the statuses that the recipients have in the earlier store, and copies the attempts and events.
 */
export async function carryOver(
  db: Database,
  items: readonly { readonly ended: readonly EndedBefore[]; readonly now: number }[],
): Promise<true[]> {
  for (const { ended, now } of items) {
    await deleteRows(
      db,
      'queue',
      KEY,
      ended.map(({ recipient }) => keyOf(recipient)),
    )
    await updateRows(
      db,
      'recipients',
      KEY,
      ended.map(({ recipient }) => {
        const { status, attempts, last_event_at, smtp_code, smtp_response, mx } = recipient
        return { ...keyOf(recipient), status, attempts, last_event_at, smtp_code, smtp_response, mx }
      }),
    )
    await insertRows(
      db,
      'attempts',
      ended.flatMap(({ attempts }) => attempts),
      'on conflict do nothing',
    )
    for (const one of ended) await keepEventsOf(db, one)
    const messages = new Map(ended.map(({ recipient }) => [recipient.message_id, recipient.domain_id]))
    await deriveMessageStatuses(db, messages, now)
  }
  return items.map(() => true)
}

/** Adds the events that the backup lacks, and logs these events for statistics. */
async function keepEventsOf(db: Database, { stream, recipient, events }: EndedBefore): Promise<void> {
  const kept = await db
    .selectFrom('events')
    .select('id')
    .where('message_id', '=', recipient.message_id)
    .where(
      'id',
      'in',
      events.map(({ id }) => id),
    )
    .execute()
  const known = new Set(kept.map(({ id }) => id))
  const added = events.filter(({ id }) => !known.has(id))
  await insertRows(db, 'events', added)
  for (const { id, message_id: messageId, account_id: accountId, domain_id: domainId, type, at } of added) {
    logEvent(db, {
      ...{ id, messageId, accountId, domainId, stream, type, at },
      ...{ createdAt: null, words: null, tag: null, size: null, uncounted: isInbox(recipient.destination) },
    })
  }
}

/** Holds recipients until an operator resumes or cancels their delivery. */
export async function holdRestored(
  db: Database,
  items: readonly {
    readonly rows: readonly (Key & Pick<Tables['queue'], 'possible_duplicate'>)[]
    /** Time of the restore, which identifies the restore. */
    readonly time: string
  }[],
): Promise<true[]> {
  for (const { rows, time } of items) {
    const held = { state: 'held' as const, waits_for: holdOf('restored', time), renewed: 0 }
    await updateRows(
      db,
      'queue',
      KEY,
      rows.map((row) => ({ ...row, ...held })),
      { clear: ['due_at', 'lease', 'lease_until', 'active_since'] },
    )
    const scheduled = await findRows(db, 'recipients', KEY, rows.map(keyOf), [
      'message_id',
      'position',
      'status',
    ])
    await updateRows(
      db,
      'recipients',
      KEY,
      scheduled
        .filter(({ status }) => status === 'scheduled')
        .map((row) => ({ ...keyOf(row), status: 'queued' as const })),
    )
  }
  return items.map(() => true)
}

/** Returns the ID of the newest message of a store, by the time in the ID; undefined if the store has no messages. */
export const newestMessage = async (read: Read): Promise<string | undefined> =>
  (
    await read
      .selectFrom('recipients')
      .select('message_id')
      .orderBy('message_id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.message_id

/** Returns the number of messages with an ID after this ID. */
export async function countMessagesAfter(read: Read, id: string): Promise<number> {
  const row = await read
    .selectFrom('recipients')
    .select(({ fn }) => fn.count<number>('message_id').distinct().as('messages'))
    .where('message_id', '>', id)
    .executeTakeFirstOrThrow()
  return Number(row.messages)
}
