// Takings from token buckets that several nodes share, until they are settled between the nodes.

/** Tokens taken from a bucket, as the time in which they come back. */
export interface Taking {
  readonly name: string
  readonly costMs: number
  /** The time that they are taken at, where that may be to come. */
  readonly at: number
}

/** Buckets that each node takes from on its own, and that are settled between the nodes afterwards. */
export interface SharedBuckets {
  readonly takings: Takings
  /** Time until a bucket is full again if no more is taken from it, with all nodes' takings, as of `at`. */
  settle(name: string, debtMs: number, at: number): void
}

/** Buckets with takings at one time. Those beyond are limited by each node for itself until the next settling. */
const MAX_NAMES = 4_096

/** Notes nothing until it is shared. */
export class Takings {
  readonly #byName = new Map<string, { costMs: number; minMs: number; at: number }>()
  #isShared = false

  share(): void {
    this.#isShared = true
  }

  /** Notes what was taken; it is settled once it costs `minMs` together. */
  note(name: string, costMs: number, minMs = 0, at = 0): void {
    if (!this.#isShared) return
    const noted = this.#byName.get(name)
    if (noted !== undefined) noted.costMs += costMs
    else if (this.#byName.size < MAX_NAMES || this.#makeRoom()) this.#byName.set(name, { costMs, minMs, at })
  }

  /** Forgets the oldest taking if it is too small to be settled: a bucket that is not used again would keep its place. */
  #makeRoom(): boolean {
    const [oldest] = this.#byName
    if (oldest === undefined || oldest[1].costMs >= oldest[1].minMs) return false
    return this.#byName.delete(oldest[0])
  }

  /** Cost that is not settled yet, in milliseconds. */
  owed(name: string): number {
    return this.#byName.get(name)?.costMs ?? 0
  }

  /** Removes those that are to be settled. */
  take(): Taking[] {
    const taken: Taking[] = []
    for (const [name, { costMs, minMs, at }] of this.#byName) {
      if (costMs < minMs) continue
      taken.push({ name, costMs, at })
      this.#byName.delete(name)
    }
    return taken
  }
}
