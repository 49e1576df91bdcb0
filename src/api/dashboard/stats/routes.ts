// GET /api/stats and GET /api/problems: how the mail of the account goes, and what wants to be looked at.

import { sessionMay } from '../../../access/sessions.ts'
import { LOOKED_BACK_MS, problemsOf } from '../../../health/account-problems.ts'
import { readInstallationProblems } from '../../../health/installation-problems.ts'
import { deliveryTimeQuantile } from '../../../model/delivery-time.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { findDomainById } from '../../../store/domains/domains.ts'
import { HOUR_MS, readCounts } from '../../../store/messages/message-counts.ts'
import { readProblemFacts } from '../../../store/node/problem-facts.ts'
import { ProblemListView, StatsQuery, StatsView } from '../../contract/dashboard-stats.ts'
import { readSpan, totalsOf, withoutGaps } from '../../stats/span.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const statsRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  stats(services),
  problems(services),
]

const stats = ({ read, clock }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/stats',
    role: 'viewer',
    schema: { querystring: StatsQuery, response: { 200: StatsView } },
    async handler(request): Promise<StatsView> {
      const query = request.query
      const accountId = sessionOf(request).account_id
      const span = readSpan(query, clock.now())
      const { from, to, by } = span
      const { domain_id: domainId, stream } = query
      if (domainId !== undefined && !(await reading(findDomainById(read, accountId, domainId)))) {
        throw new Problem('not_found', 'The account has no such domain.')
      }
      const { buckets, times } = await reading(readCounts(read, { ...span, accountId, domainId, stream }))
      return {
        by,
        from: time(from),
        to: time(to),
        buckets: withoutGaps(buckets, span).map(({ at, ...figures }) => ({
          at: time(at),
          ...figures,
        })),
        totals: totalsOf(buckets),
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
