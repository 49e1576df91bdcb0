// A submitted message with its metadata, and the state of the message, which follows from its recipients.

import { isFinal, type RecipientStatus } from './recipient.ts'

/** States of a message. */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'delivered',
  'partially_delivered',
  'bounced',
  'suppressed',
  'failed',
  'cancelled',
] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/**
 * Format of the stored content: the JSON of a send request; a raw message submitted over SMTP; or a raw message with
 * places that differ by recipient (`personal-content.ts`).
 */
export type ContentFormat = 'json' | 'mime' | 'personal'

/**
 * Returns all tags of a stored message. The column `tags` contains the list as JSON if the message has more than one
 * tag, and is null otherwise.
 */
export const allTags = ({
  tag,
  tags,
}: {
  readonly tag: string | null
  readonly tags: string | null
}): readonly string[] => {
  if (tags !== null) return JSON.parse(tags) as string[]
  return tag === null ? [] : [tag]
}

const UNATTEMPTED: ReadonlySet<RecipientStatus> = new Set(['scheduled', 'queued', 'suppressed', 'cancelled'])
const UNDELIVERED = ['bounced', 'suppressed', 'failed', 'cancelled'] as const

/** Facts of a stored message that determine its Message-ID. */
export interface MessageIdSource {
  readonly id: string
  /** Sender address, whose domain is the sending domain. */
  readonly from_email: string
  /** Message-ID written by the sender; null if the sender wrote no Message-ID. */
  readonly message_id_header: string | null
}

/** Returns the Message-ID, without angle brackets, of a message submitted without a Message-ID (RFC 5322 §3.6.4). */
export const ownMessageId = (id: string, domain: string): string => `${id.slice(-26)}@${domain}`

/**
 * Returns the Message-ID without angle brackets (RFC 5322 §3.6.4): the sender's Message-ID, or a Message-ID made from
 * the ID of the message.
 */
export const messageIdHeader = ({ id, from_email, message_id_header }: MessageIdSource): string =>
  message_id_header ?? ownMessageId(id, from_email.slice(from_email.lastIndexOf('@') + 1))

/** Returns the state of a message from the states of all its recipients; at least one recipient is required. */
export function messageStatus(recipients: readonly RecipientStatus[]): MessageStatus {
  if (recipients.every(isFinal)) return finalStatus(recipients)
  if (!recipients.every((status) => UNATTEMPTED.has(status))) return 'sending'
  return recipients.includes('queued') ? 'queued' : 'scheduled'
}

function finalStatus(recipients: readonly RecipientStatus[]): MessageStatus {
  const count = (wanted: RecipientStatus): number => recipients.filter((status) => status === wanted).length
  const delivered = count('delivered')
  if (delivered === recipients.length) return 'delivered'
  if (delivered > 0) return 'partially_delivered'
  // The most frequent state wins; equally frequent states rank in the order of `UNDELIVERED`.
  return UNDELIVERED.reduce((most, status) => (count(status) > count(most) ? status : most))
}

/** Values of the sender by key. */
export type Metadata = Readonly<Record<string, string>>

/** A key and the value that a search wants. */
export type MetadataEntry = readonly [key: string, value: string]

/** Number of keys of a message that can be searched: its first keys. */
export const SEARCHABLE_KEYS = 10

/** Returns the entries of a message that can be searched. */
export const searchableMetadata = (metadata: Metadata): readonly MetadataEntry[] =>
  Object.entries(metadata).slice(0, SEARCHABLE_KEYS)

/** True if the searchable entries contain all wanted entries. */
export function hasMetadata(metadata: Metadata, wanted: readonly MetadataEntry[]): boolean {
  const entries = new Map(searchableMetadata(metadata))
  return wanted.every(([key, value]) => entries.get(key) === value)
}
