// Returns statistics of the mail in a span of time, for the API and the dashboard.

import { formatTime } from '../../lib/rfc3339.ts'
import { deliveryTimeQuantile } from '../../model/delivery-time.ts'
import type { FieldProblem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { type CountsQuery, readCounts } from '../../store/readers/message-counts.ts'
import { readBounceCategories, readGroups } from '../../store/readers/message-parts.ts'
import type { StatsQuery, StatsView } from '../contract/stats.ts'
import { type Figures, readSpan, type Span, totalsOf, withoutGaps } from './span.ts'

/** Owner of the statistics: some domains of an account, or all domains of the account. */
export interface FiguresOwner {
  readonly accountId: string
  readonly domainIds: readonly string[] | undefined
}

/** Parsed query for statistics: span, row filter and grouping. */
export interface FiguresQuery {
  readonly span: Span
  readonly counts: CountsQuery
  readonly groupBy: 'stream' | 'tag' | 'provider' | undefined
}

/** Parses a query for statistics. Throws `validation_failed` with all problems of the query. */
export function readFiguresQuery(owner: FiguresOwner, query: StatsQuery, now: number): FiguresQuery {
  const { stream, tag, provider, group_by: groupBy, ...spanQuery } = query
  const { accountId, domainIds } = owner
  const problems: FieldProblem[] = []
  if (tag !== undefined && provider !== undefined) {
    const message = 'Give either a tag or a provider; statistics for a combination of both are not stored.'
    problems.push({ path: 'provider', code: 'not_together', message })
  }
  const span = readSpan(spanQuery, now, problems)
  const part =
    tag !== undefined
      ? ({ kind: 'tag', name: tag } as const)
      : provider !== undefined
        ? ({ kind: 'provider', name: provider } as const)
        : undefined
  return { span, counts: { ...span, accountId, domainIds, stream, part }, groupBy }
}

/** Returns the statistics of a span: the buckets, the sums of all buckets, and groups if requested. */
export async function readFigures(read: Read, query: FiguresQuery): Promise<StatsView> {
  const { span, counts, groupBy } = query
  const [{ buckets, times }, categories, groups] = await Promise.all([
    reading(readCounts(read, counts)),
    counts.part === undefined ? reading(readBounceCategories(read, counts)) : null,
    groupBy === undefined ? null : reading(readGroups(read, counts, groupBy)),
  ])
  return {
    by: span.by,
    from: formatTime(span.from),
    to: formatTime(span.to),
    buckets: withoutGaps(buckets, span).map(({ at, ...figures }) => ({ at: formatTime(at), ...figures })),
    totals: totalsOf(buckets),
    bounced_by_category: categories,
    delivery_time_ms: quantilesOf(times),
    groups:
      groups?.map(({ name, counts, times }) => ({
        name,
        ...counts,
        delivery_time_ms: quantilesOf(times),
      })) ?? null,
  }
}

/** Sums of the statistics of a span of time. */
export interface Totals {
  readonly from: string
  readonly to: string
  readonly totals: Figures
  readonly delivery_time_ms: ReturnType<typeof quantilesOf>
}

const HOUR_MS = 3_600_000

/**
 * Returns the sums of the previous span. If the current span has not ended, only the same elapsed time is summed,
 * rounded up to the hour, so that a day that has just begun is compared with the first hours of the previous day.
 */
export async function readPrevious(read: Read, { span, counts }: FiguresQuery, now: number): Promise<Totals> {
  const length = span.to - span.from
  const elapsed = Math.min(length, Math.max(HOUR_MS, Math.ceil((now - span.from) / HOUR_MS) * HOUR_MS))
  const from = Math.max(0, span.from - length)
  const to = Math.max(0, from + elapsed)
  const { buckets, times } = await reading(readCounts(read, { ...counts, from, to }))
  return {
    from: formatTime(from),
    to: formatTime(to),
    totals: totalsOf(buckets),
    delivery_time_ms: quantilesOf(times),
  }
}

const quantilesOf = (times: readonly number[]) => ({
  p50: deliveryTimeQuantile(times, 0.5),
  p95: deliveryTimeQuantile(times, 0.95),
})
