// A limit that many share: no owner holds more than what stays free.

/**
 * So much and no more. An owner may hold as much as stays free afterwards: one alone at most half, two a third each,
 * and there is always something left for the next (dynamic thresholds, Choudhury and Hahne 1998).
 */
export class Shares {
  readonly total: number
  #free: number
  readonly #held = new Map<string, number>()

  constructor(total: number) {
    this.total = total
    this.#free = total
  }

  /** All that is held. */
  get taken(): number {
    return this.total - this.#free
  }

  heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  /**
   * False when it is more than the owner's share; then nothing is taken. While no share is held, one owner may take
   * all.
   */
  take(owner: string, amount: number): boolean {
    const free = this.#free - amount
    const held = this.heldBy(owner) + amount
    if (free < 0 || (held > free && this.#held.size > 0)) return false
    this.#free = free
    this.#held.set(owner, held)
    return true
  }

  /** Gives back what `take` took for the owner. */
  release(owner: string, amount: number): void {
    if (amount === 0) return
    const held = this.heldBy(owner) - amount
    this.#free += amount
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }
}
