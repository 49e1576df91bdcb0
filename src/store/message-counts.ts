// Figures of what was sent: counted with the events, hour by hour, and read for charts.

import { type RawBuilder, sql } from 'kysely'
import { DELIVERY_TIME_BOUNDS, deliveryTimeBucket, deliveryTimeColumn } from '../model/delivery-time.ts'
import { COUNTED_EVENTS, type CountedEvent, type EventType } from '../model/event.ts'
import { type Database, insertRows, isPostgres, type Read } from './dialect.ts'
import type { Tables } from './schema.ts'

type Counts = Tables['message_counts']
type Figure = CountedEvent | `took_${number}`

export const HOUR_MS = 3_600_000
/** Two commits on PostgreSQL rarely meet in the same row. */
const SHARDS = 8

const TIMES = DELIVERY_TIME_BOUNDS.map((_, index) => deliveryTimeColumn(index))
const FIGURES: readonly Figure[] = [...COUNTED_EVENTS, ...TIMES]
const ADD = `on conflict (account_id, hour_at, domain_id, stream, shard) do update set ${FIGURES.map(
  (name) => `${name}=message_counts.${name}+excluded.${name}`,
).join()}`
const NOTHING = Object.fromEntries(FIGURES.map((name) => [name, 0])) as Record<Figure, number>
const COUNTED: ReadonlySet<string> = new Set(COUNTED_EVENTS)

/** What the transactions under way have counted, written once at the end of each. */
const counted = new WeakMap<Database, Map<string, Counts>>()

/** Forgets what a transaction before this one, which failed, has counted on the same connection. */
export function beginCounting(db: Database): void {
  counted.delete(db)
}

/** What is counted of an event. */
interface Countable {
  readonly row: {
    readonly accountId: string
    readonly domainId: string
    readonly stream: string
    /** When the message was to be sent. */
    readonly createdAt?: number
  }
  readonly type: EventType
  readonly at: number
}

/** Counts an event; it is written by `keepCounts`. */
export function countEvent(db: Database, { row, type, at }: Countable): void {
  if (!COUNTED.has(type)) return
  let counts = counted.get(db)
  if (counts === undefined) {
    counts = new Map()
    counted.set(db, counts)
  }
  const hour = at - (at % HOUR_MS)
  const key = `${row.accountId} ${hour} ${row.domainId} ${row.stream}`
  let line = counts.get(key)
  if (line === undefined) {
    line = {
      ...NOTHING,
      account_id: row.accountId,
      domain_id: row.domainId,
      stream: row.stream,
      hour_at: hour,
      shard: 0,
    }
    counts.set(key, line)
  }
  line[type as CountedEvent]++
  if (type === 'delivered' && row.createdAt !== undefined) {
    const column = deliveryTimeColumn(deliveryTimeBucket(at - row.createdAt))
    line[column] = (line[column] ?? 0) + 1
  }
}

/** Writes what this transaction has counted: last of all, so that others wait for these rows as briefly as can be. */
export async function keepCounts(db: Database): Promise<void> {
  const counts = counted.get(db)
  if (counts === undefined) return
  counted.delete(db)
  const shard = isPostgres(db) ? Math.floor(Math.random() * SHARDS) : 0
  // Always in the same order, so that two commits wait for each other at most.
  const rows = [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => ({ ...row, shard }))
  await insertRows(db, 'message_counts', rows, ADD)
}

/** What is asked for; times in milliseconds, `from` and `to` at the beginning of an hour. */
export interface CountsQuery {
  readonly accountId: string
  readonly domainId?: string | undefined
  readonly stream?: string | undefined
  readonly from: number
  /** Not part of it. */
  readonly to: number
  /** The length of a bucket: a multiple of an hour. */
  readonly bucketMs: number
}

/** What happened in one stretch of time. */
export type CountedBucket = { readonly at: number } & Readonly<Record<CountedEvent, number>>

/** The buckets in which anything happened, oldest first, and how many deliveries each bucket of time has. */
export async function readCounts(
  read: Read,
  query: CountsQuery,
): Promise<{ buckets: CountedBucket[]; times: number[] }> {
  const [buckets, times] = await Promise.all([readBuckets(read, query), readTimes(read, query)])
  return { buckets, times }
}

const sums = (names: readonly Figure[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))

/** The rows that are asked for. */
const rowsOf = ({ accountId, domainId, stream, from, to }: CountsQuery): RawBuilder<unknown> => sql`
  from message_counts where account_id = ${accountId} and hour_at >= ${from} and hour_at < ${to}
  ${domainId === undefined ? sql`` : sql`and domain_id = ${domainId}`}
  ${stream === undefined ? sql`` : sql`and stream = ${stream}`}`

async function readBuckets(read: Read, query: CountsQuery): Promise<CountedBucket[]> {
  const bucket = sql`hour_at - hour_at % ${sql.lit(query.bucketMs)}`
  const { rows } = await sql<{ at: number } & Record<CountedEvent, number | string>>`
    select ${bucket} as at, ${sums(COUNTED_EVENTS)} ${rowsOf(query)} group by ${bucket} order by 1`.execute(
    read,
  )
  // A sum of whole numbers is a decimal in PostgreSQL.
  return rows.map((row) => ({
    at: Number(row.at),
    ...(Object.fromEntries(COUNTED_EVENTS.map((name) => [name, Number(row[name])])) as Record<
      CountedEvent,
      number
    >),
  }))
}

async function readTimes(read: Read, query: CountsQuery): Promise<number[]> {
  const { rows } = await sql<Record<string, number | string | null>>`
    select ${sums(TIMES)} ${rowsOf(query)}`.execute(read)
  return TIMES.map((name) => Number(rows[0]?.[name] ?? 0))
}
