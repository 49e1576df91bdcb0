// Facts of an event that other services have names for, read from the stored detail.

import type { BounceCategory } from '../model/bounce-category.ts'
import type { SuppressionReason } from '../model/suppression.ts'
import type { FeedEvent } from '../store/events/feed.ts'

export interface EventFacts {
  /**
   * True if the address takes no mail and is suppressed for that reason. Any other failure ends only the message: a
   * receiver of this flag would give up an address that still gets mail.
   */
  readonly isHard: boolean
  readonly category: BounceCategory | undefined
  /**
   * Reason of the suppression because of which nothing was sent; undefined if the suppression was removed meanwhile.
   */
  readonly suppression: SuppressionReason | undefined
  /** Kind of a hit of a link: the recipient's first, a repeated one, or one by a program. */
  readonly hit: 'first' | 'repeated' | 'machine' | undefined
  /** URL of a clicked link; empty if the stream does not store it. */
  readonly url: string
  /** User agent of the reader, or of the sender of a complaint. */
  readonly userAgent: string
}

/** Stored details; undefined ones are left out. */
interface StoredDetail {
  readonly hard?: boolean
  readonly category?: BounceCategory
  readonly suppression?: SuppressionReason
  readonly kind?: 'first' | 'repeated' | 'machine'
  readonly url?: string
  readonly user_agent?: string
}

export function factsOf({ detail }: FeedEvent): EventFacts {
  const stored: StoredDetail = detail
  return {
    isHard: stored.hard === true,
    category: stored.category,
    suppression: stored.suppression,
    hit: stored.kind,
    url: stored.url ?? '',
    userAgent: stored.user_agent ?? '',
  }
}
