// One try to hand a recipient to one host, and what came of it.

import type { BounceCategory } from './bounce-category.ts'
import type { Reply } from './reply.ts'

/**
 * Meaning of an attempt for its recipient. `failed` is a decision of ours: the message was given up, or cannot be
 * composed.
 */
export type AttemptStatus = 'delivered' | 'deferred' | 'bounced' | 'failed'

/** An attempt as it is kept, append-only. */
export interface Attempt {
  /** Start, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** The name of the host that was spoken to, if one was found. */
  readonly mx?: string
  /** The address that was dialled. */
  readonly address?: string
  /** The TLS version in use, such as `TLSv1.3`. */
  readonly tls?: string
  readonly reply?: Reply
  /** The dialog, bounded, secrets masked. */
  readonly transcript: string
}

/** Meaning of an attempt: the new state of the recipient and the sentence that explains it. */
export interface Outcome {
  readonly status: AttemptStatus
  /** One sentence for people, when the reply alone does not say it. */
  readonly reason: string
  /** Reason for the failure. */
  readonly category?: BounceCategory
  /** The address itself was refused for good, so that nothing else need be sent to it. */
  readonly hard?: boolean
  /** The step of the dialog at which the host refused it or put it off. */
  readonly stage?: string
  /** It was cut off after the final dot: the receiver may have the message. */
  readonly unknown?: boolean
}

/** The outcome when a host has taken the message. */
export const DELIVERED: Outcome = { status: 'delivered', reason: 'The receiving host accepted the message.' }

/**
 * The word of an attempt about the site that it went to. `success`: the site serves us, with any answer to the
 * message; `pushback`: it asks for less (421, 4.7.x, a rate limit, a block that may pass); `unreachable`: no dialog
 * came about; `neutral`: nothing is said of the site.
 */
export type Signal = 'success' | 'pushback' | 'unreachable' | 'neutral'
