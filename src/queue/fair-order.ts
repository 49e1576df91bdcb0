// The fair order of the queue: start tags, so that a flood in one stream does not delay the others.

import { cacheOf } from '../lib/caches.ts'

/** The distance between two start tags of a stream, in milliseconds. */
const SPACING_MS = 1
/** Octets of a tag in memory. */
const TAG_BYTES = 24

/**
 * Gives each recipient its start tag: the time of acceptance, or later the more its stream has sent just before. The
 * queue goes by start tags and waits for none, so that 100,000 recipients of one stream take the tags of 100 seconds,
 * and what another stream accepts meanwhile stands in front of most of them (start-time fair queueing: Goyal, Vin
 * and Cheng 1996).
 */
export class FairOrder {
  /** The last tag of each stream. */
  readonly #last = cacheOf<{ tag: number }>('start_tags')

  /**
   * The start tag of one more recipient of a stream of a domain. `now` in milliseconds; `spacingMs` is the distance
   * that the stream's own rate asks for, and then the tag is waited for.
   */
  next(domainId: string, stream: string, now: number, spacingMs = SPACING_MS): number {
    const key = `${domainId} ${stream}`
    const last = this.#last.get(key)
    if (last === undefined) {
      this.#last.set(key, { tag: now }, TAG_BYTES)
      return now
    }
    last.tag = Math.max(now, last.tag + spacingMs)
    return last.tag
  }
}
