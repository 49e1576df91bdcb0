// One attempt to hand a recipient to one host, and its outcome.

import type { BounceCategory } from './bounce-category.ts'
import type { Reply } from './reply.ts'

/**
 * Result of an attempt for its recipient. `failed` is decided by this service: the message expired, or cannot be
 * composed.
 */
export type AttemptStatus = 'delivered' | 'deferred' | 'bounced' | 'failed'

/** An attempt in the append-only history. */
export interface Attempt {
  /** Start, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Name of the contacted host, if there was one. */
  readonly mx?: string
  /** The dialled address. */
  readonly address?: string
  /** The TLS version, such as `TLSv1.3`. */
  readonly tls?: string
  readonly reply?: Reply
  /** The dialog, bounded, with secrets masked. */
  readonly transcript: string
}

/** Result of an attempt: the new state of the recipient and the sentence that explains it. */
export interface Outcome {
  readonly status: AttemptStatus
  /** One sentence for people, if the reply alone does not say it. */
  readonly reason: string
  /** Reason for the failure. */
  readonly category?: BounceCategory
  /** True if the address itself was refused permanently, so that no more mail should be sent to it. */
  readonly hard?: boolean
  /** Stage of the dialog at which the host refused or deferred. */
  readonly stage?: string
  /** True if the dialog broke after the final dot: the receiver may have the message. */
  readonly unknown?: boolean
}

/** The outcome after a host has accepted the message. */
export const DELIVERED: Outcome = { status: 'delivered', reason: 'The receiving host accepted the message.' }

/**
 * Signal of an attempt for the limits of its site. `success`: the site serves this installation, with any reply to
 * the message; `pushback`: the site asks for less (421, 4.7.x, a rate limit, a temporary block); `unreachable`: no
 * dialog took place; `neutral`: nothing is known about the site.
 */
export type Signal = 'success' | 'pushback' | 'unreachable' | 'neutral'
