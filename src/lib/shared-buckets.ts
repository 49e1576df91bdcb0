// Token buckets that several nodes share: each node takes tokens independently, and the nodes settle the taken tokens
// afterwards.

/** Tokens taken from one bucket, expressed as the time in which the bucket regains the tokens. */
export interface UsedTokens {
  readonly name: string
  readonly costMs: number
  /** Time at which the tokens are taken; a future time for mail with a start tag in the future. */
  readonly at: number
}

/** Buckets from which each node takes tokens independently; the nodes settle the taken tokens afterwards. */
export interface SharedBuckets {
  readonly unsettled: UnsettledTokens
  /**
   * Sets a bucket to the state of all nodes: the bucket is full again `debtMs` after the time `at` if no more tokens
   * are taken.
   */
  settle(name: string, debtMs: number, at: number): void
}

/** Maximum number of buckets with unsettled tokens. Further buckets are limited per node until the next settlement. */
const MAX_NAMES = 4_096

/** Collects the tokens that this node took since the last settlement. Collects nothing until `share` is called. */
export class UnsettledTokens {
  readonly #byName = new Map<string, { costMs: number; minMs: number; at: number }>()
  #isShared = false

  share(): void {
    this.#isShared = true
  }

  /** Adds used tokens of a bucket; `take` returns the bucket once the sum of its costs reaches `minMs`. */
  note(name: string, costMs: number, minMs = 0, at = 0): void {
    if (!this.#isShared) return
    const noted = this.#byName.get(name)
    if (noted !== undefined) noted.costMs += costMs
    else if (this.#byName.size < MAX_NAMES || this.#makeRoom()) this.#byName.set(name, { costMs, minMs, at })
  }

  /**
   * Drops the oldest entry if its cost is too small for a settlement, so that an idle bucket does not keep its entry
   * forever.
   */
  #makeRoom(): boolean {
    const [oldest] = this.#byName
    if (oldest === undefined || oldest[1].costMs >= oldest[1].minMs) return false
    return this.#byName.delete(oldest[0])
  }

  /** Returns the unsettled cost of a bucket, in milliseconds. */
  owed(name: string): number {
    return this.#byName.get(name)?.costMs ?? 0
  }

  /** Removes and returns the entries that are due for settlement. */
  take(): UsedTokens[] {
    const taken: UsedTokens[] = []
    for (const [name, { costMs, minMs, at }] of this.#byName) {
      if (costMs < minMs) continue
      taken.push({ name, costMs, at })
      this.#byName.delete(name)
    }
    return taken
  }
}
