// One attempt to deliver a message to a recipient through one host, and the outcome of the attempt.

import type { BounceCategory } from './bounce-category.ts'
import type { Reply } from './reply.ts'

/**
 * Result of an attempt for the recipient. `failed` is a decision of this service: the message expired, or cannot be
 * composed.
 */
export type AttemptStatus = 'delivered' | 'deferred' | 'bounced' | 'failed'

/** An attempt in the append-only history of a recipient. */
export interface Attempt {
  /** Start of the attempt, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Name of the contacted host; undefined if no host was contacted. */
  readonly mx?: string
  /** IP address to which the attempt connected. */
  readonly address?: string
  /** Own IP address of the connection. */
  readonly source?: string
  /** The TLS version, such as `TLSv1.3`. */
  readonly tls?: string
  readonly reply?: Reply
  /** The SMTP dialog, with limited length and masked secrets. */
  readonly transcript: string
}

/** Result of an attempt: the new state of the recipient, and a sentence that explains the state. */
export interface Outcome {
  readonly status: AttemptStatus
  /** Sentence that explains the outcome to a reader, in addition to the reply of the host. */
  readonly reason: string
  /** Category of the failure. */
  readonly category?: BounceCategory
  /** True if the address itself was refused permanently, so that the sender should stop sending to the address. */
  readonly hard?: boolean
  /** Stage of the SMTP dialog at which the host refused or deferred the message. */
  readonly stage?: string
  /** True if the connection broke after the final dot, so that the receiver may have the message. */
  readonly unknown?: boolean
}

/** The outcome after a host has accepted the message. */
export const DELIVERED: Outcome = { status: 'delivered', reason: 'The receiving host accepted the message.' }

/**
 * Signal of an attempt for the limits of the destination site. `success`: the site serves this installation, regardless
 * of the reply to the message; `pushback`: the site asks for less mail (421, 4.7.x, a rate limit, a temporary block);
 * `unreachable`: no dialog took place; `neutral`: the attempt does not show whether the site accepts mail.
 */
export type Signal = 'success' | 'pushback' | 'unreachable' | 'neutral'
