// GET /api/events and /api/events/stream: events of the messages of all domains of the account.

import type { Static } from 'typebox'
import { addressBeginning, nulProblems } from '../../../http/filters.ts'
import { eventDocument } from '../../../model/event-document.ts'
import { type FieldProblem, invalidFields, Problem } from '../../../model/problem.ts'
import { subjectWords } from '../../../model/subject-words.ts'
import { type Read, reading } from '../../../store/database/store.ts'
import { listDomainIds } from '../../../store/domains/domain-rows.ts'
import type { EventFilter } from '../../../store/events/event-filter.ts'
import type { PublishedEvent } from '../../../store/events/feed.ts'
import {
  ActivityListView,
  ActivityQuery,
  ActivityStreamQuery,
  OTHER_PROVIDERS,
} from '../../contract/dashboard-events.ts'
import { readFilter } from '../../events/filter.ts'
import { list } from '../../events/list.ts'
import { followerOf, sendStream } from '../../events/stream.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const eventRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  events(services),
  stream(services),
]

const events = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/events',
    role: 'viewer',
    schema: { querystring: ActivityQuery, response: { 200: ActivityListView } },
    async handler(request) {
      const { limit = 50, cursor, domain_id: domainId } = request.query
      const problems = nulProblems(request.query)
      const filter = filterOf(request.query, problems)
      if (problems.length > 0) throw invalidFields(problems)
      const domainIds = await domainsOf(read, sessionOf(request).account_id, domainId)
      const { events, next } = await list(read, domainIds, filter, { limit, cursor })
      return { data: events.map(activityOf), next_cursor: next }
    },
  })

const stream = ({ read, eventStreams }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/events/stream',
    role: 'viewer',
    schema: { querystring: ActivityStreamQuery },
    async handler(request, reply) {
      const { account_id: accountId } = sessionOf(request)
      const { domain_id: domainId } = request.query
      await domainsOf(read, accountId, domainId)
      return sendStream(eventStreams, request, reply, {
        // The domains are read again each time, because a domain may be added or deleted during the stream.
        feedIds: () => reading(listDomainIds(read, accountId, domainId)),
        readFollow: followerOf(filterOf),
        document: activityOf,
      })
    },
  })

type Query = Omit<Static<typeof ActivityQuery>, 'limit' | 'cursor' | 'domain_id'>

const filterOf = (
  { search, provider, category, counted, ...query }: Query,
  problems: FieldProblem[],
): EventFilter => ({
  ...readFilter(query, problems),
  provider: provider === OTHER_PROVIDERS ? null : provider,
  category,
  counted: counted === 'yes' || undefined,
  search:
    search === undefined ? undefined : { emailBegins: addressBeginning(search), words: subjectWords(search) },
})

/**
 * Returns the IDs of all domains of the account, or the ID of the requested domain. Throws `not_found` if the requested
 * domain does not belong to the account.
 */
async function domainsOf(read: Read, accountId: string, domainId: string | undefined): Promise<string[]> {
  const ids = await reading(listDomainIds(read, accountId, domainId))
  if (domainId !== undefined && ids.length === 0)
    throw new Problem('not_found', 'The account has no such domain.')
  return ids
}

const activityOf = (event: PublishedEvent) => ({
  ...eventDocument(event),
  domain_id: event.domainId,
  subject: event.subject,
})
