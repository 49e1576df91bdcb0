// The fair order of the queue: start tags that keep a flood of mail in one stream from delaying other streams.

import { cacheOf } from '../lib/caches.ts'
import { type SharedBuckets, UnsettledTokens } from '../lib/shared-buckets.ts'

/** Distance between two start tags of the same stream, in milliseconds. */
const SPACING_MS = 1
/** Memory that the last start tag of a stream takes, in bytes. */
const TAG_BYTES = 32

/**
 * Assigns each recipient a start tag: the time of acceptance, or a later time if the stream has just accepted many
 * recipients. The queue orders recipients by start tag but does not wait until the time of a start tag. A flood of
 * 100,000 recipients takes the start tags of 100 seconds, and recipients that another stream accepts meanwhile come
 * before most of the flood (start-time fair queueing: Goyal, Vin and Cheng 1996). The order works as long as the start
 * tags of the flood are in the future. Recipients of a slower destination become throttled, and their flows take turns
 * (`model/queue-state.ts`).
 */
export class FairOrder implements SharedBuckets {
  readonly unsettled = new UnsettledTokens()
  /** Last start tag of each stream. */
  readonly #last = cacheOf<{ tag: number; spacingMs: number }>('start_tags')

  /**
   * Returns the start tag of the next recipient of a stream.
   *
   * @param now present time in milliseconds
   * @param spacingMs distance between start tags that the rate limit of the stream requires, if the stream has a rate
   * limit; the queue then waits until the time of the start tag
   */
  next(domainId: string, stream: string, now: number, spacingMs?: number): number {
    const key = `${domainId} ${stream}`
    let last = this.#last.get(key)
    if (last === undefined) {
      last = { tag: now, spacingMs: SPACING_MS }
      this.#last.set(key, last, TAG_BYTES)
    } else last.tag = Math.max(now, last.tag + (spacingMs ?? SPACING_MS))
    if (spacingMs !== undefined) {
      last.spacingMs = spacingMs
      this.unsettled.note(key, spacingMs, 0, now)
    }
    return last.tag
  }

  /** Moves the last start tag of a stream past the start tags that other nodes have assigned. */
  settle(name: string, debtMs: number, at: number): void {
    const last = this.#last.get(name)
    if (last === undefined) return
    last.tag = Math.max(last.tag, at + debtMs + this.unsettled.owed(name) - last.spacingMs)
  }
}
