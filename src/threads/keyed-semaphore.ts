// A semaphore per key: a bounded number of holders, while others wait for their turn.

interface Turns {
  inside: number
  /** Absent while nobody waits, which is the usual case. */
  waiting?: Set<(entered: boolean) => void>
}

/** Admits at most `most` concurrent holders per key, in order of arrival. */
export class KeyedSemaphore {
  readonly #most: number
  readonly #turns = new Map<string, Turns>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Waits for a turn; the caller must call the returned function once when done. Undefined when `signal` was aborted
   * before.
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

  /** Returns a turn if there is one at once; undefined when others come first. */
  tryAcquire(key: string): (() => void) | undefined {
    const turns = this.#turns.get(key) ?? { inside: 0 }
    if (turns.inside >= this.#most) return undefined
    turns.inside++
    this.#turns.set(key, turns)
    return () => this.#release(key, turns)
  }

  #release(key: string, turns: Turns): void {
    const [next] = turns.waiting ?? []
    // The turn passes directly to the next waiter, so that a newcomer cannot take it.
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
