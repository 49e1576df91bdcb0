// GET /api/stats and GET /api/problems: how the mail of the account goes, and what wants to be looked at.

import { sessionMay } from '../../../access/sessions.ts'
import { LOOKED_BACK_MS, problemsOf } from '../../../health/account-problems.ts'
import { readInstallationProblems } from '../../../health/installation-problems.ts'
import { deliveryTimeQuantile } from '../../../model/delivery-time.ts'
import { COUNTED_EVENTS } from '../../../model/event.ts'
import { type FieldProblem, invalidFields, Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { findDomainById } from '../../../store/domains/domains.ts'
import { type CountedBucket, HOUR_MS, readCounts } from '../../../store/messages/message-counts.ts'
import { readProblemFacts } from '../../../store/node/problem-facts.ts'
import { ProblemListView, StatsQuery, StatsView } from '../../contract/dashboard-stats.ts'
import { nulProblems, readTime } from '../../filters.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const DAY_MS = 24 * HOUR_MS
/** The most buckets of one answer: a month of hours, or more than a year of days. */
const MAX_BUCKETS = 800

export const statsRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  stats(services),
  problems(services),
]

type Figures = Omit<CountedBucket, 'at'>
const figures = (of: (name: keyof Figures) => number): Figures =>
  Object.fromEntries(COUNTED_EVENTS.map((name) => [name, of(name)])) as Figures
const NOTHING = figures(() => 0)

const stats = ({ read, clock }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/stats',
    role: 'viewer',
    schema: { querystring: StatsQuery, response: { 200: StatsView } },
    async handler(request): Promise<StatsView> {
      const query = request.query
      const accountId = sessionOf(request).account_id
      const { from, to, by, bucketMs } = readSpan(query, clock.now())
      const { domain_id: domainId, stream } = query
      if (domainId !== undefined && !(await reading(findDomainById(read, accountId, domainId)))) {
        throw new Problem('not_found', 'The account has no such domain.')
      }
      const { buckets, times } = await reading(
        readCounts(read, { accountId, domainId, stream, from, to, bucketMs }),
      )
      return {
        by,
        from: time(from),
        to: time(to),
        buckets: withoutGaps(buckets, from, to, bucketMs).map(({ at, ...figures }) => ({
          at: time(at),
          ...figures,
        })),
        totals: buckets.reduce<Figures>(added, NOTHING),
        delivery_time_ms: { p50: deliveryTimeQuantile(times, 0.5), p95: deliveryTimeQuantile(times, 0.95) },
      }
    },
  })

const problems = ({ read, clock, storedBytesPerAccount, certificate }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/problems',
    role: 'viewer',
    schema: { response: { 200: ProblemListView } },
    async handler(request) {
      const now = clock.now()
      const since = now - LOOKED_BACK_MS - (now % HOUR_MS)
      const session = sessionOf(request)
      const facts = await reading(readProblemFacts(read, session.account_id, since, now))
      if (facts === undefined) throw new Problem('not_found', 'There is no such account.')
      const ofAll = sessionMay(session, 'operator')
        ? await reading(readInstallationProblems(read, certificate(), now))
        : []
      return { data: [...ofAll, ...problemsOf(facts, now, storedBytesPerAccount)] }
    },
  })

const time = (ms: number): string => new Date(ms).toISOString()

/** From the beginning of the first bucket to the end of the last. Throws `validation_failed`. */
function readSpan(query: StatsQuery, now: number) {
  const found: FieldProblem[] = nulProblems(query)
  const to = readTime('to', query.to, found) ?? now
  const by = query.by ?? 'hour'
  const bucketMs = by === 'hour' ? HOUR_MS : DAY_MS
  const from = readTime('from', query.from, found) ?? to - (by === 'hour' ? DAY_MS : 30 * DAY_MS)
  const span = {
    by,
    bucketMs,
    from: from - (from % bucketMs),
    to: Math.ceil(to / bucketMs) * bucketMs,
  } as const
  if (found.length === 0 && from < 0) {
    found.push({ path: 'from', code: 'invalid_time', message: 'Give a time after 1970.' })
  } else if (found.length === 0 && to <= from) {
    found.push({ path: 'to', code: 'invalid_time', message: 'It has to be after `from`.' })
  } else if (found.length === 0 && (span.to - span.from) / bucketMs > MAX_BUCKETS) {
    const message = `That is more than ${MAX_BUCKETS} buckets; ask for less, or by day.`
    found.push({ path: 'from', code: 'too_long', message })
  }
  if (found.length > 0) throw invalidFields(found)
  return span
}

function withoutGaps(
  buckets: readonly CountedBucket[],
  from: number,
  to: number,
  bucketMs: number,
): CountedBucket[] {
  const byTime = new Map(buckets.map((bucket) => [bucket.at, bucket]))
  return Array.from({ length: (to - from) / bucketMs }, (_, index) => {
    const at = from + index * bucketMs
    return byTime.get(at) ?? { at, ...NOTHING }
  })
}

function added(sum: Figures, bucket: CountedBucket): Figures {
  return figures((name) => sum[name] + bucket[name])
}
