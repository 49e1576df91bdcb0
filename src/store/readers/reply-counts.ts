// Counts of attempts by provider, own address, category and code of the reply, in steps of five minutes and by hour,
// derived from the event log.

import { cacheOf } from '../../lib/caches.ts'
import { hourOf } from '../../lib/rfc3339.ts'
import { espOf } from '../../model/esp.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedStream } from '../events/event-log.ts'
import { HOUR_MS } from './message-counts.ts'

type ReplyCount = Tables['reply_counts']

/** Length of one step of the counts. */
export const STEP_MS = 300_000

/** Maximum number of combinations that are counted separately for a domain within an hour. */
const MAX_COMBINATIONS = 200
/** Stream, provider, address and code of all further combinations. */
export const OTHER = 'other'

const FIGURES = ['attempts', 'recipients', 'encrypted'] as const
const addTo = (table: 'reply_counts' | 'reply_hours'): string =>
  `on conflict (domain_id, at, stream, provider, source, category, code) do update set ${FIGURES.map(
    (name) => `${name}=${table}.${name}+excluded.${name}`,
  ).join()}`
const ADD = addTo('reply_counts')
const ADD_HOURS = addTo('reply_hours')

const ENDS: ReadonlySet<string> = new Set(['delivered', 'deferred', 'bounced', 'failed'])

/** Counts attempts of live messages; runs as the `replies` reader of the event log. */
export async function countReplies(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const counts = new Map<string, ReplyCount>()
  for (const [accountId, domainId, stream, events] of streams) {
    for (const [type, at, , , , , , , uncounted, outcome] of events) {
      if (outcome === undefined || uncounted || !ENDS.has(type)) continue
      const [category, mx, attempt, source = null, code = null, encrypted = 0] = outcome
      // A later bounce report ends no attempt, and a failure without any host concerns this installation.
      if (attempt === null || (mx === null && category !== 'dns')) continue
      add(counts, {
        account_id: accountId,
        domain_id: domainId,
        stream,
        provider: (mx === null ? undefined : espOf(mx)?.name) ?? '',
        source: source ?? '',
        category: type === 'delivered' ? '' : ((category ?? 'other') as ReplyCount['category']),
        code: code ?? '',
        at: at - (at % STEP_MS),
        attempts: 1,
        recipients: attempt === 1 ? 1 : 0,
        encrypted,
      })
    }
  }
  if (counts.size === 0) return
  const kept = await withFewCombinations(db, counts)
  await insertRows(db, 'reply_counts', kept, ADD)
  const hours = new Map<string, ReplyCount>()
  for (const one of kept) add(hours, { ...one, at: hourOf(one.at) })
  await insertRows(db, 'reply_hours', [...hours.values()], ADD_HOURS)
}

function add(counts: Map<string, ReplyCount>, count: ReplyCount): void {
  const key = `${count.domain_id} ${count.at} ${nameOf(count)}`
  const sum = counts.get(key)
  if (sum === undefined) counts.set(key, count)
  else for (const figure of FIGURES) sum[figure] += count[figure]
}

const nameOf = ({ stream, provider, source, category, code }: Combination): string =>
  [stream, provider, source, category, code].join('\0')

type Combination = Pick<ReplyCount, 'stream' | 'provider' | 'source' | 'category' | 'code'>

/** Combinations that are in the database already, by domain and hour. */
const known = cacheOf<true>('reply_combinations')
const KNOWN_BYTES = 100

/**
 * Counts all combinations after the first MAX_COMBINATIONS of a domain and an hour together, so that a host that invents
 * codes cannot add an unlimited number of rows.
 */
async function withFewCombinations(
  db: Database,
  counts: ReadonlyMap<string, ReplyCount>,
): Promise<ReplyCount[]> {
  const kept = new Map<string, ReplyCount>()
  const byHour = Map.groupBy(counts.values(), ({ domain_id, at }) => `${domain_id} ${hourOf(at)}`)
  for (const [hour, same] of byHour) {
    const isKnown = same.every((one) => known.get(`${hour} ${nameOf(one)}`) === true)
    const names = isKnown ? undefined : await storedCombinations(db, same[0] as ReplyCount, hour)
    for (const count of same) {
      const name = nameOf(count)
      const fits = names === undefined || names.has(name) || names.size < MAX_COMBINATIONS
      if (fits) names?.add(name)
      add(kept, fits ? { ...count } : { ...count, ...ofFurther(count) })
    }
  }
  return [...kept.values()]
}

/** The combination under which a further combination counts; deliveries and failures stay separate. */
const ofFurther = ({ category }: ReplyCount): Combination => ({
  ...{ stream: OTHER, provider: OTHER, source: OTHER, code: OTHER },
  category: category === '' ? '' : 'other',
})

/** Returns the combinations of a domain and an hour that are stored; the shared combinations do not count. */
async function storedCombinations(
  db: Database,
  { domain_id, at }: ReplyCount,
  hour: string,
): Promise<Set<string>> {
  const from = hourOf(at)
  const rows = await db
    .selectFrom('reply_counts')
    .select(['stream', 'provider', 'source', 'category', 'code'])
    .where('domain_id', '=', domain_id)
    .where('at', '>=', from)
    .where('at', '<', from + HOUR_MS)
    .where('provider', '!=', OTHER)
    .execute()
  const names = new Set(rows.map(nameOf))
  for (const name of names) known.set(`${hour} ${name}`, true, KNOWN_BYTES)
  return names
}
