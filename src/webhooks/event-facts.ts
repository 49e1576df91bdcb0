// Reads facts of an event from the stored detail, for the payload formats of other services.

import type { BounceCategory } from '../model/bounce-category.ts'
import type { SuppressionReason } from '../model/suppression.ts'
import type { PublishedEvent } from '../store/events/feed.ts'

export interface EventFacts {
  /**
   * True if the address accepts no mail and is therefore suppressed. Any other failure concerns only the message; if
   * this flag were true, the receiver of the webhook would stop sending to an address that still gets mail.
   */
  readonly isHard: boolean
  /** True for a bounce that a later report names, after the message was delivered. */
  readonly isAsynchronous: boolean
  readonly category: BounceCategory | undefined
  /** Reason of the suppression that prevented the sending; undefined if the suppression was removed meanwhile. */
  readonly suppression: SuppressionReason | undefined
  /** Kind of a hit of a tracked link: the recipient's first hit, a repeated hit, or a hit by a program. */
  readonly hit: 'first' | 'repeated' | 'machine' | undefined
  /** URL of a clicked link; empty if the stream does not store the URL. */
  readonly url: string
  /** User agent of the reader, or of the sender of a complaint. */
  readonly userAgent: string
}

/** Stored detail of an event; undefined fields are omitted. */
interface StoredDetail {
  readonly hard?: boolean
  readonly asynchronous?: boolean
  readonly category?: BounceCategory
  readonly suppression?: SuppressionReason
  readonly kind?: 'first' | 'repeated' | 'machine'
  readonly url?: string
  readonly user_agent?: string
}

export function factsOf({ detail }: PublishedEvent): EventFacts {
  const stored: StoredDetail = detail
  return {
    isHard: stored.hard === true,
    isAsynchronous: stored.asynchronous === true,
    category: stored.category,
    suppression: stored.suppression,
    hit: stored.kind,
    url: stored.url ?? '',
    userAgent: stored.user_agent ?? '',
  }
}
