// Calls of the service about messages.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { AttemptListView } from '../../../src/api/contract/dashboard-messages.ts'
import type { MessageSummary, MessageView, SendAnswer } from '../../../src/api/contract/message.ts'
import { get, type Page, path, post, type Query } from '../../client.ts'
import { LIVE_MS } from '../../queries.ts'

export type Message = Static<typeof MessageView>
export type MessageLine = Static<typeof MessageSummary>
export type Recipient = MessageLine['to'][number]
export type MessageEvent = Message['events'][number]
/** One try to hand a recipient to one host. */
export type Attempt = AttemptListView['data'][number]

/** Filters of the list, as they stand in the address. */
export const FILTERS = [
  'recipient',
  'subject',
  'tag',
  'status',
  'stream',
  'period',
  'after',
  'before',
] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

const HOUR_MS = 3_600_000

/** Periods that end now, by their name in the address. */
export const PERIODS: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
}

/**
 * The query of the service for a filter: a period becomes a time, a local time one with its zone. Deferred are the
 * messages of which a recipient is.
 */
export function queryOf({ period, after, before, status, ...same }: Filter, now: number): Query {
  const ms = PERIODS[period ?? '']
  const instant = (local: string | undefined) => {
    const time = local === undefined ? Number.NaN : new Date(local).getTime()
    return Number.isNaN(time) ? undefined : new Date(time).toISOString()
  }
  return {
    ...same,
    ...(status === 'deferred' ? { recipient_status: status } : { status }),
    after: ms === undefined ? instant(after) : new Date(now - ms).toISOString(),
    before: ms === undefined ? instant(before) : undefined,
  }
}

/** A page of the messages; the first one is asked for again and again while it is shown. */
export const messagesQuery = (domainId: string, filter: Filter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'messages', filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<MessageLine>>(
        path`/api/domains/${domainId}/messages`,
        { ...queryOf(filter, Date.now()), cursor, limit: 50 },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  })

const FINAL = new Set(['delivered', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled'])

/** True if nothing more happens to it by itself, except a late bounce. */
export const isFinal = (status: string): boolean => FINAL.has(status)

/** Asked for again until it has come to an end, and slowly then. */
export const messageQuery = (domainId: string, messageId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'message', messageId],
    queryFn: ({ signal }) =>
      get<Message>(path`/api/domains/${domainId}/messages/${messageId}`, undefined, signal),
    refetchInterval: ({ state }) => (isFinal(state.data?.status ?? '') ? 30_000 : LIVE_MS),
  })

/** The tries of its recipients; `events` is how many events are known, since each try makes one. */
export const attemptsQuery = (domainId: string, messageId: string, events: number) =>
  queryOptions({
    queryKey: ['domains', domainId, 'attempts', messageId, events],
    queryFn: ({ signal }) =>
      get<AttemptListView>(path`/api/domains/${domainId}/messages/${messageId}/attempts`, undefined, signal),
    placeholderData: keepPreviousData,
  })

/** With its text, HTML and header fields. It never changes. */
export const contentQuery = (domainId: string, messageId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'content', messageId],
    queryFn: ({ signal }) =>
      get<Message>(path`/api/domains/${domainId}/messages/${messageId}`, { include: 'content' }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const rawAddress = (domainId: string, messageId: string): string =>
  path`/api/domains/${domainId}/messages/${messageId}/raw`

export const htmlAddress = (domainId: string, messageId: string): string =>
  path`/api/domains/${domainId}/messages/${messageId}/html`

export const rawQuery = (domainId: string, messageId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'raw', messageId],
    queryFn: ({ signal }) => get<string>(rawAddress(domainId, messageId), undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const cancelMessage = (domainId: string, messageId: string): Promise<Message> =>
  post(path`/api/domains/${domainId}/messages/${messageId}/cancel`)

export const resendMessage = (
  domainId: string,
  messageId: string,
  recipients: readonly string[],
): Promise<Static<typeof SendAnswer>> =>
  post(path`/api/domains/${domainId}/messages/${messageId}/resend`, { recipients })

/** All its recipients. */
export const recipientsOf = ({ to, cc, bcc }: MessageLine): Recipient[] => [...to, ...cc, ...bcc]
