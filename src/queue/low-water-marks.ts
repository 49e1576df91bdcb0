// The low-water marks of a node: from where its claims read the indexes of a shared store.

import type { Flow } from '../model/queue-state.ts'
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
  readonly #flows = new Map<Flow, number>()
  /** First start tags of those that were released to wait since the last claim: one that was under way has not seen them. */
  readonly #released = new Map<Flow, number>()
  #nextFullLook = Number.NEGATIVE_INFINITY

  get from(): ClaimRequest['from'] {
    return { ...this.#marks, flows: this.#flows }
  }

  /** Takes in the places that a claim has found. `now` by this node's clock. */
  noteClaim({ lowest }: Pick<Claim, 'lowest'>, now: number): void {
    this.#marks = below(lowest, now)
    // Who is throttled was ready before. A flow that was not read may have others at lower places.
    for (const [flow, tag] of lowest.flows)
      this.#flows.set(flow, Math.min(tag - MARGIN_MS, this.#marks.ready))
    for (const [flow, tag] of [...lowest.throttled, ...this.#released]) this.#lower(flow, tag)
    this.#released.clear()
  }

  /** Notes that a recipient was released to wait in a flow; to be called when it is in the store. */
  noteReleased({ flow, startTag }: { readonly flow: Flow; readonly startTag: number }): void {
    this.#lower(flow, startTag)
    this.#released.set(flow, Math.min(this.#released.get(flow) ?? startTag, startTag))
  }

  #lower(flow: Flow, startTag: number): void {
    const mark = this.#flows.get(flow)
    if (mark !== undefined && startTag < mark) this.#flows.set(flow, startTag)
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
        this.#flows.clear()
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
