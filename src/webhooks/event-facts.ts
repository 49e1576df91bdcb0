// Facts of an event that other services have words for, read from what its write has stored.

import type { BounceCategory } from '../model/bounce-category.ts'
import type { SuppressionReason } from '../model/suppression.ts'
import type { FeedEvent } from '../store/events/feed.ts'

export interface EventFacts {
  /**
   * The address takes no mail, and is suppressed for it. Any other failure ends this message alone: a receiver that is told
   * otherwise gives up an address that mail still goes to.
   */
  readonly isHard: boolean
  readonly category: BounceCategory | undefined
  /** Reason of the suppression for which nothing was sent; undefined where it was removed meanwhile. */
  readonly suppression: SuppressionReason | undefined
  /** Whose hit of a link it is: the recipient's first or a further one, or a program's. */
  readonly hit: 'first' | 'repeated' | 'machine' | undefined
  /** URL of a clicked link; empty where the stream does not keep it. */
  readonly url: string
  /** Program of the reader, or of the sender of a complaint. */
  readonly userAgent: string
}

/** Details as writes store them; what is undefined there is left out. */
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
