// A send request, as received and as stored: the JSON body of `POST /v1/messages`.

import type { Guard } from './finding.ts'
import type { TrackedPlaces } from './tracking-link.ts'

/** A recipient, or another mailbox of the message. */
export interface MailboxInput {
  readonly email: string
  readonly name?: string
}

export interface AttachmentInput {
  readonly filename: string
  /** File content in Base64; a request that names the file by its URL gets the content when it is accepted. */
  readonly content: string
  /** URL of the file, instead of its content; never stored. */
  readonly url?: string
  readonly content_type?: string
  /** Content-ID that makes the attachment inline: HTML refers to the attachment as `cid:<content_id>`. */
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
  /** All tags, instead of `tag`; the first tag is the tag of the message. */
  readonly tags?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  /** True to deliver only over TLS to a host with a verified certificate. */
  readonly require_tls?: boolean
  /** Overrides the tracking settings of the stream and the domain. */
  readonly track_opens?: boolean
  readonly track_links?: boolean
  /** Overrides the effect of the check that the stream and the domain set. */
  readonly guard?: Guard
  /** Time of sending (RFC 3339); if omitted, the message is sent immediately. */
  readonly send_at?: string
  /** Template by ID or by alias. Subject, HTML and text come from the template, and are stored after rendering. */
  readonly template_id?: string
  readonly template_alias?: string
  /** Alias or ID of the layout that replaces the template's own layout, or `none`. */
  readonly layout?: string
  /**
   * Set only by the service: each recipient gets a personal unsubscribe link in place of the placeholder in the bodies.
   */
  readonly unsubscribable?: true
  /**
   * Set only by the service: the Message-ID without angle brackets, which several messages of one request share. By
   * default each message has a Message-ID of its own.
   */
  readonly message_id_header?: string
  /** Set only by the service: the tracked places in `html`. */
  readonly tracking?: TrackedPlaces
  /** Values for the template; ignored without a template. */
  readonly template_model?: object
}

/** Returns `reply_to` as a list. */
export const replyToList = (replyTo: SendRequest['reply_to']): readonly MailboxInput[] => {
  if (replyTo === undefined) return []
  return Array.isArray(replyTo) ? replyTo : [replyTo as MailboxInput]
}

/** Returns the tags of a request, each once; statistics count the message by the first tag. */
export const tagsOf = ({ tag, tags }: Pick<SendRequest, 'tag' | 'tags'>): readonly string[] =>
  tags === undefined ? (tag === undefined ? [] : [tag]) : [...new Set(tags)]

/** True if a request names an attachment by URL. */
export const namesFiles = ({
  attachments,
}: {
  readonly attachments?: readonly AttachmentInput[] | undefined
}): boolean =>
  // A request of a batch is not checked yet.
  Array.isArray(attachments) &&
  attachments.some((one: Partial<AttachmentInput> | null) => one?.url !== undefined)

/** Limits of a send request. */
export const LIMITS = {
  recipients: 50,
  subjectBytes: 998,
  headers: 50,
  headerValueBytes: 8_192,
  /** Length of the field `tag`. */
  tagLength: 64,
  tags: 10,
  /** Length of each of several tags. */
  tagsLength: 255,
  metadataKeys: 50,
  metadataBytes: 16_384,
  nameLength: 998,
  filenameBytes: 255,
  /** Time, in milliseconds, for fetching all attachments of an HTTP request together. */
  fetchMs: 10_000,
  /** Maximum time, in milliseconds, by which a message may be scheduled in advance. */
  scheduleMs: 30 * 86_400_000,
} as const
