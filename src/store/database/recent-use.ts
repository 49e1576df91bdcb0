// How much of something each of many has used in the last seconds.

interface Use {
  amount: number
  /** Milliseconds of performance.now() at which that was the amount. */
  at: number
}

/** Time in which half of a use is forgotten, and all of it. */
const HALF_LIFE_MS = 1_000
const FORGOTTEN_MS = 20 * HALF_LIFE_MS

/** Uses by name, which fade. */
export class RecentUse {
  /** In the order of their last use. */
  readonly #uses = new Map<string, Use>()

  /** Returns the use of a name, of which half is forgotten in each half-life. */
  of(name: string): number {
    const use = this.#uses.get(name)
    return use === undefined ? 0 : left(use, performance.now())
  }

  add(name: string, amount: number): void {
    const now = performance.now()
    const use = this.#uses.get(name)
    this.#uses.delete(name)
    this.#uses.set(name, { amount: amount + (use === undefined ? 0 : left(use, now)), at: now })
    for (const [oldest, { at }] of this.#uses) {
      if (now - at < FORGOTTEN_MS) break
      this.#uses.delete(oldest)
    }
  }
}

const left = ({ amount, at }: Use, now: number): number => amount * 0.5 ** ((now - at) / HALF_LIFE_MS)
