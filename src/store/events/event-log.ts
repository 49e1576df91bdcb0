// The event log: one row for each commit that adds events. The order of the rows guarantees that a reader misses no
// row.

import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { FeedEventType } from '../../model/account-event.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { executeUnread } from '../database/unread.ts'

/**
 * An event for the event log; the table `events` or `account_events` contains the other fields of the event. An event of
 * an account has the ID of the account in place of the ID of a domain, an empty stream, and its object in place of a
 * message.
 */
export interface LoggedEvent {
  readonly id: string
  readonly accountId: string
  readonly domainId: string
  readonly stream: string
  readonly type: FeedEventType
  readonly at: number
  readonly messageId: string
  /** Time at which the message was due to be sent, if known. */
  readonly createdAt: number | null
  /** Search words of the message, set only in the first event of the message. */
  readonly words: string | null
  /** Tag of the message, if known. */
  readonly tag: string | null
  /** Size of the content in bytes, set only in the first event of the message. */
  readonly size: number | null
  /** True if statistics do not count the event. */
  readonly uncounted?: boolean
  /** Outcome of a delivery attempt or of an asynchronous bounce. */
  readonly outcome?: LoggedOutcome | undefined
}

/** Cause, host and number of the attempt, each null if unknown; after an attempt, its dialog as well. */
export type LoggedOutcome = readonly [
  category: string | null,
  mx: string | null,
  attempt: number | null,
  ...dialog: LoggedDialog,
]

/** Own IP address of the connection, code of a refusal, and 1 for an encrypted connection. */
export type LoggedDialog =
  | readonly []
  | readonly [source: string | null, code: string | null, encrypted: 0 | 1]

/** Stored events of one stream, in the form that readers of the event log receive. */
export type LoggedStream = readonly [
  accountId: string,
  domainId: string,
  stream: string,
  events: readonly StoredEvent[],
]

type StoredEvent = readonly [
  type: FeedEventType,
  at: number,
  /** ID of the message; stored as an empty string if the previous event has the same message. */
  messageId: string,
  eventId: string,
  createdAt: number | null,
  // Search words, set only in the first event of a message.
  words?: string | null,
  /** Tag of the message, in each event that is counted by tag. */
  tag?: string | null,
  size?: number | null,
  uncounted?: boolean,
  outcome?: LoggedOutcome,
]

/** The events of one commit. */
export interface LoggedCommit {
  readonly position: number
  readonly streams: readonly LoggedStream[]
}

/** Events of the transactions in progress, by connection and stream, in stored form. */
const underWay = new WeakMap<Database, Map<string, OpenStream>>()
type OpenStream = [accountId: string, domainId: string, stream: string, events: StoredEvent[]]

/** Drops the events that an earlier, failed transaction on the same connection has logged. */
export function beginLog(db: Database): void {
  underWay.delete(db)
}

/** Adds an event to the row that `appendLog` writes. */
export function logEvent(db: Database, event: LoggedEvent): void {
  const { accountId, domainId, stream } = event
  let streams = underWay.get(db)
  if (streams === undefined) {
    streams = new Map()
    underWay.set(db, streams)
  }
  const key = `${domainId} ${stream} ${accountId}`
  let open = streams.get(key)
  if (open === undefined) {
    open = [accountId, domainId, stream, []]
    streams.set(key, open)
  }
  open[3].push(storedEvent(event))
}

/**
 * Returns the stored form of an event. The size is stored only together with search words, since only the first event
 * of a message has search words.
 */
function storedEvent(event: LoggedEvent): StoredEvent {
  const { id, type, at, messageId, createdAt, words, tag, uncounted = false, outcome } = event
  const size = words === null ? null : event.size
  if (outcome !== undefined) return [type, at, messageId, id, createdAt, words, tag, size, uncounted, outcome]
  if (uncounted) return [type, at, messageId, id, createdAt, words, tag, size, true]
  if (words !== null) return [type, at, messageId, id, createdAt, words, tag, size]
  return tag === null ? [type, at, messageId, id, createdAt] : [type, at, messageId, id, createdAt, null, tag]
}

/**
 * Writes the event log row of this transaction at the end of the transaction. The position is the next number in
 * SQLite, which has one writer. The position in PostgreSQL is the transaction ID: transactions commit in any order, but
 * all transactions with lower IDs than the oldest running transaction have ended (see `readLog`).
 */
export async function appendLog(db: Database): Promise<void> {
  const streams = underWay.get(db)
  if (streams === undefined) return
  underWay.delete(db)
  const text = isPostgres(db)
    ? 'insert into event_log (position, written_at, events) values (pg_current_xact_id()::text::bigint, $1, $2)'
    : 'insert into event_log (written_at, events) values (?, ?)'
  await executeUnread(db, CompiledQuery.raw(text, [Date.now(), textOf(streams.values())]))
}

/** Offset that is larger than any position in the event log. */
const FAR_BELOW = 2 ** 52

/**
 * Moves all positions below the IDs of future transactions. A dump that was restored on another PostgreSQL server has
 * positions from the first server, which the transaction IDs of the other server may not have reached yet.
 */
export async function alignLog(db: Kysely<Tables>): Promise<void> {
  // The lock is requested only when it is needed, because a waiting lock request also blocks the readers of the event
  // log.
  if ((await excessOf(db)) === 0) return
  await db.transaction().execute(async (transaction) => {
    await sql`lock table event_log_readers in exclusive mode`.execute(transaction)
    const excess = await excessOf(transaction)
    if (excess === 0) return
    // Positions are unique, so all rows are first moved far below the existing positions, and then to their final
    // positions.
    for (const moved of [-FAR_BELOW, FAR_BELOW - excess]) {
      for (const table of ['event_log', 'event_log_readers'] as const) {
        await sql`update ${sql.table(table)} set position = position + ${moved}`.execute(transaction)
      }
    }
  })
}

/** Returns the amount by which the positions are too high; 0 if the transaction IDs have passed the positions. */
async function excessOf(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ excess: number | null }>`
    select max(position) - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1 as excess
    from (select position from event_log union all select position from event_log_readers) as positions
    having max(position) >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`.execute(db)
  return rows[0]?.excess ?? 0
}

/** Number of rows in the first query, and maximum number of rows in one query. */
const FIRST_ROWS = 16
const MAX_ROWS = 256

/**
 * Yields the commits after a position, in order; stops before a commit if an earlier commit can still appear. Commits
 * are read on demand, since a single commit may have thousands of events.
 */
export async function* readLog(db: Database, after: number): AsyncGenerator<LoggedCommit> {
  yield* commitsAfter(after, (position, limit) => {
    const query = rowsAfter(db, position, limit)
    return isPostgres(db)
      ? query
          .where('position', '<', sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`)
          .execute()
      : query.execute()
  })
}

type LogRow = Pick<Tables['event_log'], 'events'> & { readonly position: number }

const rowsAfter = (read: Read, position: number, limit: number) =>
  read
    .selectFrom('event_log')
    .select(['position', 'events'])
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit)

/** Reads more rows with each query, and parses one row at a time. */
async function* commitsAfter(
  after: number,
  query: (position: number, limit: number) => Promise<readonly LogRow[]>,
): AsyncGenerator<LoggedCommit> {
  let position = after
  for (let limit = FIRST_ROWS; ; limit = Math.min(MAX_ROWS, 2 * limit)) {
    const rows = await query(position, limit)
    for (const row of rows) {
      position = row.position
      yield { position, streams: parseEvents(row.events) }
    }
    if (rows.length < limit) return
  }
}

/** Maximum number of events that a search reads to find messages whose search words are not stored yet. */
const MAX_UNREAD = 5_000

/**
 * Returns the messages of a domain whose first events a reader has not processed yet, for a search that must include
 * these messages; undefined if there are too many events. The caller must query the rows derived by the reader after
 * this call, so that an event that is processed between the two queries is in at least one result.
 */
export async function unreadMessages(
  read: Read,
  reader: string,
  domainId: string,
): Promise<string[] | undefined> {
  const { position } = await read
    .selectFrom('event_log_readers')
    .select('position')
    .where('name', '=', reader)
    .executeTakeFirstOrThrow()
  const streams = await streamsAfter(read, position, MAX_UNREAD)
  return streams?.flatMap(([, ofDomain, , events]) =>
    ofDomain === domainId
      ? events.flatMap(([, , messageId, , , words]) => ((words ?? null) === null ? [] : [messageId]))
      : [],
  )
}

/** Maximum number of events that are read to find messages whose removal must wait. */
const MAX_LOOKED_THROUGH = 20_000

/** Returns the messages with events that a reader has not processed yet; undefined if there are too many events. */
export async function messagesWithUnread(db: Database): Promise<Set<string> | undefined> {
  const { least } = await db
    .selectFrom('event_log_readers')
    .select((eb) => eb.fn.min('position').as('least'))
    .executeTakeFirstOrThrow()
  const streams = await streamsAfter(db, Number(least), MAX_LOOKED_THROUGH)
  return streams && new Set(streams.flatMap(([, , , events]) => events.map(([, , messageId]) => messageId)))
}

/** Returns the events logged after a position; undefined if there are more than `limit` events. */
async function streamsAfter(
  read: Read,
  position: number,
  limit: number,
): Promise<LoggedStream[] | undefined> {
  const streams: LoggedStream[] = []
  let events = 0
  for await (const commit of commitsAfter(position, (after, rows) =>
    rowsAfter(read, after, rows).execute(),
  )) {
    streams.push(...commit.streams)
    events += eventsIn(commit)
    if (events > limit) return undefined
  }
  return streams
}

/** Returns the number of events in a commit. */
export const eventsIn = ({ streams }: LoggedCommit): number =>
  streams.reduce((sum, [, , , events]) => sum + events.length, 0)

/**
 * Returns the JSON text of an event log row, in which consecutive events of one message contain the message ID only
 * once.
 */
function textOf(streams: Iterable<OpenStream>): string {
  const short = Array.from(streams, ([accountId, domainId, stream, events]) => {
    let before = ''
    const named = events.map((event) => {
      const [type, at, messageId, ...rest] = event
      if (messageId === before) return [type, at, '', ...rest]
      before = messageId
      return event
    })
    return [accountId, domainId, stream, named]
  })
  return JSON.stringify(short)
}

function parseEvents(text: string): LoggedStream[] {
  return (JSON.parse(text) as LoggedStream[]).map(([accountId, domainId, stream, events]) => {
    let before = ''
    const named = events.map((event): StoredEvent => {
      const [type, at, messageId, ...rest] = event
      if (messageId === '') return [type, at, before, ...rest]
      before = messageId
      return event
    })
    return [accountId, domainId, stream, named]
  })
}
