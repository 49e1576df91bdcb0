// Moving recipients between the lanes of the queue, and looking at them.

import { sql } from 'kysely'
import type { Lane } from '../model/lane.ts'
import type { RecipientStatus } from '../model/recipient.ts'
import { type Database, isPostgres, LOCK_CLAIMED, type Read, updateRows } from './dialect.ts'
import { deriveMessageStatuses } from './history.ts'
import type { Tables } from './schema.ts'

/** What one write moves at most; the next one goes on. */
const MOST_MOVED = 512

/** Puts what has fallen due, and what a lost worker held, among the ready; answers whether there was any. */
export async function wakeDue(
  db: Database,
  now: number,
  lanes: readonly Lane[] = ['waiting', 'leased'],
): Promise<boolean> {
  let moved = 0
  for (const lane of lanes) moved += await move(db, lane, now)
  return moved > 0
}

/** Puts what a pause held among the ready, when that pause is over. */
export async function wakeResumed(db: Database, paused: ReadonlySet<Lane>): Promise<void> {
  for (const lane of await lanesBetween(db, 'paused ', 'paused!')) {
    if (!paused.has(lane)) await move(db, lane)
  }
}

/** Puts up to 512 of a lane among the ready. */
async function move(db: Database, lane: Lane, dueBy?: number): Promise<number> {
  let rows = db
    .selectFrom('recipients')
    .select(['message_id', 'position', 'domain_id', 'status', 'attempts', 'faults'])
    .where('lane', '=', lane)
    .limit(MOST_MOVED)
    .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
  if (dueBy !== undefined) rows = rows.where('next_attempt_at', '<=', dueBy).orderBy('next_attempt_at')
  const found = await rows.execute()
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    found.map((row) => ({
      ...keyOf(row),
      lane: 'ready',
      ...(lane === 'leased' ? abandoned(row) : { status: statusWhenDue(row.status) }),
    })),
    { clear: ['lease'] },
  )
  const changed = found.filter((row) => lane === 'leased' || row.status === 'scheduled')
  const messages = new Map(changed.map((row) => [row.message_id, row.domain_id]))
  if (dueBy !== undefined) await deriveMessageStatuses(db, messages, dueBy)
  return found.length
}

const keyOf = ({ message_id, position }: RecipientKey): RecipientKey => ({ message_id, position })

/** The time that its sender has chosen has come. */
const statusWhenDue = (status: RecipientStatus): RecipientStatus =>
  status === 'scheduled' ? 'queued' : status

/** What identifies a recipient. */
type RecipientKey = Pick<Tables['recipients'], 'message_id' | 'position'>

/**
 * What is written of a recipient whose worker is gone: the attempt does not count against its schedule, but a fault
 * is noted, since what makes a node end must not do so for ever.
 */
const abandoned = ({ attempts, faults }: { attempts: number; faults: number }) => ({
  status: waitingStatus(attempts),
  faults: faults + 1,
})

/** The state of a recipient that waits after so many attempts. */
export const waitingStatus = (attempts: number): 'queued' | 'deferred' =>
  attempts > 0 ? 'deferred' : 'queued'

/** Lanes that are looked at together. */
const MOST_LANES = 4_096

/** The lanes between two names that hold anything, found by leaps through the index. */
async function lanesBetween(db: Database | Read, from: string, to: string): Promise<Lane[]> {
  const first = sql`select min(lane) as lane from recipients where lane >= ${from} and lane < ${to}`
  const { rows } = await sql<{ lane: Lane }>`
    with recursive held(lane) as (
      ${isPostgres(db as Database) ? sql`(${first})` : first}
      union all
      select (select min(lane) from recipients where lane > held.lane and lane < ${to})
      from held where held.lane is not null
    )
    select lane from held where lane is not null limit ${MOST_LANES}`.execute(db)
  return rows.map((row) => row.lane)
}

/** What a worker wants to know of the queue while it waits. */
export interface Outlook {
  /** When the next recipient falls due; undefined when none waits. */
  readonly dueAt: number | undefined
  /** Destinations that recipients are held back for, as many as one look sees. */
  readonly full: readonly string[]
  /** Where the next look begins, so that all of very many are seen in turn. */
  readonly next: string
}

const FIRST_FULL = 'full '

/** Looks at the lanes without touching them; `from` is where the look before has ended. */
export async function queueOutlook(read: Read, from = FIRST_FULL): Promise<Outlook> {
  const rows = await Promise.all(
    (['ready', 'waiting', 'leased'] as const).map((lane) =>
      read
        .selectFrom('recipients')
        .select('next_attempt_at')
        .where('lane', '=', lane)
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst(),
    ),
  )
  const due = rows.flatMap((row) => (row?.next_attempt_at == null ? [] : [row.next_attempt_at]))
  const held = await lanesBetween(read, from, 'full!')
  // Behind the last of them, or at the beginning again.
  const next = held.length < MOST_LANES ? FIRST_FULL : `${held.at(-1)} `
  if (held.length < MOST_LANES && from !== FIRST_FULL)
    held.push(...(await lanesBetween(read, FIRST_FULL, from)))
  return {
    next,
    dueAt: due.length === 0 ? undefined : Math.min(...due),
    full: held.map((lane) => lane.slice('full '.length)),
  }
}
