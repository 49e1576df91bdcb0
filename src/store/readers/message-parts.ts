// Breakdown of the message counts by tag and receiving provider, and of bounces by category.

import { sql } from 'kysely'
import { espOf } from '../../model/esp.ts'
import type { COUNTED_EVENTS, CountedEvent } from '../../model/event.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedStream } from '../events/event-log.ts'
import {
  type CountsQuery,
  count,
  countedOf,
  FIGURES,
  HOUR_MS,
  isLoggedCounted,
  NOTHING,
  sums,
  TIMES,
  within,
} from './message-counts.ts'

type Part = Tables['message_parts']
type Logged = LoggedStream[3][number]

const ADD = `on conflict (account_id, hour_at, domain_id, stream, kind, name) do update set ${FIGURES.map(
  (name) => `${name}=message_parts.${name}+excluded.${name}`,
).join()}`

/** Maximum number of tags counted separately per stream and hour; further tags share one count. */
const MAX_TAGS = 50
/** Name for the shared count of further tags; no real tag contains a line feed. */
const OTHER_TAGS = '\n'
/** Name for the shared count of hosts without a known provider. */
const OTHER_PROVIDERS = ''

/** Types of events that involve a receiving host: the ends of attempts, and complaints about delivered mail. */
const OF_HOSTS: ReadonlySet<string> = new Set(['delivered', 'deferred', 'bounced', 'failed', 'complained'])

/** Counts events by tag, provider and bounce category; runs in the `figures` reader of the event log. */
export async function countParts(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const parts = new Map<string, Part>()
  for (const [account_id, domain_id, stream, events] of streams) {
    for (const event of events) {
      if (!isLoggedCounted(event)) continue
      const [, at] = event
      const key = { account_id, hour_at: at - (at % HOUR_MS), domain_id, stream }
      for (const [kind, name] of partsOf(event)) count(partOf(parts, { ...key, kind, name }), event)
    }
  }
  if (parts.size === 0) return
  await insertRows(db, 'message_parts', await withFewTags(db, [...parts.values()]), ADD)
}

function* partsOf(event: Logged): Generator<readonly [kind: Part['kind'], name: string]> {
  const [type, , , , , , tag = null, , , outcome] = event
  if (tag !== null) yield ['tag', tag]
  if (outcome === undefined || !OF_HOSTS.has(type)) return
  const [category, mx] = outcome
  yield ['provider', (mx === null ? undefined : espOf(mx)?.name) ?? OTHER_PROVIDERS]
  if (type === 'bounced' && category !== null) yield ['category', category]
}

type PartKey = Pick<Part, 'account_id' | 'hour_at' | 'domain_id' | 'stream' | 'kind' | 'name'>

function partOf(parts: Map<string, Part>, key: PartKey): Part {
  const name = Object.values(key).join('\0')
  let part = parts.get(name)
  if (part === undefined) {
    part = { ...NOTHING, ...key }
    parts.set(name, part)
  }
  return part
}

/**
 * Merges the counts of all tags after the first MAX_TAGS of an hour, so that a client that invents new tags cannot add
 * an unlimited number of rows.
 */
async function withFewTags(db: Database, parts: readonly Part[]): Promise<Part[]> {
  const kept = new Map<string, Part>()
  const byStream = Map.groupBy(parts, (one) => `${one.hour_at} ${one.domain_id} ${one.stream} ${one.kind}`)
  for (const same of byStream.values()) {
    const known = same[0]?.kind === 'tag' ? await tagsOf(db, same[0]) : undefined
    for (const part of same) {
      const isKept = known === undefined || known.has(part.name) || known.size < MAX_TAGS
      if (isKept) known?.add(part.name)
      const key = { ...keyOf(part), name: isKept ? part.name : OTHER_TAGS }
      const sum = partOf(kept, key)
      for (const figure of FIGURES) sum[figure] = (sum[figure] ?? 0) + (part[figure] ?? 0)
    }
  }
  return [...kept.values()]
}

const keyOf = ({ account_id, hour_at, domain_id, stream, kind, name }: Part): PartKey => ({
  ...{ account_id, hour_at, domain_id, stream, kind, name },
})

/** Returns the tags already counted in an hour; only the `figures` reader adds tags. */
async function tagsOf(db: Database, part: Part): Promise<Set<string>> {
  const { name: _, ...key } = keyOf(part)
  const rows = await db
    .selectFrom('message_parts')
    .select('name')
    .where((eb) => eb.and(key))
    .where('name', '!=', OTHER_TAGS)
    .execute()
  return new Set(rows.map(({ name }) => name))
}

/** Counts of one tag, one provider or one stream. */
export interface GroupedCounts {
  /** Name of the group; null for hosts of unknown providers, and for tags after the first MAX_TAGS. */
  readonly name: string | null
  readonly counts: Readonly<Record<CountedEvent, number>>
  /** Number of deliveries in each range of delivery times. */
  readonly times: readonly number[]
}

/** Maximum number of groups in one response. */
const MAX_GROUPS = 200

/**
 * Returns the counts by tag, provider or stream; the group with the most mail comes first.
 *
 * @param figures figures to sum; all others are 0
 */
export async function readGroups(
  read: Read,
  query: CountsQuery,
  by: 'tag' | 'provider' | 'stream',
  figures: typeof FIGURES | typeof COUNTED_EVENTS = FIGURES,
): Promise<GroupedCounts[]> {
  const isStream = by === 'stream'
  const name = sql.ref(isStream ? 'stream' : 'name')
  const table = isStream ? sql`message_counts` : sql`message_parts`
  const { rows } = await sql<{ name: string } & Record<CountedEvent | `took_${number}`, number | string>>`
    select ${name} as name, ${sums(figures)} from ${table}
    where ${within(query)} ${isStream ? sql`` : sql`and kind = ${by}`}
    group by ${name} order by sum(accepted) + sum(delivered) + sum(bounced) desc, 1 limit ${sql.lit(MAX_GROUPS)}`.execute(
    read,
  )
  // The names of shared counts differ because the name of a tag may be empty.
  const others = by === 'provider' ? OTHER_PROVIDERS : OTHER_TAGS
  return rows.map((row) => ({
    name: row.name === others ? null : row.name,
    counts: countedOf(row),
    times: TIMES.map((time) => Number(row[time] ?? 0)),
  }))
}

/** Returns the number of bounces by category. */
export async function readBounceCategories(
  read: Read,
  query: CountsQuery,
): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql<{ name: string; count: number | string }>`
    select name, sum(bounced) as count from message_parts
    where ${within(query)} and kind = 'category' group by name order by 1`.execute(read)
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]))
}

/** Period in which the feedback loop of a provider must have reported, so that its complaints count as known. */
export const LOOP_MS = 30 * 86_400_000

/** A provider that has reported complaints about mail of a domain. */
interface ComplaintLoop {
  readonly accountId: string
  readonly domainId: string
  /** Name of the provider; empty for hosts of unknown providers, which count as one. */
  readonly provider: string
  /** Beginning of the hour of the last complaint, in milliseconds since the epoch. */
  readonly lastAt: number
}

/**
 * Returns the loops that have reported since a time: of one account, or of all accounts. Complaints are rare, so that
 * an index of the counts with complaints finds the loops without the other counts.
 */
export async function listComplaintLoops(
  read: Read,
  since: number,
  accountId?: string,
): Promise<ComplaintLoop[]> {
  const { rows } = await sql<Omit<ComplaintLoop, 'lastAt'> & { readonly lastAt: number | string }>`
    select account_id as "accountId", domain_id as "domainId", name as provider, max(hour_at) as "lastAt"
    from message_parts where kind = 'provider' and complained > 0 and hour_at >= ${since}
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    group by account_id, domain_id, name`.execute(read)
  return rows.map((row) => ({ ...row, lastAt: Number(row.lastAt) }))
}
