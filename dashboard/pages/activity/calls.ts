// API calls about the events of all domains.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ActivityView } from '../../../src/api/contract/dashboard-events.ts'
import { get, type Page, type Query, withQuery } from '../../client.ts'
import { canonicalId, isMessageId } from '../../parts/message-id.ts'
import { OUTCOMES } from '../messages/event-types.ts'
import type { Filter } from './activity-address.ts'

export type ActivityEvent = ActivityView

/** Value of the filter `type` that selects the events of all types. */
export const EVERY_TYPE = 'all'

/** True if a filter selects outcomes, which is the case unless the filter names an event type or a message. */
const isOfOutcomes = ({ type, search }: Filter): boolean =>
  type === undefined && !(search !== undefined && isMessageId(search))

/**
 * Returns the query for the API: the search text is either a message ID, or a part of a recipient's address or subject.
 */
function queryOf({ search, domain, type, ...filter }: Filter): Query {
  const found = search !== undefined && isMessageId(search) ? { message_id: canonicalId(search) } : { search }
  const types = isOfOutcomes({ type, search }) ? OUTCOMES.join() : type === EVERY_TYPE ? undefined : type
  return { ...found, ...filter, type: types, domain_id: domain }
}

/**
 * Returns the rows of a page of events: the latest outcome for each recipient of a message, or all events if the
 * filter selects other event types or counted events.
 *
 * @param events newest first
 */
export function shownEvents(events: readonly ActivityEvent[], filter: Filter): ActivityEvent[] {
  if (!isOfOutcomes(filter) || filter.counted !== undefined) return [...events]
  const seen = new Set<string>()
  return events.filter(({ message_id, email }) => {
    const recipient = `${message_id} ${email}`
    return !seen.has(recipient) && seen.add(recipient)
  })
}

/** Query key that all pages of the event list share. */
export const EVENTS_KEY = ['activity'] as const

/**
 * Returns the query for a page of the event list.
 * @param interval milliseconds between requests for the first page, or false
 */
export const activityQuery = (filter: Filter, cursor: string | undefined, interval: number | false) =>
  queryOptions({
    queryKey: [...EVENTS_KEY, filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<ActivityEvent>>('/api/events', { ...queryOf(filter), cursor, limit: 50 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? interval : false,
  })

/** Returns the URL of the event stream, which contains only future events. */
export const streamAddress = ({ after: _after, before: _before, ...filter }: Filter): string =>
  withQuery('/api/events/stream', queryOf(filter))

/** Returns the path of the page of the message or of the incident to which an event belongs. */
export const messageAddress = ({
  domain_id,
  message_id,
  detail,
}: Pick<ActivityEvent, 'domain_id' | 'message_id'> & { readonly detail?: object }): string => {
  if (message_id === null) {
    const { incident_id: id } = (detail ?? {}) as { readonly incident_id?: string }
    return id === undefined ? '/deliverability' : `/deliverability/incidents/${id}`
  }
  return `/domains/${domain_id}/${message_id.startsWith('msg_') ? 'messages' : 'inbound'}/${message_id}`
}
