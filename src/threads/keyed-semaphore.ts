// A semaphore per key, with a limited number of holders; further callers wait for their turn.

interface Turns {
  inside: number
  /** Callbacks of waiting callers; absent while no caller waits, which is the usual case. */
  waiting?: Set<(entered: boolean) => void>
}

/** Admits at most `most` concurrent holders of each key, in order of arrival. */
export class KeyedSemaphore {
  readonly #most: number
  readonly #turns = new Map<string, Turns>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Waits for a turn; the caller must call the returned function once at the end of the turn. Resolves to undefined if
   * `signal` was aborted before the turn.
   */
  async acquire(key: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (signal?.aborted) return undefined
    let turns = this.#turns.get(key)
    if (turns === undefined) {
      turns = { inside: 0 }
      this.#turns.set(key, turns)
    }
    if (turns.inside < this.#most) turns.inside++
    else if (!(await waitFor(turns, signal))) return undefined
    return () => this.#release(key, turns)
  }

  /**
   * Takes a turn without waiting, and returns the function that ends the turn; returns undefined if no turn is free.
   */
  tryAcquire(key: string): (() => void) | undefined {
    const turns = this.#turns.get(key) ?? { inside: 0 }
    if (turns.inside >= this.#most) return undefined
    turns.inside++
    this.#turns.set(key, turns)
    return () => this.#release(key, turns)
  }

  #release(key: string, turns: Turns): void {
    const [next] = turns.waiting ?? []
    // The turn passes directly to the next waiting caller, so that a newer caller cannot take the turn.
    if (next !== undefined) next(true)
    else if (--turns.inside === 0) this.#turns.delete(key)
  }
}

function waitFor(turns: Turns, signal: AbortSignal | undefined): Promise<boolean> {
  turns.waiting ??= new Set()
  const { waiting } = turns
  return new Promise((resolve) => {
    const settle = (entered: boolean): void => {
      waiting.delete(settle)
      signal?.removeEventListener('abort', giveUp)
      resolve(entered)
    }
    const giveUp = (): void => settle(false)
    waiting.add(settle)
    signal?.addEventListener('abort', giveUp)
  })
}
