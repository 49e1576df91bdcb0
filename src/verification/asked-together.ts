// Look-ups in the store, those that are asked for while one is under way together in the next.

const MAX_AT_ONCE = 100

interface Waiting<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question
}

export class AskedTogether<Question, Answer> {
  readonly #lookUp: (questions: readonly Question[]) => Promise<readonly Answer[]>
  #waiting: Waiting<Question, Answer>[] = []
  #looking = false

  /** @param lookUp answers each of up to 100 questions in its place */
  constructor(lookUp: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#lookUp = lookUp
  }

  /** Rejects as the look-up does. */
  ask(question: Question): Promise<Answer> {
    const waiting = { question, ...Promise.withResolvers<Answer>() }
    this.#waiting.push(waiting)
    if (!this.#looking) void this.#look()
    return waiting.promise
  }

  async #look(): Promise<void> {
    this.#looking = true
    // Other look-ups of the same moment share the query.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, MAX_AT_ONCE)
      try {
        const found = await this.#lookUp(some.map(({ question }) => question))
        for (const [index, { resolve }] of some.entries()) resolve(found[index] as Answer)
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
    this.#looking = false
  }
}
