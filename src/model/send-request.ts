// A send request as it arrives and as it is stored: the JSON body of `POST /v1/messages` (spec §2.1, contract §2).

import type { TrackedPlaces } from './tracking-link.ts'

/** A recipient, or another mailbox of the message. */
export interface MailboxInput {
  readonly email: string
  readonly name?: string
}

export interface AttachmentInput {
  readonly filename: string
  /** Base64. */
  readonly content: string
  readonly content_type?: string
  /** Makes it inline: HTML refers to it as `cid:<content_id>`. */
  readonly content_id?: string
}

export interface SendRequest {
  readonly from: string
  readonly from_name?: string
  readonly to: readonly MailboxInput[]
  readonly cc?: readonly MailboxInput[]
  readonly bcc?: readonly MailboxInput[]
  readonly reply_to?: MailboxInput | readonly MailboxInput[]
  readonly subject: string
  readonly html?: string
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly attachments?: readonly AttachmentInput[]
  readonly stream?: string
  readonly tag?: string
  readonly metadata?: Readonly<Record<string, string>>
  /** Hand over only by TLS to a host whose certificate was verified. */
  readonly require_tls?: boolean
  /** Instead of what the stream or the domain says. */
  readonly track_opens?: boolean
  readonly track_links?: boolean
  /** RFC 3339: not at once, but then. */
  readonly send_at?: string
  /** By ID or by alias; then subject, HTML and text are the template's, and what is stored has them. */
  readonly template_id?: string
  readonly template_alias?: string
  /** Instead of the template's own layout: the alias or ID of another, or `none`. */
  readonly layout?: string
  /** Never of a client: each recipient gets a link of their own where the bodies have its mark. */
  readonly unsubscribable?: true
  /** Never of a client: the places in `html` that are tracked. */
  readonly tracking?: TrackedPlaces
  /** Without a template it has no effect. */
  readonly template_model?: object
}

/** `reply_to` as a list. */
export const replyToList = (replyTo: SendRequest['reply_to']): readonly MailboxInput[] => {
  if (replyTo === undefined) return []
  return Array.isArray(replyTo) ? replyTo : [replyTo as MailboxInput]
}

/** The limits of contract §2. */
export const LIMITS = {
  recipients: 50,
  subjectBytes: 998,
  headers: 50,
  headerValueBytes: 8_192,
  tagLength: 64,
  metadataKeys: 20,
  metadataBytes: 4_096,
  nameLength: 998,
  filenameBytes: 255,
  /** Longest time by which a message may be scheduled ahead, in milliseconds. */
  scheduleMs: 7 * 86_400_000,
} as const
