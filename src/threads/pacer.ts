// Lets pieces of work run until their share of the turn is used up; the other pieces run in the following turns.

import { eventLoopBudget, INTAKE_MS } from './event-loop-budget.ts'

/**
 * Limits work of one kind: each turn of the event loop runs pieces of work until the share is used up, and at least one
 * piece.
 */
export class Pacer {
  readonly #ms: number
  /** End of this turn's share for deferred pieces of work, in milliseconds of `performance.now()`. */
  #until = 0
  #last: Promise<void> = Promise.resolve()

  /** @param ms share of a turn in milliseconds */
  constructor(ms = INTAKE_MS) {
    this.#ms = ms
  }

  /**
   * Resolves when the next piece of work may begin, in the order of the calls, possibly in a later turn of the event
   * loop.
   */
  turn(): Promise<void> {
    // Each piece of work checks the budget after the previous piece has begun, so that the time of the previous piece
    // counts.
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
