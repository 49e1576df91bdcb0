// A limit shared by owners: none may hold more than what stays free.

/**
 * A shared amount. An owner may hold at most as much as stays free afterwards: a single owner half, two a third each,
 * so that there is always something left for the next (dynamic thresholds, Choudhury and Hahne 1998).
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
   * Takes an amount; false when it exceeds the share of the owner, and then nothing is taken. While no amount is
   * held, one owner may take everything.
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
