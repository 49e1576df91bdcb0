// The public form of an event, which is the same in the API, the event stream and webhooks.

import { type EventType, isOfMessage } from './event.ts'

/** An event of the feed. */
export interface DocumentedEvent {
  readonly id: string
  readonly type: EventType
  /** Time of the event, in milliseconds since the epoch. */
  readonly at: number
  readonly messageId: string
  /** The Message-ID of the mail without angle brackets; null for a received mail without a Message-ID. */
  readonly messageIdHeader: string | null
  readonly email: string
  readonly stream: string
  readonly tag: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly detail: Readonly<Record<string, unknown>>
}

/** Public JSON form of an event. */
export interface EventDocument {
  readonly id: string
  readonly type: EventType
  readonly at: string
  /** Null for an event that is about another object than a message; then `email` and `stream` are null as well. */
  readonly message_id: string | null
  /** The Message-ID of the mail without angle brackets; null for a received mail without a Message-ID. */
  readonly message_id_header: string | null
  /** Address of the recipient. */
  readonly email: string | null
  readonly stream: string | null
  readonly tag: string | null
  /** All tags, of which `tag` is the first. */
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  /** Number of the delivery attempt; null for an event without an attempt. */
  readonly attempt: number | null
  /** Reply of the receiving host; null if no reply is known. */
  readonly reply: {
    readonly smtp_code: number | null
    readonly smtp_response: string | null
    readonly mx: string | null
  } | null
  /** Cause of a bounce, deferral or failure, such as `mailbox_full`; null for other events. */
  readonly category: string | null
  /** Present and true for an event of a test message. */
  readonly test?: true
  /** Other details, which depend on the event type. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** Returns the public form of an event. `detail` does not repeat facts for which the event has a separate field. */
export function eventDocument(event: DocumentedEvent): EventDocument {
  const { attempt, category, smtp_code, smtp_response, diagnostic, mx, test, ...detail } = event.detail
  const response = textOf(smtp_response ?? diagnostic)
  const ofMessage = isOfMessage(event.type)
  const isReplied = typeof smtp_code === 'number' || response !== null
  return {
    id: event.id,
    type: event.type,
    at: new Date(event.at).toISOString(),
    message_id: ofMessage ? event.messageId : null,
    message_id_header: event.messageIdHeader,
    email: ofMessage ? event.email : null,
    stream: ofMessage ? event.stream : null,
    tag: event.tag,
    tags: event.tags,
    metadata: event.metadata,
    attempt: numberOf(attempt),
    reply: isReplied ? { smtp_code: numberOf(smtp_code), smtp_response: response, mx: textOf(mx) } : null,
    category: textOf(category),
    ...(test === true ? { test } : {}),
    detail: isReplied || mx === undefined ? detail : { mx, ...detail },
  }
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
