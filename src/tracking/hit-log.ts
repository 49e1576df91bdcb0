// Buffer for hits of tracked links, which are written to the store in batches, independently of the requests.

import type { Log } from '../lib/log.ts'
import { MAX_EVENTS_PER_LINK, type NewHit } from '../model/tracking-hit.ts'
import type { Store } from '../store/database/store.ts'
import { type Waiting, WriteBehind } from '../store/database/write-behind.ts'
import { recordHits } from '../store/messages/tracked-links.ts'

/**
 * Maximum size of waiting hits in bytes, as measured by `weightOf`: enough for some seconds of a flood, or for some
 * minutes without the store.
 */
const MAX_WAITING_BYTES = 32 * 1024 * 1024

const weightOf = ({ url, userAgent }: NewHit): number => 400 + 2 * (url.length + userAgent.length)

/** Returns the key of the hits that one kind of client made on one link of a recipient. */
const keyOf = ({ messageId, position, link, machine }: NewHit): string =>
  `${messageId} ${position} ${link} ${machine === undefined ? 'people' : 'machines'}`

/** Buffers hits, and counts the hits for which the buffer had no room or that the store refused. */
export class HitLog extends WriteBehind<NewHit> {
  /** @param maxBytes maximum size of waiting hits in bytes, as measured by `weightOf` */
  constructor(store: Store, log: Log, maxBytes = MAX_WAITING_BYTES) {
    super({
      ...{ name: 'tracking hits', log, waiting: new WaitingHits(maxBytes) },
      write: (hits) => store.write(recordHits, { hits }),
      lost: {
        name: 'postrider_tracking_hits_lost_total',
        help: 'Hits of tracked links that were not recorded, because too many hits were waiting or the store refused the hits',
      },
    })
  }
}

/**
 * Waiting hits: for each recipient, link and kind of client, at most as many hits as are stored as events. Further hits
 * are only counted, so that a client that follows one link repeatedly displaces no other hits.
 */
class WaitingHits implements Waiting<NewHit> {
  readonly #maxBytes: number
  #waiting = new Map<string, NewHit[]>()
  #bytes = 0
  size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(hit: NewHit): number {
    const same = this.#waiting.get(keyOf(hit)) ?? []
    const last = same.at(-1)
    if (last !== undefined && same.length >= mostOf(hit)) {
      same[same.length - 1] = { ...last, more: last.more + 1 + hit.more }
      return 0
    }
    if (this.#bytes + weightOf(hit) > this.#maxBytes) return 1 + hit.more
    this.#bytes += weightOf(hit)
    this.size++
    if (same.push(hit) === 1) this.#waiting.set(keyOf(hit), same)
    return 0
  }

  take(most: number): NewHit[] {
    const taken: NewHit[] = []
    for (const [key, hits] of this.#waiting) {
      if (taken.length >= most) break
      this.#waiting.delete(key)
      taken.push(...hits)
    }
    this.size -= taken.length
    for (const hit of taken) this.#bytes -= weightOf(hit)
    return taken
  }

  requeue(hits: readonly NewHit[]): number {
    const newer = this.take(this.size)
    return [...hits, ...newer].reduce((lost, hit) => lost + this.add(hit), 0)
  }
}

const mostOf = ({ machine }: NewHit): number =>
  MAX_EVENTS_PER_LINK[machine === undefined ? 'people' : 'machines']
