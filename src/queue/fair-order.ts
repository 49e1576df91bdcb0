// The fair order of the queue: start tags, so that a flood in one stream does not delay the others.

import { cacheOf } from '../lib/caches.ts'
import { type SharedBuckets, UnsettledTokens } from '../lib/shared-buckets.ts'

/** The distance between two start tags of a stream, in milliseconds. */
const SPACING_MS = 1
/** Bytes of a tag in memory. */
const TAG_BYTES = 32

/**
 * Gives each recipient its start tag: the time of acceptance, or later the more its stream has sent just before. The
 * queue goes by start tags and waits for none, so that 100,000 recipients of one stream take the tags of 100 seconds,
 * and what another stream accepts meanwhile stands in front of most of them (start-time fair queueing: Goyal, Vin
 * and Cheng 1996). That order holds for as long as the tags of a flood lie ahead of the clock; where a destination takes
 * longer, its recipients become throttled, and their flows take turns (`model/queue-state.ts`).
 */
export class FairOrder implements SharedBuckets {
  readonly unsettled = new UnsettledTokens()
  /** The last tag of each stream. */
  readonly #last = cacheOf<{ tag: number; spacingMs: number }>('start_tags')

  /**
   * The start tag of one more recipient of a stream of a domain. `now` in milliseconds; `spacingMs` is the distance
   * that the stream's own rate asks for, and then the tag is waited for.
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

  /** Goes on behind the tags that other nodes have given to the same stream. */
  settle(name: string, debtMs: number, at: number): void {
    const last = this.#last.get(name)
    if (last === undefined) return
    last.tag = Math.max(last.tag, at + debtMs + this.unsettled.owed(name) - last.spacingMs)
  }
}
