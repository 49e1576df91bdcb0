// Notes of deliveries in a shared store, which outlive a node that is gone with its disk until the outcomes are written.

import { sql } from 'kysely'
import { type Attempt, DELIVERED } from '../../model/attempt.ts'
import { type Database, isPostgres } from '../database/dialect.ts'
import { deleteRows } from '../database/rows.ts'
import { type RecordOutcome, recordOutcome } from './outcomes.ts'

const KEY = ['message_id', 'position'] as const

interface Key {
  readonly message_id: string
  readonly position: number
}

/** A delivery, with the token of the lease under which it was made. */
export type Delivery = Pick<RecordOutcome, 'lease' | 'attempt' | 'now'> & {
  readonly claimed: Pick<RecordOutcome['claimed'], 'messageId' | 'position'>
}

const keyOf = ({ claimed }: Pick<Delivery, 'claimed'>): Key => ({
  message_id: claimed.messageId,
  position: claimed.position,
})

/**
 * Notes deliveries on PostgreSQL. Their outcomes have to follow, and then `forgetDeliveryNotes`. One statement without a
 * transaction: once it is sent, it counts, also when the node does not live to see the answer.
 */
export async function noteDelivery(db: Database, items: readonly Delivery[]): Promise<true[]> {
  const attempts = items.map(({ attempt }) => JSON.stringify({ ...attempt, transcript: '' }))
  await sql`insert into delivery_notes (message_id, position, lease, attempt, at)
    select unnest(${items.map(({ claimed }) => claimed.messageId)}::text[]),
      unnest(${items.map(({ claimed }) => claimed.position)}::int8[]), unnest(${items.map(({ lease }) => lease)}::text[]),
      unnest(${attempts}::text[]), unnest(${items.map(({ now }) => now)}::int8[])
    on conflict do nothing`.execute(db)
  return items.map(() => true)
}
noteDelivery.line = 'noting' as const
noteDelivery.unaudited = true
noteDelivery.isLoose = true

/** Forgets deliveries whose outcomes are written. */
export async function forgetDeliveryNotes(
  db: Database,
  items: readonly (readonly Pick<Delivery, 'claimed'>[])[],
): Promise<true[]> {
  await deleteRows(db, 'delivery_notes', KEY, items.flat().map(keyOf))
  return items.map(() => true)
}
forgetDeliveryNotes.line = 'noting' as const
forgetDeliveryNotes.unaudited = true
forgetDeliveryNotes.isLoose = true

/** Forgets the notes that processes have left behind whose outcomes were written. */
export async function clearDeliveryNotes(db: Database, items: readonly object[]): Promise<true[]> {
  await sql`delete from delivery_notes where not exists (
    select 1 from queue q where q.message_id = delivery_notes.message_id
      and q.position = delivery_notes.position and q.lease = delivery_notes.lease)`.execute(db)
  return items.map(() => true)
}
clearDeliveryNotes.line = 'noting' as const
clearDeliveryNotes.unaudited = true
clearDeliveryNotes.isLoose = true

/**
 * Writes the outcomes of those among these recipients whose delivery was noted under the lease that they are still
 * held by, and answers the others. The caller has locked them.
 */
export async function withoutDelivered<Row extends Key>(
  db: Database,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (!isPostgres(db) || rows.length === 0) return rows
  const ids = [...new Set(rows.map(({ message_id }) => message_id))]
  const noted = await db
    .selectFrom('delivery_notes as n')
    .innerJoin('queue as q', (join) =>
      join
        .onRef('q.message_id', '=', 'n.message_id')
        .onRef('q.position', '=', 'n.position')
        .onRef('q.lease', '=', 'n.lease'),
    )
    .innerJoin('recipients as r', (join) =>
      join.onRef('r.message_id', '=', 'n.message_id').onRef('r.position', '=', 'n.position'),
    )
    .innerJoin('messages as m', (join) =>
      join.onRef('m.domain_id', '=', 'q.domain_id').onRef('m.id', '=', 'n.message_id'),
    )
    .select(['n.message_id', 'n.position', 'n.lease', 'n.attempt', 'n.at'])
    .select(['q.account_id', 'q.domain_id', 'q.stream', 'q.attempts', 'q.possible_duplicate', 'r.email'])
    .select(['m.send_at', 'm.created_at', 'm.tag', 'm.recipient_count'])
    .where('n.message_id', 'in', ids)
    .execute()
  if (noted.length === 0) return rows
  const nameOf = ({ message_id, position }: Key): string => `${message_id} ${position}`
  const locked = new Set(rows.map(nameOf))
  const delivered = noted.filter((row) => locked.has(nameOf(row)))
  const outcomes = delivered.map(
    (row): RecordOutcome => ({
      claimed: {
        ...{ messageId: row.message_id, position: row.position, email: row.email, stream: row.stream },
        ...{ accountId: row.account_id, domainId: row.domain_id, attempt: row.attempts + 1, tag: row.tag },
        createdAt: row.send_at ?? row.created_at,
        recipientCount: row.recipient_count,
        possibleDuplicate: row.possible_duplicate === 1,
      },
      lease: row.lease,
      outcome: DELIVERED,
      attempt: JSON.parse(row.attempt) as Attempt,
      nextAttemptAt: null,
      now: row.at,
    }),
  )
  await recordOutcome(db, outcomes)
  await deleteRows(db, 'delivery_notes', KEY, outcomes.map(keyOf))
  const done = new Set(delivered.map(nameOf))
  return rows.filter((row) => !done.has(nameOf(row)))
}
