// API calls about test inboxes and their messages.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { InboxMailOrigin } from '../../../src/api/contract/dashboard-inboxes.ts'
import type { LinkView } from '../../../src/api/contract/dashboard-messages.ts'
import type {
  InboxBody,
  InboxMade,
  InboxMail,
  InboxMailSummary,
  InboxPatch,
  InboxView,
} from '../../../src/api/contract/inbox.ts'
import type { KeyMade } from '../../../src/api/contract/key.ts'
import { get, type Page, patch, path, post, remove } from '../../client.ts'
import { LIVE_MS } from '../../queries.ts'

export type Inbox = InboxView
export type NewInbox = Static<typeof InboxMade>
export type InboxChanges = Static<typeof InboxPatch>
export type MailLine = InboxMailSummary
export type Mail = InboxMail
export type Mailbox = NonNullable<MailLine['from']>
export type Signature = InboxMailOrigin['signatures'][number]

/** ID of the mailbox of the playground. */
export const MAILBOX = `inb_${'0'.repeat(26)}`

export const inboxesQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['inboxes', 'list', cursor],
    queryFn: ({ signal }) => get<Page<Inbox>>('/api/inboxes', { cursor, limit: 50 }, signal),
    placeholderData: keepPreviousData,
  })

export const inboxQuery = (id: string) =>
  queryOptions({
    queryKey: ['inboxes', 'one', id],
    queryFn: ({ signal }) => get<Inbox>(path`/api/inboxes/${id}`, undefined, signal),
  })

export const createInbox = (body: Static<typeof InboxBody>): Promise<NewInbox> => post('/api/inboxes', body)

export const changeInbox = (id: string, changes: InboxChanges): Promise<Inbox> =>
  patch(path`/api/inboxes/${id}`, changes)

export const deleteInbox = (id: string): Promise<void> => remove(path`/api/inboxes/${id}`)

/** Creates a Sending key whose messages go to an inbox. */
export const createTestKey = (inbox_id: string, domain: string, name: string): Promise<KeyMade> =>
  post('/api/keys', { kind: 'sending', name, domains: [domain], mode: 'test', inbox_id })

/** Returns the query for a page of the messages of an inbox; the first page refreshes regularly. */
export const mailsQuery = (inboxId: string, search: string | undefined, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['inboxes', inboxId, 'mails', search, cursor],
    queryFn: ({ signal }) =>
      get<Page<MailLine>>(path`/api/inboxes/${inboxId}/messages`, { search, cursor, limit: 25 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  })

const mailAddress = (inboxId: string, id: string): string => path`/api/inboxes/${inboxId}/messages/${id}`

export const htmlAddress = (inboxId: string, id: string): string => `${mailAddress(inboxId, id)}/html`
export const rawAddress = (inboxId: string, id: string): string => `${mailAddress(inboxId, id)}/raw`
export const shareAddress = (inboxId: string, id: string): string => `${mailAddress(inboxId, id)}/share`
export const fileAddress = (inboxId: string, id: string, number: number): string =>
  `${mailAddress(inboxId, id)}/attachments/${number}`

/** Returns the query for a message, which never changes. */
export const mailQuery = (inboxId: string, id: string) =>
  queryOptions({
    queryKey: ['inboxes', inboxId, 'mail', id],
    queryFn: ({ signal }) => get<Mail>(mailAddress(inboxId, id), undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const originQuery = (inboxId: string, id: string) =>
  queryOptions({
    queryKey: ['inboxes', inboxId, 'origin', id],
    queryFn: ({ signal }) => get<InboxMailOrigin>(`${mailAddress(inboxId, id)}/origin`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const rawQuery = (inboxId: string, id: string) =>
  queryOptions({
    queryKey: ['inboxes', inboxId, 'raw', id],
    queryFn: ({ signal }) => get<string>(rawAddress(inboxId, id), undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const clearInbox = (inboxId: string): Promise<void> => remove(path`/api/inboxes/${inboxId}/messages`)

export const deleteMail = (inboxId: string, id: string): Promise<void> => remove(mailAddress(inboxId, id))

export const shareMail = (inboxId: string, id: string, hours: number): Promise<LinkView> =>
  post(shareAddress(inboxId, id), { hours })

/** Returns mailboxes of a header field as text. */
export const written = (all: readonly Mailbox[]): string =>
  all.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ')
