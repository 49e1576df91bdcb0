// Remembers answers for as long as they hold, and lets equal questions share one query.

import { type CacheName, cacheOf, type WeighedCache } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'

/** An answer, and how many milliseconds it may be kept. */
export interface Kept<Answer> {
  readonly answer: Answer
  readonly forMs: number
}

/** The answers asked for last, as many as the cache of this name holds. */
export class AnswerCache<Answer> {
  readonly #clock: Clock
  readonly #entries: WeighedCache<{ readonly answer: Answer; readonly until: number }>
  /** Bounded by what asks: each question is taken out when it is answered. */
  readonly #pending = new Map<string, Promise<Answer>>()

  constructor(clock: Clock, name: CacheName) {
    this.#clock = clock
    this.#entries = cacheOf(name)
  }

  /** The remembered answer to `question`; undefined when there is none. */
  peek(question: string): Answer | undefined {
    return this.#fresh(question)?.answer
  }

  /** The remembered answer to `question`, else what `ask` finds; `ask` must not reject. */
  get(question: string, ask: () => Promise<Kept<Answer>>): Promise<Answer> {
    const entry = this.#fresh(question)
    if (entry !== undefined) return Promise.resolve(entry.answer)
    const pending = this.#pending.get(question)
    if (pending !== undefined) return pending
    const asked = ask().finally(() => this.#pending.delete(question))
    const answer = asked.then(({ answer, forMs }) => {
      // By a clock that nobody sets: what was learned before a wrong time was set right is no longer true.
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
