// Moves recipients between the states of the queue, and reads the state of the queue.

import { type RawBuilder, sql } from 'kysely'
import type { Flow, Hold } from '../../model/queue-state.ts'
import { faultsAfterEnd } from '../../model/triage.ts'
import { type Database, databaseNow, isPostgres, LOCK_CLAIMED, type Read } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { wasSteady } from './heartbeat.ts'
import { FROM_ZERO, type LowWater } from './low-water.ts'

/** Maximum number of recipients that one write moves. */
const MAX_MOVED = 512

const KEY = ['message_id', 'position'] as const
const lockOf = (db: Database) => LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite']

/** Result of a move of recipients into the index of ready recipients. */
export interface Moved {
  /**
   * Lowest position at which the source index of the move may still have a row; the position of the first moved row if
   * more rows may be due.
   */
  readonly lowest: number
  /** Lowest start tag of the recipients that became ready; infinity if no recipient became ready. */
  readonly firstTag: number
}

const movedOf = (
  rows: readonly { readonly at: number; readonly start_tag: number }[],
  now: number,
): Moved => ({
  lowest: rows.length < MAX_MOVED ? now : (rows[0]?.at ?? now),
  firstTag: Math.min(...rows.map(({ start_tag }) => start_tag)),
})

/** Makes recipients ready after their due time has come; reads due times from `from` on. */
export async function wakeDue(db: Database, now: number, from: number): Promise<Moved> {
  const rows = await db
    .selectFrom('queue')
    .select(['message_id', 'position', 'state', 'start_tag', sql<number>`due_at`.as('at')])
    .where('due_at', '>=', from)
    .where('due_at', '<=', databaseNow(db, now))
    .orderBy('due_at')
    .limit(MAX_MOVED)
    .modifyEnd(lockOf(db))
    .execute()
  await updateRows(
    db,
    'queue',
    KEY,
    rows.map(({ message_id, position }) => ({ message_id, position, state: 'ready' as const })),
    { clear: ['due_at'] },
  )
  // The time that the sender chose for scheduled recipients has come.
  const scheduled = rows.filter(({ state }) => state === 'scheduled')
  await updateRows(
    db,
    'recipients',
    KEY,
    scheduled.map(({ message_id, position }) => ({ message_id, position, status: 'queued' as const })),
  )
  return movedOf(rows, now)
}

/**
 * Takes over recipients whose leases have ended because their nodes died. Does nothing shortly after an outage of the
 * store, because an outage also ends the leases of running nodes.
 */
export async function takeOverLeases(db: Database, now: number, from: number): Promise<Moved> {
  const ended = sql`lease_until between ${from} and ${databaseNow(db, now)}`
  return movedOf(await releaseBatch(db, isPostgres(db) ? sql`${ended} and ${wasSteady(db)}` : ended), now)
}

type Released = Pick<Tables['queue'], 'message_id' | 'position' | 'start_tag'> & { readonly at: number }

/**
 * Makes up to 512 active recipients ready after their process has ended, and returns these recipients. The interrupted
 * attempt does not count in the retry schedule, but a fault is recorded, so that a message that crashes processes is
 * not retried for ever.
 */
export async function releaseBatch(db: Database, which?: RawBuilder<unknown>): Promise<readonly Released[]> {
  let query = db
    .selectFrom('queue')
    .select([...KEY, 'faults', 'renewed', 'start_tag', sql<number>`lease_until`.as('at')])
    .where('lease_until', 'is not', null)
    .orderBy('lease_until')
    .limit(MAX_MOVED)
    .modifyEnd(lockOf(db))
  if (which !== undefined) query = query.where(sql<boolean>`${which}`)
  const rows = await query.execute()
  await updateRows(
    db,
    'queue',
    KEY,
    rows.map(({ message_id, position, faults, renewed }) => ({
      message_id,
      position,
      state: 'ready' as const,
      faults: faultsAfterEnd(faults, renewed === 1),
      renewed: 0,
    })),
    { clear: ['lease', 'lease_until', 'active_since'] },
  )
  return rows
}

/** Result of a check of the pauses that hold recipients. */
export interface Resumed {
  /** Lowest start tag of the released recipients; infinity if no recipient was released. */
  readonly firstTag: number
  /**
   * Pause at which the next check begins, so that every pause is checked in turn, regardless of the number of pauses.
   */
  readonly next: string
}

/** Maximum number of pauses that one claim checks. */
const MAX_HOLDS = 256

/** Returns the pauses that hold recipients, from the pause `from` on, at most as many as one claim checks. */
export const holdsFrom = (db: Database, from: string): Promise<Hold[]> =>
  waitedFor(db, 'held', { from, limit: MAX_HOLDS }) as Promise<Hold[]>

/**
 * Makes recipients ready after their pause has ended; checks only the pauses in `holds`, which `holdsFrom` returned.
 */
export async function wakeResumed(
  db: Database,
  paused: ReadonlySet<Hold>,
  holds: readonly Hold[],
): Promise<Resumed> {
  let firstTag = Number.POSITIVE_INFINITY
  for (const hold of holds) {
    if (paused.has(hold)) continue
    const rows = await db
      .selectFrom('queue')
      .select([...KEY, 'start_tag'])
      .where('state', '=', 'held')
      .where('waits_for', '=', hold)
      .where('due_at', 'is', null)
      .where('lease_until', 'is', null)
      .limit(MAX_MOVED)
      .modifyEnd(lockOf(db))
      .execute()
    const ready = { state: 'ready', waits_for: '' } as const
    await updateRows(
      db,
      'queue',
      KEY,
      rows.map(({ message_id, position }) => ({ message_id, position, ...ready })),
    )
    firstTag = Math.min(firstTag, ...rows.map(({ start_tag }) => start_tag))
    if (rows.length === MAX_MOVED) return { firstTag, next: hold }
  }
  return { firstTag, next: holds.length < MAX_HOLDS ? '' : placeAfter(holds.at(-1)) }
}

/** Returns the position immediately after a flow or a pause. */
const placeAfter = (last: string | undefined): string => `${last} `

/** Maximum number of flows or pauses that one query reads. */
const MAX_WAITED_FOR = 4_096

/**
 * Returns the flows in which throttled recipients wait, or the pauses that hold recipients. The query skips through the
 * index.
 */
async function waitedFor(
  db: Database | Read,
  state: 'throttled' | 'held',
  {
    from = '',
    before,
    limit = MAX_WAITED_FOR,
  }: { readonly from?: string; readonly before?: string; readonly limit?: number } = {},
): Promise<string[]> {
  const below = before === undefined ? sql`` : sql` and waits_for < ${before}`
  const inIndex = sql`state = ${state} and due_at is null and lease_until is null${below}`
  const first = sql`select min(waits_for) as waits_for from queue where ${inIndex} and waits_for >= ${from}`
  const { rows } = await sql<{ waits_for: string }>`
    with recursive found(waits_for) as (
      ${isPostgres(db as Database) ? sql`(${first})` : first}
      union all
      select (select min(waits_for) from queue where ${inIndex} and waits_for > found.waits_for)
      from found where found.waits_for is not null
    )
    select waits_for from found where waits_for is not null limit ${limit}`.execute(db)
  return rows.map((row) => row.waits_for)
}

/** State of the queue that the queue manager reads while waiting. */
export interface Outlook {
  /** Time at which the next recipient is due; undefined if no recipient waits. */
  readonly dueAt: number | undefined
  /**
   * Position of the first row in each index at or above the low-water mark; infinity for an index without such a row.
   */
  readonly lowest: LowWater
  /** Flows in which throttled recipients wait, at most MAX_WAITED_FOR. */
  readonly throttled: readonly Flow[]
  /** Flow at which the next read begins, so that every flow is read in turn, regardless of the number of flows. */
  readonly next: string
}

/** Returns the lowest start tag of a ready recipient, at or above `from`. */
const firstReady = (read: Read, from: number): Promise<{ at: number } | undefined> =>
  read
    .selectFrom('queue')
    .select('start_tag as at')
    .where('state', '=', 'ready')
    .where('waits_for', '=', '')
    .where('due_at', 'is', null)
    .where('lease_until', 'is', null)
    .where('start_tag', '>=', from)
    .orderBy('start_tag')
    .limit(1)
    .executeTakeFirst()

/** True if any recipient is ready at or above the low-water marks. */
export const isAnyReady = async (read: Read, marks: LowWater): Promise<boolean> =>
  (await firstReady(read, marks.ready)) !== undefined

/**
 * Reads the state of the queue from the low-water marks on, without locks; `from` is the `next` of the previous read.
 */
export async function queueOutlook(read: Read, from = '', marks: LowWater = FROM_ZERO): Promise<Outlook> {
  const [ready, due, ended] = await Promise.all([
    firstReady(read, marks.ready),
    read
      .selectFrom('queue')
      .select('due_at as at')
      .where('due_at', '>=', marks.due)
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst(),
    read
      .selectFrom('queue')
      .select('lease_until as at')
      .where('lease_until', '>=', marks.leases)
      .orderBy('lease_until')
      .limit(1)
      .executeTakeFirst(),
  ])
  const times = [ready, due, ended].flatMap((row) => (row?.at == null ? [] : [row.at]))
  const found = await waitedFor(read, 'throttled', { from })
  // The next read begins after the last flow found, or at the first flow if this read has reached the end.
  const next = found.length < MAX_WAITED_FOR ? '' : placeAfter(found.at(-1))
  if (found.length < MAX_WAITED_FOR && from !== '')
    found.push(...(await waitedFor(read, 'throttled', { before: from })))
  const placeOf = (row: { at: number | null } | undefined): number => row?.at ?? Number.POSITIVE_INFINITY
  const lowest = { ready: placeOf(ready), due: placeOf(due), leases: placeOf(ended) }
  return { next, lowest, dueAt: times.length === 0 ? undefined : Math.min(...times), throttled: found }
}
