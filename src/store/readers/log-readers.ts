// The readers of the event log: each reader derives rows from events, in larger batches than the commits that wrote the
// events.

import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../model/problem.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import type { Store } from '../database/store.ts'
import { eventsIn, type LoggedCommit, type LoggedStream, readLog } from '../events/event-log.ts'
import { extendFeed } from '../events/feed.ts'
import { noteRedactions } from '../messages/redaction.ts'
import { addStoredBytes } from '../messages/stored-bytes.ts'
import { countEvents } from './message-counts.ts'
import { countParts } from './message-parts.ts'
import { keepWordsOf } from './message-words.ts'
import { countReplies } from './reply-counts.ts'

/** Derives rows from events, in the transaction that moves the reader's position past these events. */
type LogReader = (db: Database, streams: readonly LoggedStream[]) => Promise<void>

/** The readers of the event log. A new reader needs a migration that sets its position in `event_log_readers`. */
const READERS = {
  figures: async (db, streams) => {
    await countEvents(db, streams)
    await countParts(db, streams)
    await addStoredBytes(db, streams)
    await noteRedactions(db, streams)
  },
  search: keepWordsOf,
  feed: extendFeed,
  replies: countReplies,
} as const satisfies Record<string, LogReader>

export type LogReaderName = keyof typeof READERS
export const LOG_READERS = Object.keys(READERS) as LogReaderName[]

/**
 * Limits of one transaction: the maximum number of commits, and the number of events after which no further commit is
 * read. A transaction takes about 5 ms, and all other commits wait for this time.
 */
const MAX_COMMITS = 512
const MAX_EVENTS = 500

/** Result of one step of the readers. */
export interface ReadStep {
  /** Number of events that the step has read. */
  readonly events: number
  /** True if the event log may contain more unread events. */
  readonly more: boolean
}

/** The readers that take a step, and the size of the step. */
export interface LogReading {
  readonly readers: readonly LogReaderName[]
  /** True to read only one commit; otherwise the step reads as many commits as one transaction may read. */
  readonly single?: boolean
  /** True to move the positions of the readers without deriving rows. */
  readonly passOver?: boolean
}

/**
 * Lets each reader process the events that are after its position in the log. One transaction writes the derived rows
 * and the new positions, so each event counts exactly once, even if the process is killed. The log is read once for all
 * readers. Readers that another node is running are left out.
 */
export async function followEventLog(db: Database, items: readonly LogReading[]): Promise<ReadStep[]> {
  const steps: ReadStep[] = []
  for (const reading of items) steps.push(await step(db, reading))
  return steps
}
followEventLog.step = 'none' as const

async function step(
  db: Database,
  { readers: names, single = false, passOver = false }: LogReading,
): Promise<ReadStep> {
  const held = await holdPositions(db, names)
  if (held.length === 0) return { events: 0, more: false }
  const taken: LoggedCommit[] = []
  let events = 0
  let more = false
  for await (const commit of readLog(db, Math.min(...held.map(({ position }) => position)))) {
    taken.push(commit)
    events += eventsIn(commit)
    more = single || events >= MAX_EVENTS || taken.length === MAX_COMMITS
    if (more) break
  }
  const last = taken.at(-1)
  if (last === undefined) return { events: 0, more: false }
  for (const { name, position } of held) {
    const unread = taken.filter((commit) => commit.position > position)
    if (unread.length > 0 && !passOver)
      await READERS[name](
        db,
        unread.flatMap(({ streams }) => streams),
      )
  }
  await db
    .updateTable('event_log_readers')
    .set({ position: last.position })
    .where(
      'name',
      'in',
      held.map(({ name }) => name),
    )
    .where('position', '<', last.position)
    .execute()
  // The row at the lowest position is kept, because SQLite derives the number of a new row from the highest existing
  // number.
  await db
    .deleteFrom('event_log')
    .where('position', '<', (eb) =>
      eb.selectFrom('event_log_readers').select((one) => one.fn.min('position').as('least')),
    )
    .execute()
  return { events, more }
}

/**
 * Returns the readers with their positions, and locks the positions; omits readers that another transaction has locked.
 */
async function holdPositions(
  db: Database,
  names: readonly LogReaderName[],
): Promise<{ name: LogReaderName; position: number }[]> {
  let query = db.selectFrom('event_log_readers').select(['name', 'position']).where('name', 'in', names)
  if (isPostgres(db)) query = query.orderBy('name').forUpdate().skipLocked()
  return (await query.execute()) as { name: LogReaderName; position: number }[]
}

/**
 * Maximum time for which `readWholeLog` waits for the readers on other nodes, and for the end of earlier transactions.
 */
const MAX_WAIT_MS = 10_000
const LOOK_EVERY_MS = 20

/**
 * Lets every reader process all events that any node has committed before the call. Throws `unavailable` if the readers
 * take too long.
 */
export async function readWholeLog(store: Store): Promise<void> {
  const { end } = await store.read
    .selectFrom('event_log')
    .select((eb) => eb.fn.max('position').as('end'))
    .executeTakeFirstOrThrow()
  for (const limit = performance.now() + MAX_WAIT_MS; performance.now() < limit; ) {
    const { events } = await store.write(followEventLog, { readers: LOG_READERS })
    const { least } = await store.read
      .selectFrom('event_log_readers')
      .select((eb) => eb.fn.min('position').as('least'))
      .executeTakeFirstOrThrow()
    if (Number(end ?? 0) <= Number(least)) return
    if (events === 0) await sleep(LOOK_EVERY_MS)
  }
  throw new Problem('unavailable', 'The event log cannot be read to its end now; try again later.')
}

/**
 * Returns for each reader the time of the oldest commit that the reader has not read; undefined if no commit is unread.
 */
export async function unreadSince(read: Read): Promise<ReadonlyMap<LogReaderName, number | undefined>> {
  const rows = await read
    .selectFrom('event_log_readers as reader')
    .select((eb) => [
      'reader.name',
      eb
        .selectFrom('event_log')
        .select('written_at')
        .whereRef('event_log.position', '>', 'reader.position')
        .orderBy('event_log.position')
        .limit(1)
        .as('since'),
    ])
    .execute()
  return new Map(rows.map(({ name, since }) => [name as LogReaderName, since ?? undefined]))
}
