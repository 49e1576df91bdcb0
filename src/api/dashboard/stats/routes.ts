// GET /api/stats, /api/domain-figures and /api/problems: statistics of the account's mail, and problems that need
// attention.

import { sessionMay } from '../../../access/sessions.ts'
import { LOOKED_BACK_MS, problemsOf } from '../../../health/account-problems.ts'
import { readInstallationProblems } from '../../../health/installation-problems.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { findDomainById } from '../../../store/domains/domain-rows.ts'
import { readProblemFacts } from '../../../store/problems/problem-facts.ts'
import { HOUR_MS, readDomainCounts } from '../../../store/readers/message-counts.ts'
import { DomainFiguresView, ProblemListView, StatsQuery, StatsView } from '../../contract/dashboard-stats.ts'
import { readFigures, readFiguresQuery, readPrevious } from '../../stats/figures.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const statsRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  stats(services),
  domainFigures(services),
  problems(services),
]

const stats = ({ read, clock }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/stats',
    role: 'viewer',
    readsLong: true,
    schema: { querystring: StatsQuery, response: { 200: StatsView } },
    async handler(request): Promise<StatsView> {
      const { domain_id: domainId, previous = false, ...rest } = request.query
      const { account_id: accountId } = sessionOf(request)
      const query = readFiguresQuery(
        { accountId, domainIds: domainId === undefined ? undefined : [domainId] },
        rest,
        clock.now(),
      )
      if (domainId !== undefined && !(await reading(findDomainById(read, accountId, domainId)))) {
        throw new Problem('not_found', 'The account has no such domain.')
      }
      return {
        ...(await readFigures(read, query)),
        previous: previous ? await readPrevious(read, query, clock.now()) : null,
      }
    },
  })

/** Time span of the figures in the list of domains. */
const RECENT_MS = 30 * 86_400_000

const domainFigures = ({ read, clock }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domain-figures',
    role: 'viewer',
    readsLong: true,
    schema: { response: { 200: DomainFiguresView } },
    async handler(request): Promise<DomainFiguresView> {
      const now = clock.now()
      const since = now - (now % HOUR_MS) - RECENT_MS
      const counts = await reading(readDomainCounts(read, sessionOf(request).account_id, since))
      return {
        data: counts.map(({ domain_id, accepted, delivered, bounced, failed }) => {
          const ended = delivered + bounced + failed
          return { domain_id, accepted, bounce_rate: ended === 0 ? null : bounced / ended }
        }),
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
