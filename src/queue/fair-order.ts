// The fair order of the queue: start tags that keep a flood in one stream from delaying the other streams.

import { cacheOf } from '../lib/caches.ts'
import { type SharedBuckets, UnsettledTokens } from '../lib/shared-buckets.ts'

/** Distance between two start tags of a stream, in milliseconds. */
const SPACING_MS = 1
/** Memory of one tag, in bytes. */
const TAG_BYTES = 32

/**
 * Assigns each recipient a start tag: the time of acceptance, or a later time if its stream has just sent a lot. The
 * queue orders by start tags but does not wait for them. A flood of 100,000 recipients takes the tags of 100 seconds,
 * and recipients that another stream accepts meanwhile come before most of the flood (start-time fair queueing:
 * Goyal, Vin and Cheng 1996). The order holds while the tags of a flood lie ahead of the clock. Recipients of a
 * slower destination become throttled, and their flows take turns (`model/queue-state.ts`).
 */
export class FairOrder implements SharedBuckets {
  readonly unsettled = new UnsettledTokens()
  /** Last tag of each stream. */
  readonly #last = cacheOf<{ tag: number; spacingMs: number }>('start_tags')

  /**
   * Returns the start tag of the next recipient of a stream of a domain. `now` in milliseconds. `spacingMs` is the
   * distance required by the rate limit of the stream, if it has one; the queue waits for such tags.
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

  /** Moves the last tag of a stream past the tags that other nodes have assigned. */
  settle(name: string, debtMs: number, at: number): void {
    const last = this.#last.get(name)
    if (last === undefined) return
    last.tag = Math.max(last.tag, at + debtMs + this.unsettled.owed(name) - last.spacingMs)
  }
}
