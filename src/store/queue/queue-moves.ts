// Moving recipients between the states of the queue, and looking at them.

import { sql } from 'kysely'
import { wasRenewed } from '../../model/lease.ts'
import { HELD, type QueueState, type StateRange, THROTTLED, throttledBy } from '../../model/queue-state.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import { faultsAfterEnd } from '../../model/triage.ts'
import { type Database, isPostgres, LOCK_CLAIMED, type Read, updateRows } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { deriveMessageStatuses } from '../messages/history.ts'

/** Recipients that one write moves; the next one goes on. */
const MAX_MOVED = 512

/** Makes recipients ready that have fallen due, or that a lost node held; answers whether there were any. */
export async function wakeDue(
  db: Database,
  now: number,
  states: readonly QueueState[] = ['waiting', 'leased'],
): Promise<boolean> {
  let moved = 0
  for (const state of states) moved += await makeReady(db, state, now, now)
  return moved > 0
}

/** Makes active recipients ready, whenever their leases end; answers whether there were any. */
export const wakeLeased = async (db: Database, now: number): Promise<boolean> =>
  (await makeReady(db, 'leased', now)) > 0

/** Makes recipients ready whose pause is over. */
export async function wakeResumed(db: Database, paused: ReadonlySet<QueueState>, now: number): Promise<void> {
  for (const state of await statesWithin(db, HELD)) {
    if (!paused.has(state)) await makeReady(db, state, now)
  }
}

/** Makes up to 512 recipients of a state ready; with `dueBy` only those that are due by then. */
async function makeReady(db: Database, state: QueueState, now: number, dueBy?: number): Promise<number> {
  let rows = db
    .selectFrom('recipients')
    .select(['message_id', 'position', 'domain_id', 'status', 'attempts', 'faults', 'last_event_at'])
    .select('next_attempt_at')
    .where('lane', '=', state)
    .limit(MAX_MOVED)
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
      ...(state === 'leased' ? abandoned(row) : { status: statusWhenDue(row.status) }),
    })),
    { clear: ['lease'] },
  )
  const changed = found.filter((row) => state === 'leased' || row.status === 'scheduled')
  const messages = new Map(changed.map((row) => [row.message_id, row.domain_id]))
  await deriveMessageStatuses(db, messages, now)
  return found.length
}

const keyOf = ({ message_id, position }: RecipientKey): RecipientKey => ({ message_id, position })

/** The time that its sender has chosen has come. */
const statusWhenDue = (status: RecipientStatus): RecipientStatus =>
  status === 'scheduled' ? 'queued' : status

/** Key of a recipient. */
type RecipientKey = Pick<Tables['recipients'], 'message_id' | 'position'>

/**
 * The columns of a recipient whose node is gone: the attempt does not count against its schedule, but a fault is noted,
 * since a message that makes a node end must not do so for ever.
 */
const abandoned = (
  row: Pick<Tables['recipients'], 'attempts' | 'faults' | 'last_event_at' | 'next_attempt_at'>,
) => ({
  status: waitingStatus(row.attempts),
  faults: faultsAfterEnd(row.faults, wasRenewed(row.last_event_at, row.next_attempt_at)),
})

/** The state of a recipient that waits after so many attempts. */
export const waitingStatus = (attempts: number): 'queued' | 'deferred' =>
  attempts > 0 ? 'deferred' : 'queued'

/** States that are looked at together. */
const MAX_STATES = 4_096

/** The states within a range that hold anything, found by leaps through the index. */
async function statesWithin(db: Database | Read, { from, below }: StateRange): Promise<QueueState[]> {
  const first = sql`select min(lane) as lane from recipients where lane >= ${from} and lane < ${below}`
  const { rows } = await sql<{ lane: QueueState }>`
    with recursive found(lane) as (
      ${isPostgres(db as Database) ? sql`(${first})` : first}
      union all
      select (select min(lane) from recipients where lane > found.lane and lane < ${below})
      from found where found.lane is not null
    )
    select lane from found where lane is not null limit ${MAX_STATES}`.execute(db)
  return rows.map((row) => row.lane)
}

/** The queue as its manager sees it while it waits. */
export interface Outlook {
  /** Time at which the next recipient falls due; undefined when none waits. */
  readonly dueAt: number | undefined
  /** Destinations that throttled recipients wait for, as many as one look sees. */
  readonly throttled: readonly string[]
  /** Start of the next look, so that all of very many are seen in turn. */
  readonly next: string
}

/** Looks at the queue without touching it; `from` is where the look before has ended. */
export async function queueOutlook(read: Read, from: string = THROTTLED.from): Promise<Outlook> {
  const rows = await Promise.all(
    (['ready', 'waiting', 'leased'] as const).map((state) =>
      read
        .selectFrom('recipients')
        .select('next_attempt_at')
        .where('lane', '=', state)
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst(),
    ),
  )
  const due = rows.flatMap((row) => (row?.next_attempt_at == null ? [] : [row.next_attempt_at]))
  const found = await statesWithin(read, { ...THROTTLED, from })
  // Behind the last of them, or at the beginning again.
  const next = found.length < MAX_STATES ? THROTTLED.from : `${found.at(-1)} `
  if (found.length < MAX_STATES && from !== THROTTLED.from)
    found.push(...(await statesWithin(read, { ...THROTTLED, below: from })))
  return {
    next,
    dueAt: due.length === 0 ? undefined : Math.min(...due),
    throttled: found.map(throttledBy),
  }
}
