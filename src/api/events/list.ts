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
import { METADATA_FILTER } from '../contract/common.ts'
import { EventList, EventQuery } from '../contract/event.ts'
import { sendersOf, shownDomain } from '../domain-of-request.ts'
import { defineRoute } from '../route.ts'
import { readFilter } from './filter.ts'

const FOLLOWING = [
  'Returns events, newest first. With `order=asc` a client can follow the events: the list begins with the oldest event, or',
  'at the time `after`, and `next_cursor` is never null. Store the cursor, and send it with the next request to get the',
  'events since then: no event is missed or returned twice, even if many events are written at the same time. A page',
  'without `data` and with an unchanged `next_cursor` is the end of the list; wait before the next request. A search through',
  'very many events may return fewer than `limit` events; continue with `next_cursor`.',
  METADATA_FILTER,
  'Events become readable about 250 ms',
  'after they happen, and stay readable as long as their messages are kept. With `message_id` or `recipient`, newest first,',
  'only events of the newest 1,000 messages are found.',
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
export async function follow(
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
