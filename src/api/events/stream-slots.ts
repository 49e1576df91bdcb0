// Limits the number of open streams of a node, and of each owner of streams.

/** An owner of streams, such as an account, and the maximum number of its open streams. */
export interface StreamOwner {
  readonly id: string
  readonly most: number
}

/** Counts the open streams of a node. */
export class StreamSlots {
  readonly #most: number
  readonly #open = new Map<string, number>()
  #taken = 0

  /** @param most maximum number of open streams of the node */
  constructor(most: number) {
    this.#most = most
  }

  /** Number of open streams. */
  get taken(): number {
    return this.#taken
  }

  /** Takes a slot for a stream with several owners; returns false if the node or an owner has too many streams. */
  take(owners: readonly StreamOwner[]): boolean {
    if (this.#taken >= this.#most) return false
    if (owners.some(({ id, most }) => (this.#open.get(id) ?? 0) >= most)) return false
    this.#taken++
    for (const { id } of owners) this.#open.set(id, (this.#open.get(id) ?? 0) + 1)
    return true
  }

  /** Releases the slot of a stream that has ended. */
  release(owners: readonly StreamOwner[]): void {
    this.#taken--
    for (const { id } of owners) {
      const left = (this.#open.get(id) ?? 1) - 1
      if (left === 0) this.#open.delete(id)
      else this.#open.set(id, left)
    }
  }
}
