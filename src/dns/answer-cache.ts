// Remembers answers for as long as they hold, and lets equal questions share one query.

import type { Clock } from '../lib/clock.ts'

/** An answer, and how many milliseconds it may be kept. */
export interface Kept<Answer> {
  readonly answer: Answer
  readonly forMs: number
}

/** What stays of a full cache when room is made. */
const KEPT_OF_FULL = 15 / 16

/** At most `maxEntries` answers; the oldest make room. */
export class AnswerCache<Answer> {
  readonly #clock: Clock
  readonly #maxEntries: number
  readonly #entries = new Map<string, { answer: Answer; until: number }>()
  readonly #pending = new Map<string, Promise<Answer>>()

  constructor(clock: Clock, maxEntries: number) {
    this.#clock = clock
    this.#maxEntries = maxEntries
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
    const answer = ask().then((kept) => {
      this.#pending.delete(question)
      this.#keep(question, kept)
      return kept.answer
    })
    this.#pending.set(question, answer)
    return answer
  }

  #fresh(question: string): { readonly answer: Answer } | undefined {
    const entry = this.#entries.get(question)
    return entry !== undefined && entry.until > this.#clock.now() ? entry : undefined
  }

  #keep(question: string, { answer, forMs }: Kept<Answer>): void {
    this.#entries.delete(question)
    if (forMs <= 0) return
    if (this.#entries.size >= this.#maxEntries) this.#makeRoom()
    this.#entries.set(question, { answer, until: this.#clock.now() + forMs })
  }

  /** For many at once: a map's first entry is found past all that were deleted before it. */
  #makeRoom(): void {
    const enough = this.#maxEntries * KEPT_OF_FULL
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= enough) break
      this.#entries.delete(oldest)
    }
  }
}
