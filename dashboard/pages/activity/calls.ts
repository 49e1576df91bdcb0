// API calls about the events of all domains.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ActivityView } from '../../../src/api/contract/dashboard-events.ts'
import { get, type Page, type Query, withQuery } from '../../client.ts'

export type ActivityEvent = ActivityView

/** Filters of the activity page, as they appear in its URL. */
export const FILTERS = [
  'search',
  'type',
  'domain',
  'stream',
  'tag',
  'provider',
  'category',
  'counted',
  'after',
  'before',
] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

/** True if the text is a complete message ID. */
export const isMessageId = (text: string): boolean => /^(?:msg|inb)_[0-9A-HJKMNP-TV-Z]{26}$/i.test(text)

/**
 * Returns the query for the API: the search text is either a message ID, or a part of a recipient's address or subject.
 */
function queryOf({ search, domain, ...filter }: Filter): Query {
  const found =
    search !== undefined && isMessageId(search)
      ? { message_id: `${search.slice(0, 4).toLowerCase()}${search.slice(4).toUpperCase()}` }
      : { search }
  return { ...found, ...filter, domain_id: domain }
}

/** Returns the path of the activity page with this filter. */
export const activityAddress = (filter: Filter): string => withQuery('/activity', filter)

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

/** Returns the path of the page of the message to which an event belongs. */
export const messageAddress = ({
  domain_id,
  message_id,
}: Pick<ActivityEvent, 'domain_id' | 'message_id'>): string =>
  `/domains/${domain_id}/${message_id.startsWith('msg_') ? 'messages' : 'inbound'}/${message_id}`
