// The flows of throttled recipients in the store, in the order in which claims refill these flows.

import {
  accountShare,
  bytesOf,
  type Flow,
  flowOf,
  isBytes,
  RETRIES,
  type Share,
  shareOf,
  wayShare,
} from '../model/queue-state.ts'
import { SMALL_BYTES } from '../model/triage.ts'
import type { Claimed } from '../store/queue/queue.ts'
import type { SiteLimits } from './site-limits.ts'

/** Maximum number of flows from which one claim refills. */
const MAX_REFILLED = 32
/** Maximum number of known flows; later checks of the queue find the remaining flows. */
const MAX_FLOWS = 10_000

/**
 * Keeps the flows in which throttled recipients wait, and the shares, sites and addresses for which these flows wait.
 */
export class Throttled {
  readonly #limits: SiteLimits
  /** Flows of throttled recipients, in the order in which claims refill these flows. */
  #flows = new Set<Flow>()
  /** Number of flows that wait for each share, site or address. */
  #names = new Map<string, number>()
  #byteFlows = 0

  constructor(limits: SiteLimits) {
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#flows.size === 0
  }

  /** True if any flow waits for free bytes. */
  get hasBytes(): boolean {
    return this.#byteFlows > 0
  }

  /** True if any flow waits for this share, site or address. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Records that a recipient was throttled in a flow. */
  add(flow: Flow): void {
    if (this.#flows.has(flow) || this.#flows.size >= MAX_FLOWS) return
    this.#flows.add(flow)
    this.#countNames(flow)
  }

  /** Replaces the known flows by the flows found in the queue; flows that were known before stay at the front. */
  note(flows: readonly Flow[]): void {
    const now = new Set(flows)
    const before = [...this.#flows].filter((flow) => now.has(flow))
    this.#set(new Set([...before, ...flows]))
  }

  /**
   * Updates the turns after a claim: removes the flows in `empty`, moves the flows in `taken` to the end, and appends
   * the flows in `throttled`.
   */
  noteClaim(result: {
    readonly empty: Iterable<Flow>
    readonly taken: Iterable<Flow>
    readonly throttled: readonly Flow[]
  }): void {
    const all = new Set(this.#flows)
    for (const flow of result.empty) all.delete(flow)
    for (const flow of result.taken) if (all.delete(flow)) all.add(flow)
    for (const flow of result.throttled) {
      if (all.size >= MAX_FLOWS) break
      all.add(flow)
    }
    this.#set(all)
  }

  /**
   * Returns the next flows whose shares have free slots. Flows whose destinations share a site or an address divide the
   * slots of that site or address.
   *
   * @param slotsOf returns the free slots of a share, site or address
   * @param allot receives the number of slots that a share or a flow may take
   */
  next(slotsOf: (name: string) => number, allot: (name: Share | Flow, slots: number) => void): Flow[] {
    const next: Flow[] = []
    const left = new Map<string, { slots: number; flows: number }>()
    const allotted = new Map<Share, number>()
    for (const flow of this.#flows) {
      if (next.length === MAX_REFILLED) break
      const share = shareOf(flow)
      const parts = this.#limits.namesOf(share).map((name) => {
        const part = left.get(name) ?? { slots: slotsOf(name), flows: this.#names.get(name) ?? 1 }
        left.set(name, part)
        return part
      })
      const slots = Math.min(...parts.map((part) => Math.ceil(part.slots / Math.max(1, part.flows))))
      allotted.set(share, (allotted.get(share) ?? 0) + slots)
      allot(flow, slots)
      for (const part of parts) {
        part.slots -= slots
        part.flows--
      }
      if (slots > 0) next.push(flow)
    }
    for (const [share, slots] of allotted) allot(share, slots)
    return next
  }

  /**
   * Returns the time at which a pause or a rate limit next allows an attempt of a throttled recipient; undefined if no
   * flow waits for a pause or rate limit.
   */
  opensAt(now: number): number | undefined {
    let soonest: number | undefined
    for (const flow of this.#flows) {
      for (const name of this.#limits.namesOf(shareOf(flow))) {
        const at = this.#limits.opensAt(name, now)
        if (at !== undefined && (soonest === undefined || at < soonest)) soonest = at
      }
    }
    return soonest
  }

  #set(flows: Set<Flow>): void {
    this.#flows = flows
    this.#names = new Map()
    this.#byteFlows = 0
    for (const flow of flows) this.#countNames(flow)
  }

  #countNames(flow: Flow): void {
    if (isBytes(flow)) this.#byteFlows++
    for (const name of this.#limits.namesOf(shareOf(flow)))
      this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
  }
}

/** Returns the flows in which a recipient may have waited before. */
export function flowsOf(claimed: Claimed): Flow[] {
  const { accountId, attempt, size } = claimed
  const shares = [wayShare(claimed), accountShare(accountId)]
  if (size > SMALL_BYTES) shares.push(...shares.map(bytesOf))
  if (attempt > 1) shares.push(RETRIES)
  return shares.map((share) => flowOf(share, claimed))
}
