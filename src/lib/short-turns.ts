// Keeps the turns of the event loop short: what does not fit into one waits for the next, and owners take turns.

/**
 * Time that one turn may work before new work is put off, in milliseconds. A listening socket takes one new connection
 * a turn (libuv), so this is also the wait of new connections.
 */
const TURN_MS = 5

/** Runs work at once while the turn is young, else in the order of its owners: one piece of each, round and round. */
export class ShortTurns {
  /** Waiting work by owner, in the order in which the owners are next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #began: number | undefined

  run(owner: string, work: () => void): void {
    if (this.#began === undefined) {
      this.#began = performance.now()
      setImmediate(this.#onTurn)
    }
    if (this.#waiting.size === 0 && performance.now() - this.#began < TURN_MS) {
      work()
      return
    }
    const own = this.#waiting.get(owner)
    if (own === undefined) this.#waiting.set(owner, [work])
    else own.push(work)
  }

  /** Begins a turn with what waits. */
  readonly #onTurn = (): void => {
    if (this.#waiting.size === 0) {
      this.#began = undefined
      return
    }
    this.#began = performance.now()
    setImmediate(this.#onTurn)
    do this.#next()
    while (this.#waiting.size > 0 && performance.now() - this.#began < TURN_MS)
  }

  #next(): void {
    const [[owner, own]] = this.#waiting as unknown as [[string, (() => void)[]]]
    this.#waiting.delete(owner)
    const work = own.shift()
    if (own.length > 0) this.#waiting.set(owner, own)
    work?.()
  }
}
