// Reads the span of time of a statistics query, and divides the span into buckets of an hour or a day.

import { nulProblems, readTime } from '../../http/filters.ts'
import { COUNTED_EVENTS } from '../../model/event.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { recordOf } from '../../model/record-of.ts'
import { type CountedBucket, HOUR_MS } from '../../store/readers/message-counts.ts'

const DAY_MS = 24 * HOUR_MS
/** Maximum number of buckets in one response, enough for a month by hour or two years by day. */
const MAX_BUCKETS = 800
const MAX_OFFSET_HOURS = 14

interface SpanQuery {
  readonly from?: string
  readonly to?: string
  readonly by?: 'hour' | 'day'
  readonly utc_offset?: string
}

export interface Span {
  readonly by: 'hour' | 'day'
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  readonly offsetMs: number
}

/**
 * Returns the span from the beginning of the first bucket to the end of the last bucket. Throws `validation_failed`.
 */
export function readSpan(query: SpanQuery, now: number, found: FieldProblem[] = []): Span {
  found.push(...nulProblems(query))
  const to = readTime('to', query.to, found) ?? now
  const by = query.by ?? 'hour'
  const bucketMs = by === 'hour' ? HOUR_MS : DAY_MS
  const offsetMs = readOffset(query.utc_offset, found)
  const from = readTime('from', query.from, found) ?? to - (by === 'hour' ? DAY_MS : 30 * DAY_MS)
  const begin = (at: number): number => at - ((((at + offsetMs) % bucketMs) + bucketMs) % bucketMs)
  const span = { by, bucketMs, offsetMs, from: begin(from), to: begin(to + bucketMs - 1) }
  if (found.length === 0 && from < 0) {
    found.push({ path: 'from', code: 'invalid_time', message: 'Give a time after 1970.' })
  } else if (found.length === 0 && to <= from) {
    found.push({ path: 'to', code: 'invalid_time', message: '`to` has to be after `from`.' })
  } else if (found.length === 0 && (span.to - span.from) / bucketMs > MAX_BUCKETS) {
    const message = `The span has more than ${MAX_BUCKETS} buckets; request a shorter span, or buckets of a day.`
    found.push({ path: 'from', code: 'too_long', message })
  }
  if (found.length > 0) throw invalidFields(found)
  return span
}

function readOffset(text: string | undefined, found: FieldProblem[]): number {
  if (text === undefined) return 0
  const [, sign, hours = ''] = /^([+-])(\d\d):00$/.exec(text) ?? []
  if (sign !== undefined && Number(hours) <= MAX_OFFSET_HOURS) {
    return (sign === '-' ? -1 : 1) * Number(hours) * HOUR_MS
  }
  const message = 'Give whole hours such as +02:00 or -05:00; statistics are stored by the hour.'
  found.push({ path: 'utc_offset', code: 'invalid_value', message })
  return 0
}

export type Figures = Omit<CountedBucket, 'at'>
const figures = (of: (name: keyof Figures) => number): Figures => recordOf(COUNTED_EVENTS, of)
const NOTHING = figures(() => 0)

/** Returns the sums of all buckets. */
export const totalsOf = (buckets: readonly CountedBucket[]): Figures =>
  buckets.reduce<Figures>((sum, bucket) => figures((name) => sum[name] + bucket[name]), NOTHING)

/** Returns every bucket of the span, including buckets without mail. */
export function withoutGaps(
  buckets: readonly CountedBucket[],
  { from, to, bucketMs }: Span,
): CountedBucket[] {
  const byTime = new Map(buckets.map((bucket) => [bucket.at, bucket]))
  return Array.from({ length: (to - from) / bucketMs }, (_, index) => {
    const at = from + index * bucketMs
    return byTime.get(at) ?? { at, ...NOTHING }
  })
}
