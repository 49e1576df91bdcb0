// Keeps one error that comes a thousand times from flooding the log: it is told once a minute, with how often it came.

import { hash } from 'node:crypto'
import type { Clock } from './clock.ts'

const WINDOW_MS = 60_000
/** Errors that are told apart at a time; the one that began first makes room. */
const MAX_KEYS = 256

interface Repeated {
  count: number
  readonly cancel: () => void
}

/** Counts lines by their words. */
export class LineLimit {
  readonly #clock: Clock
  readonly #byKey = new Map<string, Repeated>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * True if a line is logged now: the first with its words, and then none for a minute. At its end `tell` is called
   * with the number of those that were left out, if there were any, and another minute begins.
   */
  pass(words: string, tell: (repeated: number) => void): boolean {
    // Words of an error may be long, and those of a stranger.
    const key = hash('sha256', words)
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      known.count++
      return false
    }
    const [oldest] = this.#byKey.keys()
    if (this.#byKey.size >= MAX_KEYS && oldest !== undefined) {
      this.#byKey.get(oldest)?.cancel()
      this.#byKey.delete(oldest)
    }
    this.#begin(key, tell)
    return true
  }

  #begin(key: string, tell: (repeated: number) => void): void {
    const cancel = this.#clock.after(WINDOW_MS, () => {
      const { count = 0 } = this.#byKey.get(key) ?? {}
      this.#byKey.delete(key)
      if (count === 0) return
      this.#begin(key, tell)
      tell(count)
    })
    this.#byKey.set(key, { count: 0, cancel })
  }
}
