// Counts of message events by hour, derived from the event log and read for charts.

import { type RawBuilder, sql } from 'kysely'
import { DELIVERY_TIME_BOUNDS, deliveryTimeBucket, deliveryTimeColumn } from '../../model/delivery-time.ts'
import { COUNTED_EVENTS, type CountedEvent, isCounted } from '../../model/event.ts'
import { recordOf } from '../../model/record-of.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedStream } from '../events/event-log.ts'

type Counts = Tables['message_counts']
export type Figure = CountedEvent | `took_${number}`

export const HOUR_MS = 3_600_000

export const TIMES = DELIVERY_TIME_BOUNDS.map((_, index) => deliveryTimeColumn(index))
export const FIGURES: readonly Figure[] = [...COUNTED_EVENTS, ...TIMES]
const ADD = `on conflict (account_id, hour_at, domain_id, stream) do update set ${FIGURES.map(
  (name) => `${name}=message_counts.${name}+excluded.${name}`,
).join()}`
export const NOTHING = recordOf(FIGURES, () => 0)

/** True if statistics count a logged event. */
export function isLoggedCounted([
  type,
  ,
  ,
  ,
  ,
  ,
  ,
  ,
  uncounted = false,
  outcome,
]: LoggedStream[3][number]): boolean {
  return isCounted(type, outcome?.[2] ?? 1, uncounted)
}

/** Counts events by hour, domain and stream; runs in the `figures` reader of the event log. */
export async function countEvents(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const counts = new Map<string, Counts>()
  for (const one of streams) countStream(counts, one)
  await insertRows(db, 'message_counts', [...counts.values()], ADD)
}

function countStream(counts: Map<string, Counts>, [account, domain, stream, events]: LoggedStream): void {
  let line: Counts | undefined
  for (const event of events) {
    if (!isLoggedCounted(event)) continue
    const [, at] = event
    const hour = at - (at % HOUR_MS)
    // Most events of a stream belong to the same hour.
    if (line?.hour_at !== hour) line = lineOf(counts, account, domain, stream, hour)
    count(line, event)
  }
}

/** Counts one event in a row of counts. */
export function count(
  line: Record<Figure, number>,
  [type, at, , , createdAt]: LoggedStream[3][number],
): void {
  line[type as CountedEvent]++
  if (type !== 'delivered' || createdAt === null) return
  const column = deliveryTimeColumn(deliveryTimeBucket(at - createdAt))
  line[column] = (line[column] ?? 0) + 1
}

function lineOf(
  counts: Map<string, Counts>,
  account_id: string,
  domain_id: string,
  stream: string,
  hour_at: number,
): Counts {
  const key = `${account_id} ${hour_at} ${domain_id} ${stream}`
  let line = counts.get(key)
  if (line === undefined) {
    line = { ...NOTHING, account_id, domain_id, stream, hour_at }
    counts.set(key, line)
  }
  return line
}

/** Query for counts; times in milliseconds since the epoch, with `from` and `to` at the beginning of an hour. */
export interface CountsQuery {
  readonly accountId: string
  /** IDs of the domains; undefined for all domains of the account. */
  readonly domainIds?: readonly string[] | undefined
  readonly stream?: string | undefined
  readonly from: number
  /** End of the period, exclusive. */
  readonly to: number
  /** Length of a bucket in milliseconds, a multiple of an hour. */
  readonly bucketMs: number
  /** Offset of the user's time zone from UTC in milliseconds, a whole number of hours; positive east of UTC. */
  readonly offsetMs?: number
  /** Tag or provider to which the counts are restricted. */
  readonly part?: { readonly kind: 'tag' | 'provider'; readonly name: string } | undefined
}

/** Counts of the events in one bucket. */
export type CountedBucket = { readonly at: number } & Readonly<Record<CountedEvent, number>>

/** Returns the non-empty buckets, oldest first, and the number of deliveries in each range of delivery times. */
export async function readCounts(
  read: Read,
  query: CountsQuery,
): Promise<{ buckets: CountedBucket[]; times: number[] }> {
  const [buckets, times] = await Promise.all([readBuckets(read, query), readTimes(read, query)])
  return { buckets, times }
}

/** Counts of one domain. */
export type CountedDomain = { readonly domain_id: string } & Readonly<Record<CountedEvent, number>>

/** Returns the counts of the domains of an account since a time in milliseconds, which is the beginning of an hour. */
export async function readDomainCounts(
  read: Read,
  accountId: string,
  since: number,
): Promise<CountedDomain[]> {
  const { rows } = await sql<{ domain_id: string } & Record<CountedEvent, number | string>>`
    select domain_id, ${sums(COUNTED_EVENTS)} from message_counts
    where account_id = ${accountId} and hour_at >= ${since} group by domain_id`.execute(read)
  return rows.map((row) => ({ domain_id: row.domain_id, ...countedOf(row) }))
}

/** Query for the usage of an account; times in milliseconds since the epoch. */
export interface UsageOf {
  readonly accountId: string
  /** IDs of the domains; undefined for all domains of the account. */
  readonly domainIds?: readonly string[] | undefined
  readonly from: number
  /** End of the period, exclusive. */
  readonly to: number
  /** Length of a bucket in milliseconds, a multiple of an hour; null for one bucket. */
  readonly bucket: number | null
  readonly group: 'domain' | 'stream' | undefined
}

const USAGE_EVENTS = ['accepted', 'delivered', 'bounced', 'complained'] as const

/** Number of recipients in a bucket that begins at `at`; domain and stream are empty unless they are the group. */
export interface Used {
  readonly at: number
  readonly domainId: string
  readonly stream: string
  readonly counts: Readonly<Record<(typeof USAGE_EVENTS)[number], number>>
}

/** Returns the usage in the buckets with mail: of each domain or stream, or of all domains together. */
export async function readUsage(read: Read, { bucket, group, ...query }: UsageOf): Promise<Used[]> {
  const at = bucket === null ? sql`0` : sql`hour_at - hour_at % ${sql.lit(bucket)}`
  const none = sql`cast('' as text)`
  const { rows } = await sql<
    { at: number; domain_id: string; stream: string } & Record<CountedEvent, number | string>
  >`
    select ${at} as at, ${group === undefined ? none : sql.ref('domain_id')} as domain_id,
      ${group === 'stream' ? sql.ref('stream') : none} as stream, ${sums(USAGE_EVENTS)}
    from message_counts where ${within({ ...query, bucketMs: HOUR_MS })}
    group by 1, 2, 3`.execute(read)
  return rows.map((row) => ({
    at: bucket === null ? query.from : Number(row.at),
    domainId: row.domain_id,
    stream: row.stream,
    counts: recordOf(USAGE_EVENTS, (name) => Number(row[name])),
  }))
}

export const sums = (names: readonly Figure[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))

/** Returns the SQL clauses `from` and `where` of a query. */
const rowsOf = ({ part, ...query }: CountsQuery): RawBuilder<unknown> =>
  part === undefined
    ? sql`from message_counts where ${within(query)}`
    : sql`from message_parts where ${within(query)} and kind = ${part.kind} and name = ${part.name}`

/** Returns the SQL condition for rows of `message_counts` or `message_parts`. */
export const within = ({ accountId, domainIds, stream, from, to }: CountsQuery): RawBuilder<unknown> => sql`
  account_id = ${accountId} and hour_at >= ${from} and hour_at < ${to}
  ${domainIds === undefined ? sql`` : sql`and ${isOneOf(domainIds)}`}
  ${stream === undefined ? sql`` : sql`and stream = ${stream}`}`

function isOneOf(domainIds: readonly string[]): RawBuilder<unknown> {
  if (domainIds.length === 0) return sql`1 = 0`
  const [only, ...others] = domainIds
  return others.length === 0 ? sql`domain_id = ${only}` : sql`domain_id in (${sql.join(domainIds)})`
}

async function readBuckets(read: Read, query: CountsQuery): Promise<CountedBucket[]> {
  const offset = sql.lit(query.offsetMs ?? 0)
  const bucket = sql`hour_at - (hour_at + ${offset}) % ${sql.lit(query.bucketMs)}`
  const { rows } = await sql<{ at: number } & Record<CountedEvent, number | string>>`
    select ${bucket} as at, ${sums(COUNTED_EVENTS)} ${rowsOf(query)} group by ${bucket} order by 1`.execute(
    read,
  )
  return rows.map((row) => ({ at: Number(row.at), ...countedOf(row) }))
}

/** Returns the counts of a row as numbers, because PostgreSQL returns a sum of integers as a decimal text. */
export const countedOf = (
  row: Readonly<Record<CountedEvent, number | string>>,
): Record<CountedEvent, number> => recordOf(COUNTED_EVENTS, (name) => Number(row[name]))

async function readTimes(read: Read, query: CountsQuery): Promise<number[]> {
  const { rows } = await sql<Record<string, number | string | null>>`
    select ${sums(TIMES)} ${rowsOf(query)}`.execute(read)
  return TIMES.map((name) => Number(rows[0]?.[name] ?? 0))
}
