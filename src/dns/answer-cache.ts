// A cache that keeps DNS answers for their lifetime; equal questions share one query.

import { type CacheName, cacheOf, type WeighedCache } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'

/** An answer, and the time for which the answer may be cached, in milliseconds. */
export interface Kept<Answer> {
  readonly answer: Answer
  readonly forMs: number
}

/** Cache of the most recent answers, within the size limit of the named cache. */
export class AnswerCache<Answer> {
  readonly #clock: Clock
  readonly #entries: WeighedCache<{ readonly answer: Answer; readonly until: number }>
  /** Questions under way; the callers limit the number of questions, and an answer removes its question. */
  readonly #pending = new Map<string, Promise<Answer>>()

  constructor(clock: Clock, name: CacheName) {
    this.#clock = clock
    this.#entries = cacheOf(name)
  }

  /** Returns the cached answer to `question`; undefined if no answer is cached. */
  peek(question: string): Answer | undefined {
    return this.#fresh(question)?.answer
  }

  /** Returns the cached answer to `question`, otherwise the result of `ask`, which must not reject. */
  get(question: string, ask: () => Promise<Kept<Answer>>): Promise<Answer> {
    const entry = this.#fresh(question)
    if (entry !== undefined) return Promise.resolve(entry.answer)
    const pending = this.#pending.get(question)
    if (pending !== undefined) return pending
    const asked = ask().finally(() => this.#pending.delete(question))
    const answer = asked.then(({ answer, forMs }) => {
      // Monotonic time is used, so that cached answers keep their real age after a wrong clock is corrected.
      if (forMs > 0) this.#entries.set(question, { answer, until: this.#clock.monotonic() + forMs })
      else this.#entries.delete(question)
      return answer
    })
    this.#pending.set(question, answer)
    return answer
  }

  /** Size of the entries, in bytes. */
  get bytes(): number {
    return this.#entries.bytes
  }

  #fresh(question: string): { readonly answer: Answer } | undefined {
    const entry = this.#entries.get(question)
    if (entry === undefined || entry.until > this.#clock.monotonic()) return entry
    this.#entries.delete(question)
    return undefined
  }
}
