// The order of events: events of one message are sent one after the other, and do not delay events of other messages.

/** Entries that are ready, and entries that wait for an earlier entry of the same message. */
export class MessageOrder<Entry> {
  readonly #ready: (readonly [messageId: string, entry: Entry])[] = []
  /** Waiting entries of each message that has a ready or taken entry. */
  readonly #waiting = new Map<string, Entry[]>()
  #taken = 0

  /** Number of entries that can be taken now. */
  get ready(): number {
    return this.#ready.length - this.#taken
  }

  add(messageId: string, entry: Entry): void {
    const waiting = this.#waiting.get(messageId)
    if (waiting !== undefined) {
      waiting.push(entry)
      return
    }
    this.#waiting.set(messageId, [])
    this.#ready.push([messageId, entry])
  }

  /**
   * Takes up to `most` entries of different messages, in the order in which the entries became ready; an entry for
   * which `isAlone` returns true is taken alone.
   */
  take(most: number, isAlone: (entry: Entry) => boolean = () => false): Entry[] {
    const next = this.#ready.slice(this.#taken, this.#taken + most)
    const alone = next.findIndex(([, entry]) => isAlone(entry))
    const taken = alone < 0 ? next : next.slice(0, Math.max(1, alone))
    this.#taken += taken.length
    // Taken entries are removed rarely, since each removal moves all later entries.
    if (this.#taken > 1_000 || this.#taken === this.#ready.length) {
      this.#ready.splice(0, this.#taken)
      this.#taken = 0
    }
    return taken.map(([, entry]) => entry)
  }

  /** Records that the taken entry of this message is done, so that the next entry of the message is ready. */
  release(messageId: string): void {
    const next = this.#waiting.get(messageId)?.shift()
    if (next === undefined) this.#waiting.delete(messageId)
    else this.#ready.push([messageId, next])
  }
}
