// The low-water marks of a node: positions from which the node's claims read the indexes of a shared store.

import type { Flow } from '../model/queue-state.ts'
import { FROM_ZERO, type LowWater } from '../store/queue/low-water.ts'
import type { Claim, ClaimRequest } from '../store/queue/queue.ts'

/** Margin between a mark and the lowest position found: clocks of other nodes may be slow, and commits take time. */
const MARGIN_MS = 10_000
/**
 * Interval between two checks that read the indexes from the beginning: FULL_CHECK_MS, but at least REST_FACTOR times
 * the duration of such a check.
 */
const FULL_CHECK_MS = 60_000
const REST_FACTOR = 100

/**
 * Keeps the low-water marks. A check that reads the indexes from the beginning finds recipients that were inserted
 * below a mark.
 */
export class LowWaterMarks {
  #marks: LowWater = FROM_ZERO
  readonly #flows = new Map<Flow, number>()
  /**
   * Lowest start tags of the recipients released into each flow since the last claim; a claim in progress may have
   * missed these recipients.
   */
  readonly #released = new Map<Flow, number>()
  #nextFullCheck = Number.NEGATIVE_INFINITY

  get from(): ClaimRequest['from'] {
    return { ...this.#marks, flows: this.#flows }
  }

  /**
   * Updates the marks after a claim.
   *
   * @param now present time by the clock of this node
   */
  noteClaim({ lowest }: Pick<Claim, 'lowest'>, now: number): void {
    this.#marks = below(lowest, now)
    // Throttled recipients were ready before, so the mark of a flow must not exceed the mark of ready recipients. A
    // flow that the claim did not read may have recipients with lower start tags.
    for (const [flow, tag] of lowest.flows)
      this.#flows.set(flow, Math.min(tag - MARGIN_MS, this.#marks.ready))
    for (const [flow, tag] of [...lowest.throttled, ...this.#released]) this.#lower(flow, tag)
    this.#released.clear()
  }

  /** Lowers the mark of a flow into which a recipient was released. Call after the store has written the release. */
  noteReleased({ flow, startTag }: { readonly flow: Flow; readonly startTag: number }): void {
    this.#lower(flow, startTag)
    this.#released.set(flow, Math.min(this.#released.get(flow) ?? startTag, startTag))
  }

  #lower(flow: Flow, startTag: number): void {
    const mark = this.#flows.get(flow)
    if (mark !== undefined && startTag < mark) this.#flows.set(flow, startTag)
  }

  /**
   * Reads the indexes of the queue from the marks on, but from the beginning once per interval.
   *
   * @param read reads the queue and returns the first position found in each index
   * @param now present time by the clock of this node
   */
  async check<Found extends { readonly lowest: LowWater }>(
    read: (from: LowWater) => Promise<Found>,
    now: number,
  ): Promise<Found> {
    const began = performance.now()
    const isFull = began >= this.#nextFullCheck
    try {
      const found = await read(isFull ? FROM_ZERO : this.#marks)
      if (isFull) {
        this.#marks = below(found.lowest, now)
        this.#flows.clear()
      }
      return found
    } finally {
      const took = performance.now() - began
      if (isFull) this.#nextFullCheck = began + Math.max(FULL_CHECK_MS, REST_FACTOR * took)
    }
  }
}

/**
 * Returns marks that are below these positions and below the present time; new recipients are inserted at the present
 * time.
 */
const below = ({ ready, due, leases }: LowWater, now: number): LowWater => ({
  ready: Math.min(ready, now) - MARGIN_MS,
  due: Math.min(due, now) - MARGIN_MS,
  leases: Math.min(leases, now) - MARGIN_MS,
})
