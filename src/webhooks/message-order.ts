// The order of events: those of one message go one after the other, those of others need not wait for them.

/** Entries that are ready, and those that wait for another one of their message. */
export class MessageOrder<Entry> {
  readonly #ready: (readonly [messageId: string, entry: Entry])[] = []
  /** By message that has an entry ready or under way: those behind it. */
  readonly #behind = new Map<string, Entry[]>()
  #taken = 0

  /** Entries that may be taken. */
  get ready(): number {
    return this.#ready.length - this.#taken
  }

  add(messageId: string, entry: Entry): void {
    const behind = this.#behind.get(messageId)
    if (behind !== undefined) {
      behind.push(entry)
      return
    }
    this.#behind.set(messageId, [])
    this.#ready.push([messageId, entry])
  }

  /**
   * Up to `most`, each of another message, in the order in which they became ready; one that is to be alone comes with no
   * other.
   */
  take(most: number, isAlone: (entry: Entry) => boolean = () => false): Entry[] {
    const next = this.#ready.slice(this.#taken, this.#taken + most)
    const alone = next.findIndex(([, entry]) => isAlone(entry))
    const taken = alone < 0 ? next : next.slice(0, Math.max(1, alone))
    this.#taken += taken.length
    // Cut off rarely: a shift moves all that is behind it.
    if (this.#taken > 1_000 || this.#taken === this.#ready.length) {
      this.#ready.splice(0, this.#taken)
      this.#taken = 0
    }
    return taken.map(([, entry]) => entry)
  }

  /** The entry of this message that was taken is done: the next one is ready. */
  release(messageId: string): void {
    const next = this.#behind.get(messageId)?.shift()
    if (next === undefined) this.#behind.delete(messageId)
    else this.#ready.push([messageId, next])
  }
}
