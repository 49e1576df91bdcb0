// Lets pieces of work run until their share of the turn is used up; the rest runs in the following turns.

import { eventLoopBudget, INTAKE_MS } from './event-loop-budget.ts'

/** Limits the work of one kind: each turn of the event loop runs its share of the pieces, and at least one. */
export class Pacer {
  readonly #ms: number
  /** End of the share of this turn for pieces that were put off into it, in milliseconds of performance.now(). */
  #until = 0
  #last: Promise<void> = Promise.resolve()

  /** @param ms share of a turn in milliseconds */
  constructor(ms = INTAKE_MS) {
    this.#ms = ms
  }

  /** Resolves when the next piece may begin, in the order of the calls, after a turn of the event loop if necessary. */
  turn(): Promise<void> {
    // Each piece checks the budget after the one before it has begun, so that the time spent by that piece counts.
    const mine = this.#last.then(() => this.#room())
    this.#last = mine
    return mine
  }

  #room(): Promise<void> | undefined {
    if (eventLoopBudget.isYoung(this.#ms) || (!eventLoopBudget.isWaiting && performance.now() < this.#until))
      return undefined
    return new Promise((resolve) => {
      eventLoopBudget.putOff(() => {
        this.#until = performance.now() + this.#ms
        resolve()
      })
    })
  }
}
