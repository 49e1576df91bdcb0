// A stream: a kind of mail of a domain, with its own suppressions and its own pace.

import type { Brand } from './brand.ts'
import type { RetentionDays } from './retention.ts'
import type { TrackingWishes } from './tracking.ts'

/** Mail that an action of its recipient asked for, mail that many get and can leave (contract §4), and mail that comes in. */
export const STREAM_KINDS = ['transactional', 'broadcast', 'inbound'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]

/** The streams that every domain begins with, which stay; mail that names none goes by the first. */
export const FIRST_STREAMS = [
  { alias: 'transactional', name: 'Transactional', kind: 'transactional' },
  { alias: 'broadcast', name: 'Broadcast', kind: 'broadcast' },
] as const

/** Whose way out a message of a broadcast stream names in its header, where its sender gives one of their own. */
export const UNSUBSCRIBE_BY = ['service', 'sender'] as const
export type UnsubscribeBy = (typeof UNSUBSCRIBE_BY)[number]

/** Alias of the stream for mail that names none. */
export const DEFAULT_STREAM: string = FIRST_STREAMS[0].alias

/** True if every domain begins with a stream of this name. */
export const isFirstStream = (alias: string): boolean => FIRST_STREAMS.some((first) => first.alias === alias)

/**
 * The stream of the service's own mail to people, which is none of the domain that it comes from: neither what a
 * domain's lists hold, the whole domain's too, nor its allowances and paces keep a user from a way in. What bounces
 * for good here, or is complained about, is suppressed here alone.
 */
export const SERVICE_STREAM = '@service'

/** Changes to a stream; fields left out stay. */
export interface StreamChanges extends Partial<RetentionDays>, TrackingWishes {
  readonly name?: string
  /** Rate limit, such as `50/s`; null for none. */
  readonly rate?: string | null
  /** After how many seconds its mail is given up; null for the installation's schedule. */
  readonly retry_for_seconds?: number | null
  /** Recipients that may still be sent to; null is without limit. */
  readonly sending_allowance?: number | null
  /** Header fields that each of its messages gets, unless it has them itself. */
  readonly headers?: Readonly<Record<string, string>>
  /** False: the content of a message is removed as soon as none of its recipients waits. */
  readonly store_content?: boolean
  readonly archived?: boolean
  /** Of a broadcast stream: whose List-Unsubscribe its messages have, where they come with one. */
  readonly unsubscribe?: UnsubscribeBy
  /** Of a broadcast stream: the look of its unsubscribe page; null for the usual one. */
  readonly brand?: Brand | null
  /** Of an inbound stream: the addresses that it takes mail for. */
  readonly addresses?: readonly string[]
}

/** A stream as it is made; kind and alias stay as they are. */
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
