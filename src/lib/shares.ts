// A limit that owners share: no owner may hold more than the amount that stays free.

/**
 * An amount that owners share. An owner may hold at most as much as stays free: a single owner can hold half of the
 * total, and two owners can hold a third each. A part therefore always stays free for a new owner (dynamic thresholds,
 * Choudhury and Hahne 1998).
 */
export class Shares {
  readonly total: number
  #free: number
  readonly #held = new Map<string, number>()

  constructor(total: number) {
    this.total = total
    this.#free = total
  }

  /** Total amount held. */
  get taken(): number {
    return this.total - this.#free
  }

  heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  /**
   * Takes an amount. Returns false and takes nothing if the amount exceeds the owner's share. An owner may take
   * everything while nothing is held.
   */
  take(owner: string, amount: number): boolean {
    const free = this.#free - amount
    const held = this.heldBy(owner) + amount
    if (free < 0 || (held > free && this.#held.size > 0)) return false
    this.#free = free
    this.#held.set(owner, held)
    return true
  }

  /** Releases an amount that the owner took. */
  release(owner: string, amount: number): void {
    if (amount === 0) return
    const held = this.heldBy(owner) - amount
    this.#free += amount
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }
}
