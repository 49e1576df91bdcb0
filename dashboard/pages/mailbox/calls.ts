// API calls about the mailbox of the playground.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Page, path } from '../../client.ts'
import { LIVE_MS } from '../../queries.ts'

/** A message in the list of the mailbox. */
export interface MailLine {
  readonly id: string
  readonly received_at: string
  /** Return path of the message. */
  readonly mail_from: string
  readonly rcpt_to: string
  /** TLS version; null if the message was transmitted without TLS. */
  readonly tls: string | null
  readonly size: number
  readonly raw_url: string
  readonly subject: string
  readonly from: readonly Mailbox[]
  readonly preview: string
  readonly files: number
}

export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** Result of the verification of one DKIM signature. */
export interface Signature {
  readonly result: 'pass' | 'fail' | 'permerror' | 'temperror'
  readonly explanation: string
  readonly domain: string
  readonly selector: string
  readonly algorithm: string
  readonly key_name: string
  readonly covers: readonly string[]
}

export interface Mail extends Omit<MailLine, 'preview' | 'files'> {
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text?: string
  readonly html?: string
  readonly attachments: readonly {
    readonly filename?: string
    readonly contentType: string
    readonly size: number
    readonly inline: boolean
  }[]
  readonly incomplete: boolean
  readonly html_url: string
  readonly dkim: readonly Signature[]
  /** The sent message of this installation; null if the message has another origin. */
  readonly message: { readonly message_id: string; readonly domain_id: string } | null
}

export const mailsQuery = (search: string | undefined, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['mailbox', search, cursor],
    queryFn: ({ signal }) =>
      get<Page<MailLine>>('/playground/mailbox', { content: 'none', limit: 25, search, cursor }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  })

/** Returns the query for a message of the mailbox, which never changes. */
export const mailQuery = (id: string) =>
  queryOptions({
    queryKey: ['mailbox', 'mail', id],
    queryFn: ({ signal }) => get<Mail>(path`/playground/mailbox/${id}`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const rawQuery = (id: string) =>
  queryOptions({
    queryKey: ['mailbox', 'raw', id],
    queryFn: ({ signal }) => get<string>(path`/playground/mailbox/${id}/raw`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
