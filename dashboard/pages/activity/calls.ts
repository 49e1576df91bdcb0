// Calls of the service about events of all domains.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ActivityView } from '../../../src/api/contract/dashboard-events.ts'
import { get, type Page, type Query, withQuery } from '../../client.ts'

export type ActivityEvent = ActivityView

/** Filters of the page, as they stand in the address. */
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

/** True for a whole message ID. */
export const isMessageId = (text: string): boolean => /^(?:msg|inb)_[0-9A-HJKMNP-TV-Z]{26}$/i.test(text)

/** Query of the service: the search is for a message ID, or for the address of a recipient and the subject. */
function queryOf({ search, domain, ...filter }: Filter): Query {
  const found =
    search !== undefined && isMessageId(search)
      ? { message_id: `${search.slice(0, 4).toLowerCase()}${search.slice(4).toUpperCase()}` }
      : { search }
  return { ...found, ...filter, domain_id: domain }
}

/** The page with the events of a filter. */
export const activityAddress = (filter: Filter): string => withQuery('/activity', filter)

/** Key of every page of the events. */
export const EVENTS_KEY = ['activity'] as const

/** @param interval milliseconds between requests for the first page, or false */
export const activityQuery = (filter: Filter, cursor: string | undefined, interval: number | false) =>
  queryOptions({
    queryKey: [...EVENTS_KEY, filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<ActivityEvent>>('/api/events', { ...queryOf(filter), cursor, limit: 50 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? interval : false,
  })

/** Of the stream of what comes from now on. */
export const streamAddress = ({ after: _after, before: _before, ...filter }: Filter): string =>
  withQuery('/api/events/stream', queryOf(filter))

/** The page of the message that an event is of. */
export const messageAddress = ({
  domain_id,
  message_id,
}: Pick<ActivityEvent, 'domain_id' | 'message_id'>): string =>
  `/domains/${domain_id}/${message_id.startsWith('msg_') ? 'messages' : 'inbound'}/${message_id}`
