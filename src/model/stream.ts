// A stream: one kind of mail of a domain, with separate suppressions and a separate rate limit.

import type { Brand } from './brand.ts'
import type { GuardSettings } from './finding.ts'
import type { RetentionDays } from './retention.ts'
import type { TrackingWishes } from './tracking.ts'

/**
 * Kinds of streams: mail triggered by its recipient, mail to many recipients who can unsubscribe, and received mail.
 */
export const STREAM_KINDS = ['transactional', 'broadcast', 'inbound'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]

/** The permanent streams of every domain; mail without a stream uses the first stream. */
export const FIRST_STREAMS = [
  { alias: 'transactional', name: 'Transactional', kind: 'transactional' },
  { alias: 'broadcast', name: 'Broadcast', kind: 'broadcast' },
] as const

/**
 * Source of the List-Unsubscribe field in messages of a broadcast stream, if the sender's message already has the
 * field.
 */
export const UNSUBSCRIBE_BY = ['service', 'sender'] as const
export type UnsubscribeBy = (typeof UNSUBSCRIBE_BY)[number]

/** Alias of the stream for mail that names no stream. */
export const DEFAULT_STREAM: string = FIRST_STREAMS[0].alias

/** True if every domain has a stream with this alias from the start. */
export const isFirstStream = (alias: string): boolean => FIRST_STREAMS.some((first) => first.alias === alias)

/**
 * Stream for the service's own mail. Suppressions, allowances and rate limits of the sending domain do not apply to
 * this stream, so that no user is locked out. Hard bounces and complaints suppress addresses in this stream only.
 */
export const SERVICE_STREAM = '@service'

/**
 * Stream for the TLS reports that the service sends. The stream has suppressions of its own, and its mail is delivered
 * although TLS fails and is never reported, so that reports cause no reports (RFC 8460 §5.3).
 */
export const TLS_REPORT_STREAM = '@tls-reports'

/** True for a stream of mail that the service itself sends, which no user can create. */
export const isServiceStream = (alias: string): boolean =>
  alias === SERVICE_STREAM || alias === TLS_REPORT_STREAM

/** Changes to a stream; omitted fields stay unchanged. */
export interface StreamChanges extends Partial<RetentionDays>, TrackingWishes, GuardSettings {
  readonly name?: string
  /** Rate limit, such as `50/s`; null for no limit. */
  readonly rate?: string | null
  /** Time for which a message of the stream is retried, in seconds; null for the schedule of the installation. */
  readonly retry_for_seconds?: number | null
  /** Number of recipients to which the stream may still send; null for no limit. */
  readonly sending_allowance?: number | null
  /** Header fields that are added to each message of the stream, unless the message already has the field. */
  readonly headers?: Readonly<Record<string, string>>
  /** False if the content of a message is to be removed as soon as no recipient of the message is waiting. */
  readonly store_content?: boolean
  readonly archived?: boolean
  /**
   * Source of the List-Unsubscribe field in messages of a broadcast stream, if the sender's message already has the
   * field.
   */
  readonly unsubscribe?: UnsubscribeBy
  /** Brand of the unsubscribe page of a broadcast stream; null for the default. */
  readonly brand?: Brand | null
  /** Addresses of an inbound stream. */
  readonly addresses?: readonly string[]
}

/** A new stream; the kind and the alias of a stream never change. */
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
