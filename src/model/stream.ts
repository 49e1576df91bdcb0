// A stream: a kind of mail of a domain, with its own suppressions and rate.

import type { Brand } from './brand.ts'
import type { RetentionDays } from './retention.ts'
import type { TrackingWishes } from './tracking.ts'

/** Mail triggered by its recipient, mail to many who can unsubscribe, and received mail. */
export const STREAM_KINDS = ['transactional', 'broadcast', 'inbound'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]

/** The permanent streams of every domain; mail without a stream uses the first. */
export const FIRST_STREAMS = [
  { alias: 'transactional', name: 'Transactional', kind: 'transactional' },
  { alias: 'broadcast', name: 'Broadcast', kind: 'broadcast' },
] as const

/** Side whose List-Unsubscribe a message of a broadcast stream has, if the sender provides one. */
export const UNSUBSCRIBE_BY = ['service', 'sender'] as const
export type UnsubscribeBy = (typeof UNSUBSCRIBE_BY)[number]

/** Alias of the stream for mail that names none. */
export const DEFAULT_STREAM: string = FIRST_STREAMS[0].alias

/** True if every domain has a stream of this name from the start. */
export const isFirstStream = (alias: string): boolean => FIRST_STREAMS.some((first) => first.alias === alias)

/**
 * Stream for the service's own mail. Suppressions, allowances and rate limits of the sending domain do not apply to
 * it, so that they lock no user out. Hard bounces and complaints are suppressed in this stream only.
 */
export const SERVICE_STREAM = '@service'

/** Changes to a stream; omitted fields stay. */
export interface StreamChanges extends Partial<RetentionDays>, TrackingWishes {
  readonly name?: string
  /** Rate limit, such as `50/s`; null for none. */
  readonly rate?: string | null
  /** Lifetime of its mail in the queue, in seconds; null for the schedule of the installation. */
  readonly retry_for_seconds?: number | null
  /** Remaining recipients; null without limit. */
  readonly sending_allowance?: number | null
  /** Header fields added to each of its messages that lacks them. */
  readonly headers?: Readonly<Record<string, string>>
  /** False: the content of a message is removed as soon as none of its recipients waits. */
  readonly store_content?: boolean
  readonly archived?: boolean
  /** For a broadcast stream: the side whose List-Unsubscribe its messages have, where they come with one. */
  readonly unsubscribe?: UnsubscribeBy
  /** For a broadcast stream: the brand of its unsubscribe page; null for the default. */
  readonly brand?: Brand | null
  /** Addresses of an inbound stream. */
  readonly addresses?: readonly string[]
}

/** A new stream; kind and alias never change. */
export interface StreamInput extends Omit<StreamChanges, 'archived'> {
  readonly alias: string
  readonly name: string
  readonly kind: StreamKind
}

export const STREAM_LIMITS = {
  aliasLength: 30,
  nameLength: 100,
  headers: 20,
  retryForSeconds: { least: 60, most: 604_800 },
} as const
