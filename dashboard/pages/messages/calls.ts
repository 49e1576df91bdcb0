// API calls about sent messages.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  AttachmentListView,
  AttemptListView,
  LinkView,
  MessageCountView,
  ResendListView,
} from '../../../src/api/contract/dashboard-messages.ts'
import type { MessageSummary, MessageView, SendAnswer } from '../../../src/api/contract/message.ts'
import { get, type Page, path, post, type Query, withQuery } from '../../client.ts'
import { instantOf } from '../../parts/instant.ts'
import { POLLED_MS, STREAMED_MS } from '../../queries.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'

export type Message = Static<typeof MessageView>
export type MessageLine = Static<typeof MessageSummary>
export type Recipient = MessageLine['to'][number]
export type MessageEvent = Message['events'][number]
/** An attempt to deliver a message for one recipient to one mail host. */
export type Attempt = AttemptListView['data'][number]

/** Filters of the list of messages, as they appear in the URL of the page. */
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

/** Lengths in milliseconds of periods that end now, by their name in the URL. */
const PERIODS: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
}

/**
 * Returns the API query for a filter: a period becomes a time, and a local time gets its time zone. The status
 * `deferred` finds messages with a deferred recipient.
 */
function queryOf({ period, after, before, status, ...same }: Filter, now: number): Query {
  const ms = PERIODS[period ?? '']
  return {
    ...same,
    ...(status === 'deferred' ? { recipient_status: status } : { status }),
    after: ms === undefined ? instantOf(after) : new Date(now - ms).toISOString(),
    before: ms === undefined ? instantOf(before) : undefined,
  }
}

/** Returns the URL of the event stream of a domain, or of a single message. */
export const eventsAddress = (domainId: string, messageId?: string): string =>
  withQuery('/api/events/stream', { domain_id: domainId, message_id: messageId })

/**
 * Returns the query for a page of the messages; the first page refreshes while it is visible.
 *
 * @param interval milliseconds between two requests
 */
export const messagesQuery = (
  domainId: string,
  filter: Filter,
  cursor: string | undefined,
  interval: number,
) =>
  queryOptions({
    queryKey: ['domains', domainId, 'messages', filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<MessageLine>>(
        path`/api/domains/${domainId}/messages`,
        { ...queryOf(filter, Date.now()), cursor, limit: 50 },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const waits = state.data?.data.some(({ status }) => mayBeHeld(status)) === true
      return cursor === undefined ? (waits ? Math.min(interval, POLLED_MS) : interval) : false
    },
  })

/** Returns the query for the number of messages that match a filter, up to a thousand. */
export const messageCountQuery = (domainId: string, filter: Filter) =>
  queryOptions({
    queryKey: ['domains', domainId, 'message count', filter],
    queryFn: ({ signal }) =>
      get<MessageCountView>(
        path`/api/domains/${domainId}/messages/count`,
        queryOf(filter, Date.now()),
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: STREAMED_MS,
  })

/** Returns the URL of a CSV file with the recipients of all messages that match a filter. */
export const csvAddress = (domainId: string, filter: Filter): string =>
  withQuery(path`/api/domains/${domainId}/messages`, { ...queryOf(filter, Date.now()), format: 'csv' })

const FINAL = new Set(['delivered', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled'])

/** True if the status of a message is final, except for an asynchronous bounce. */
export const isFinal = (status: string): boolean => FINAL.has(status)

/** True if a message has recipients that a pause may hold or release; the event stream does not report pauses. */
const mayBeHeld = (status: string): boolean => !isFinal(status) && status !== 'scheduled'

/**
 * Returns the query for a message.
 * @param interval milliseconds between two requests
 */
export const messageQuery = (domainId: string, messageId: string, interval: number) =>
  queryOptions({
    queryKey: ['domains', domainId, 'message', messageId],
    queryFn: ({ signal }) =>
      get<Message>(path`/api/domains/${domainId}/messages/${messageId}`, undefined, signal),
    refetchInterval: ({ state }) =>
      state.data !== undefined && mayBeHeld(state.data.status) ? Math.min(interval, POLLED_MS) : interval,
  })

/**
 * Returns the query for the attempts of a message; `events` is the number of known events, since each attempt causes an
 * event.
 */
export const attemptsQuery = (domainId: string, messageId: string, events: number) =>
  queryOptions({
    queryKey: ['domains', domainId, 'attempts', messageId, events],
    queryFn: ({ signal }) =>
      get<AttemptListView>(path`/api/domains/${domainId}/messages/${messageId}/attempts`, undefined, signal),
    placeholderData: keepPreviousData,
  })

/** Returns the query for a message with its text, HTML and header fields, which never change. */
export const contentQuery = (domainId: string, messageId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'content', messageId],
    queryFn: ({ signal }) =>
      get<Message>(path`/api/domains/${domainId}/messages/${messageId}`, { include: 'content' }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Attachment = AttachmentListView['data'][number]

/** Returns the query for the attachments of a message and the size of the mail; an error if the content was removed. */
export const attachmentsQuery = (domainId: string, messageId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'attachments', messageId],
    queryFn: ({ signal }) =>
      get<AttachmentListView>(
        path`/api/domains/${domainId}/messages/${messageId}/attachments`,
        undefined,
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
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

/** Makes the deferred recipients of a message due at once; returns their number. */
export const retryMessage = (domainId: string, messageId: string): Promise<{ readonly recipients: number }> =>
  post(path`/api/domains/${domainId}/messages/${messageId}/retry`)

/** Creates a link that shows the message without a login for this number of hours. */
export const shareMessage = (domainId: string, messageId: string, hours: number): Promise<LinkView> =>
  post(shareAddress(domainId, messageId), { hours })

/** Returns the API path under which links to a message are created and revoked. */
export const shareAddress = (domainId: string, messageId: string): string =>
  path`/api/domains/${domainId}/messages/${messageId}/share`

/** Removes the suppressions of an address that block messages of this stream, except for complaints. */
export const removeSuppressions = (domainId: string, email: string, stream: string): Promise<unknown> =>
  post(path`/api/domains/${domainId}/suppressions/remove`, {
    suppressions: [
      { email, stream },
      { email, stream: '*' },
    ],
  })

/** Returns the query for the messages that sent the content of this message again. */
export const resendsQuery = (domainId: string, messageId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'resends', messageId],
    queryFn: ({ signal }) =>
      get<ResendListView>(path`/api/domains/${domainId}/messages/${messageId}/resends`, undefined, signal),
  })

/**
 * Returns the recipients for whom a resend is useful: bounced, failed or cancelled recipients, or all recipients if all
 * were delivered.
 */
export function usefulToResend(recipients: readonly Recipient[]): readonly string[] {
  const missed = recipients.filter(({ status }) => ['bounced', 'failed', 'cancelled'].includes(status))
  const all = recipients.every(({ status }) => status === 'delivered')
  return (all ? recipients : missed).map(({ email }) => email)
}

/** Returns all recipients of a message. */
export const recipientsOf = ({ to, cc, bcc }: Pick<MessageLine, 'to' | 'cc' | 'bcc'>): Recipient[] => [
  ...to,
  ...cc,
  ...bcc,
]

/** Returns the recipients in short form, such as `ann@example.net and 2 more`. */
export function recipientsInShort(message: Pick<MessageLine, 'to' | 'cc' | 'bcc'>): string {
  const [first, ...others] = recipientsOf(message)
  return others.length === 0
    ? (first?.email ?? '')
    : `${first?.email} ${fill(words.andMore, { count: others.length })}`
}
