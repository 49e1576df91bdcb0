// Turns: who of all that is accepted goes first, so that a flood in one stream does not delay the others.

/** What a recipient moves the next turn of its stream forward by, in milliseconds. */
const SPACING_MS = 1
const MOST_STREAMS = 10_000

/**
 * Gives each recipient its turn: the time of acceptance, or later the more its stream has sent just before. The queue
 * goes by turns and waits for none, so that 100,000 recipients of one stream take 100 seconds' worth of turns, and
 * whatever another stream accepts meanwhile stands in front of most of them (start-time fair queueing: Goyal, Vin and
 * Cheng 1996).
 */
export class Turns {
  readonly #last = new Map<string, number>()

  /**
   * The turn of one more recipient of a stream of a domain. `now` in milliseconds; `spacingMs` is what the stream's own
   * rate leaves between two, and then the turn is waited for.
   */
  next(domainId: string, stream: string, now: number, spacingMs = SPACING_MS): number {
    const key = `${domainId} ${stream}`
    const last = this.#last.get(key)
    const turn = last === undefined ? now : Math.max(now, last + spacingMs)
    this.#last.delete(key)
    if (this.#last.size >= MOST_STREAMS) this.#forgetOldest()
    this.#last.set(key, turn)
    return turn
  }

  #forgetOldest(): void {
    for (const oldest of this.#last.keys()) {
      this.#last.delete(oldest)
      return
    }
  }
}
