// The readers of the event log: each derives something from the events, in larger batches than they were written in.

import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { countEvents } from '../messages/message-counts.ts'
import { keepWordsOf } from '../messages/message-words.ts'
import { addStoredBytes } from '../messages/stored-bytes.ts'
import { type LoggedEvent, readLog } from './event-log.ts'

/** Derives rows from events; called in the transaction that moves the reader's position behind them. */
type LogReader = (db: Database, events: readonly LoggedEvent[]) => Promise<void>

/** The readers. A new one comes with a migration that sets its position in `event_log_readers`. */
const READERS = {
  figures: async (db, events) => {
    await countEvents(db, events)
    await addStoredBytes(db, events)
  },
  search: keepWordsOf,
} as const satisfies Record<string, LogReader>

export type LogReaderName = keyof typeof READERS
export const LOG_READERS = Object.keys(READERS) as LogReaderName[]

/** One transaction reads so many commits, and no further commit when it has so many events. */
const MAX_COMMITS = 256
const MAX_EVENTS = 2_000

/** What one step of a reader has done. */
export interface ReadStep {
  /** Events that were read. */
  readonly events: number
  /** Whether there are more. */
  readonly more: boolean
}

/**
 * Lets readers take what the log holds behind their positions: the derived rows and the new position are written in
 * one transaction, so that each event counts exactly once, whatever ends the process. A reader that another node
 * runs at this moment is left to it.
 */
export async function followEventLog(
  db: Database,
  items: readonly { readonly reader: LogReaderName }[],
): Promise<ReadStep[]> {
  const steps: ReadStep[] = []
  for (const { reader } of items) steps.push(await step(db, reader))
  return steps
}

async function step(db: Database, name: LogReaderName): Promise<ReadStep> {
  const behind = await holdPosition(db, name)
  if (behind === undefined) return { events: 0, more: false }
  const commits = await readLog(db, behind, MAX_COMMITS)
  const events: LoggedEvent[] = []
  let position = behind
  let taken = 0
  for (const commit of commits) {
    if (events.length >= MAX_EVENTS) break
    events.push(...commit.events)
    position = commit.position
    taken++
  }
  if (taken === 0) return { events: 0, more: false }
  await READERS[name](db, events)
  await db.updateTable('event_log_readers').set({ position }).where('name', '=', name).execute()
  // The row at the lowest position stays: SQLite numbers from the highest row on.
  await db
    .deleteFrom('event_log')
    .where('position', '<', (eb) =>
      eb.selectFrom('event_log_readers').select((one) => one.fn.min('position').as('least')),
    )
    .execute()
  return { events: events.length, more: taken < commits.length || taken === MAX_COMMITS }
}

/** The reader's position, locked; undefined while another transaction holds it. */
async function holdPosition(db: Database, name: LogReaderName): Promise<number | undefined> {
  let query = db.selectFrom('event_log_readers').select('position').where('name', '=', name)
  if (isPostgres(db)) query = query.forUpdate().skipLocked()
  return (await query.executeTakeFirst())?.position
}

/** For each reader since when the oldest commit that it has not read yet waits; undefined when it has read all. */
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
