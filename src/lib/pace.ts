// Pace: lets pieces of work go on for a time, and then whatever has arrived meanwhile is read before the next piece.

/** Shared by those whose work together must not keep the event loop. */
export class Pace {
  readonly #stallMs: number
  #since = Number.NEGATIVE_INFINITY
  #next: Promise<void> | undefined

  /** `stallMs`: for how many milliseconds pieces may follow one another. */
  constructor(stallMs: number) {
    this.#stallMs = stallMs
  }

  /** Resolves when the next piece may begin: in the order of the calls, after a turn of the event loop if need be. */
  async turn(): Promise<void> {
    while (performance.now() - this.#since > this.#stallMs) await this.#nextTurn()
  }

  #nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now()
        this.#next = undefined
        resolve()
      })
    })
    return this.#next
  }
}
