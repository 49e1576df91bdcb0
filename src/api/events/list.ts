// GET /v1/events: returns the events of the key's domains, newest first, or in ascending order for a client that follows
// the events.

import type { FastifyRequest } from 'fastify'
import { nulProblems } from '../../http/filters.ts'
import { wrongCursor } from '../../http/page.ts'
import { type EventDocument, eventDocument } from '../../model/event-document.ts'
import { invalidFields } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { EventFilter } from '../../store/events/event-filter.ts'
import type { PublishedEvent } from '../../store/events/feed.ts'
import { followEvents, isEventCursor, isPosition, listEvents } from '../../store/search/event-search.ts'
import { EventList, EventQuery } from '../contract/event.ts'
import { sendersOf, shownDomain } from '../domain-of-request.ts'
import { defineRoute } from '../route.ts'
import { readFilter } from './filter.ts'

const FOLLOWING = [
  'Newest first. With `order=asc` the list can be followed: it begins with the oldest event, or at the time `after`, and its',
  '`next_cursor` is never null. Keep it, and ask with it again for what has come since: no event is missed and none comes',
  'twice, also when many are written at the same time. An answer without `data` whose `next_cursor` is the one that was',
  'asked with has reached the end; wait before the next. A list through very many events may answer with fewer than',
  '`limit`; the `next_cursor` continues it. Events can be read some 250 ms after they happened, and as long as their',
  'messages are kept. With `message_id` or `recipient` and newest first, the events of the newest 1,000 messages are found.',
].join(' ')

export const listOfEvents = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/events',
    schema: {
      tags: ['Events'],
      summary: 'List or follow events',
      description: FOLLOWING,
      querystring: EventQuery,
      response: { 200: EventList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'messages:read',
    domains: 'all',
    async handler(request) {
      const { order, limit = 50, cursor } = request.query
      const problems = nulProblems(request.query)
      const filter = readFilter(request.query, problems)
      if (problems.length > 0) throw invalidFields(problems)
      const domainIds = sendersOf(request).map(({ domainId }) => domainId)
      const page = { limit, cursor }
      const { events, next } = await (order === 'asc'
        ? follow(read, domainIds, filter, page)
        : list(read, domainIds, filter, page))
      return { data: events.map(documentFor(request)), next_cursor: next }
    },
  })

/** Returns the function that shows events to the caller; an event names its domain to a management key. */
export function documentFor(request: FastifyRequest) {
  const byId = new Map(sendersOf(request).map((owner) => [owner.domainId, shownDomain(request, owner)]))
  return (event: PublishedEvent): EventDocument => ({ ...eventDocument(event), ...byId.get(event.domainId) })
}

interface Page {
  readonly limit: number
  readonly cursor: string | undefined
}
type Events = Promise<{ readonly events: readonly PublishedEvent[]; readonly next: string | null }>

/** Returns the events of domains after a cursor. Throws `malformed_request` for an invalid cursor. */
async function follow(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  { limit, cursor = '0' }: Page,
): Events {
  if (!isPosition(cursor)) throw wrongCursor()
  const page = { after: Number(cursor), limit }
  const { events, position } = await reading(followEvents(read, domainIds, filter, page))
  return { events, next: String(position) }
}

/** Returns the newest events of domains. Throws `malformed_request` for an invalid cursor. */
export async function list(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  page: Page,
): Events {
  if (page.cursor !== undefined && !isEventCursor(filter, page.cursor)) throw wrongCursor()
  return reading(listEvents(read, domainIds, filter, page))
}
