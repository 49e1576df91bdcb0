// The low-water marks of a node: from where its claims read the indexes of a shared store.

import type { Share } from '../model/queue-state.ts'
import { FROM_ZERO, type LowWater } from '../store/queue/low-water.ts'
import type { Claim, ClaimRequest } from '../store/queue/queue.ts'

/** Distance of a mark from what was found there: other nodes' clocks may be behind, and commits take their time. */
const MARGIN_MS = 10_000
/** Interval at which the beginnings of the indexes are looked at again, and its length in times of such a look. */
const FULL_LOOK_MS = 60_000
const REST_FACTOR = 100

/** Keeps the marks. A recipient that comes in below one is found by the next look from zero. */
export class LowWaterMarks {
  #marks: LowWater = FROM_ZERO
  readonly #shares = new Map<Share, number>()
  /** First start tags of those that were released to wait since the last claim: one that was under way has not seen them. */
  readonly #released = new Map<Share, number>()
  #nextFullLook = Number.NEGATIVE_INFINITY

  get from(): ClaimRequest['from'] {
    return { ...this.#marks, shares: this.#shares }
  }

  /** Takes in the places that a claim has found. `now` by this node's clock. */
  noteClaim({ lowest }: Pick<Claim, 'lowest'>, now: number): void {
    this.#marks = below(lowest, now)
    // Who is throttled was ready before. A share that was not read may have others at lower places.
    for (const [share, tag] of lowest.shares)
      this.#shares.set(share, Math.min(tag - MARGIN_MS, this.#marks.ready))
    for (const [share, tag] of [...lowest.throttled, ...this.#released]) this.#lower(share, tag)
    this.#released.clear()
  }

  /** Notes that a recipient was released to wait for a share; to be called when it is in the store. */
  noteReleased(share: Share, startTag: number): void {
    this.#lower(share, startTag)
    this.#released.set(share, Math.min(this.#released.get(share) ?? startTag, startTag))
  }

  #lower(share: Share, startTag: number): void {
    const mark = this.#shares.get(share)
    if (mark !== undefined && startTag < mark) this.#shares.set(share, startTag)
  }

  /**
   * Has the queue looked at from the marks on, now and then from zero; `look` answers the first places. `now` by this
   * node's clock.
   */
  async look<Found extends { readonly lowest: LowWater }>(
    look: (from: LowWater) => Promise<Found>,
    now: number,
  ): Promise<Found> {
    const began = performance.now()
    const isFull = began >= this.#nextFullLook
    try {
      const found = await look(isFull ? FROM_ZERO : this.#marks)
      if (isFull) {
        this.#marks = below(found.lowest, now)
        this.#shares.clear()
      }
      return found
    } finally {
      const took = performance.now() - began
      if (isFull) this.#nextFullLook = began + Math.max(FULL_LOOK_MS, REST_FACTOR * took)
    }
  }
}

/** Marks below these places, and below the present, in which new recipients come in. */
const below = ({ ready, due, leases }: LowWater, now: number): LowWater => ({
  ready: Math.min(ready, now) - MARGIN_MS,
  due: Math.min(due, now) - MARGIN_MS,
  leases: Math.min(leases, now) - MARGIN_MS,
})
