// Calls of the playground's mailbox.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Page, path } from '../../client.ts'
import { LIVE_MS } from '../../queries.ts'

/** A mail in the list. */
export interface MailLine {
  readonly id: string
  readonly received_at: string
  /** The return path. */
  readonly mail_from: string
  readonly rcpt_to: string
  /** The version of TLS; null when it came in the clear. */
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

/** Result of checking one signature. */
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
  /** The message that it was; null when it is none of this installation. */
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

/** It never changes. */
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
