// The shares whose throttled recipients wait in the store, in the order in which claims look into them.

import { isBytes, type Share } from '../model/queue-state.ts'
import type { SiteLimits } from './site-limits.ts'

/** Shares that one claim looks into. */
const MAX_REFILLED = 32
/** Shares that are known at a time; others are found by a later look at the queue. */
const MAX_SHARES = 10_000

/** Knows for which shares, and so for which sites and addresses, throttled recipients wait. */
export class Throttled {
  readonly #limits: SiteLimits
  #shares = new Set<Share>()
  /** By each name that limits the shares, how many it limits. */
  #names = new Map<string, number>()
  #byteShares = 0

  constructor(limits: SiteLimits) {
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#shares.size === 0
  }

  /** True if any wait for bytes. */
  get hasBytes(): boolean {
    return this.#byteShares > 0
  }

  /** True if any wait for this share, site or address. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Notes that recipients of a share were throttled. */
  add(share: Share): void {
    if (this.#shares.has(share) || this.#shares.size >= MAX_SHARES) return
    this.#shares.add(share)
    this.#countNames(share)
  }

  /** Replaces what was known by a look at the queue; shares that were known before stay first. */
  note(shares: readonly Share[]): void {
    const now = new Set(shares)
    const before = [...this.#shares].filter((share) => now.has(share))
    this.#set(new Set([...before, ...shares]))
  }

  /** Takes in the result of a claim: shares that were found empty are forgotten, the others go to the end. */
  noteClaim(refill: readonly Share[], taken: readonly Share[], throttled: readonly Share[]): void {
    if (refill.length === 0 && throttled.length === 0) return
    const found = new Set(taken)
    const all = new Set(this.#shares)
    for (const share of refill) {
      all.delete(share)
      if (found.has(share)) all.add(share)
    }
    for (const share of throttled) {
      if (all.size >= MAX_SHARES) break
      all.add(share)
    }
    this.#set(all)
  }

  /**
   * The next shares that have slots. `slotsOf` tells those of a share, site or address, and `allot` hears how many a
   * share may take: destinations that share a site or an address divide its slots.
   */
  next(slotsOf: (name: string) => number, allot: (share: Share, slots: number) => void): Share[] {
    const next: Share[] = []
    const left = new Map<string, { slots: number; shares: number }>()
    for (const share of this.#shares) {
      if (next.length === MAX_REFILLED) break
      const parts = this.#limits.namesOf(share).map((name) => {
        const part = left.get(name) ?? { slots: slotsOf(name), shares: this.#names.get(name) ?? 1 }
        left.set(name, part)
        return part
      })
      const slots = Math.min(...parts.map((part) => Math.ceil(part.slots / Math.max(1, part.shares))))
      allot(share, slots)
      for (const part of parts) {
        part.slots -= slots
        part.shares--
      }
      if (slots > 0) next.push(share)
    }
    return next
  }

  /** Time at which a pause or a rate lets a throttled recipient go; undefined when none waits for that. */
  opensAt(now: number): number | undefined {
    let soonest: number | undefined
    for (const share of this.#shares) {
      for (const name of this.#limits.namesOf(share)) {
        const at = this.#limits.opensAt(name, now)
        if (at !== undefined && (soonest === undefined || at < soonest)) soonest = at
      }
    }
    return soonest
  }

  #set(shares: Set<Share>): void {
    this.#shares = shares
    this.#names = new Map()
    this.#byteShares = 0
    for (const share of shares) this.#countNames(share)
  }

  #countNames(share: Share): void {
    if (isBytes(share)) this.#byteShares++
    for (const name of this.#limits.namesOf(share)) this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
  }
}
