// The flows of throttled recipients that wait in the store, in the order in which claims refill them.

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

/** Maximum number of flows that one claim refills from. */
const MAX_REFILLED = 32
/** Maximum number of known flows; later checks of the queue find others. */
const MAX_FLOWS = 10_000

/** Knows the flows in which throttled recipients wait, and the shares, sites and addresses they wait for. */
export class Throttled {
  readonly #limits: SiteLimits
  /** Flows in order of their turn. */
  #flows = new Set<Flow>()
  /** Number of flows that each name limits. */
  #names = new Map<string, number>()
  #byteFlows = 0

  constructor(limits: SiteLimits) {
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#flows.size === 0
  }

  /** True if any flow waits for bytes. */
  get hasBytes(): boolean {
    return this.#byteFlows > 0
  }

  /** True if any flow waits for this share, site or address. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Notes that a recipient became throttled in a flow. */
  add(flow: Flow): void {
    if (this.#flows.has(flow) || this.#flows.size >= MAX_FLOWS) return
    this.#flows.add(flow)
    this.#countNames(flow)
  }

  /** Replaces the known flows by those found in the queue; flows that were known before keep their place in front. */
  note(flows: readonly Flow[]): void {
    const now = new Set(flows)
    const before = [...this.#flows].filter((flow) => now.has(flow))
    this.#set(new Set([...before, ...flows]))
  }

  /**
   * Updates the turns from the result of a claim: `empty` flows are removed, flows with recipients `taken` go to the
   * end, the others keep their turn.
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
   * Returns the next flows whose shares have slots. `slotsOf` returns the slots of a share, site or address. `allot`
   * receives how many slots a share and a flow may take: flows whose destinations share a site or an address divide
   * its slots.
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

  /** Time at which a pause or a rate admits a throttled recipient; undefined when no flow waits for that. */
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

/** Returns the flows in which a recipient may have waited. */
export function flowsOf(claimed: Claimed): Flow[] {
  const { accountId, attempt, size } = claimed
  const shares = [wayShare(claimed), accountShare(accountId)]
  if (size > SMALL_BYTES) shares.push(...shares.map(bytesOf))
  if (attempt > 1) shares.push(RETRIES)
  return shares.map((share) => flowOf(share, claimed))
}
