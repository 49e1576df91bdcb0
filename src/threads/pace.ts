// Pace: lets pieces of work go on until their share of the turn is full, and the rest in the next ones.

import { eventLoopBudget, INTAKE_MS } from './event-loop-budget.ts'

/** Shared by those who do the same kind of work: each turn has room for its share of it, and for one piece at least. */
export class Pace {
  readonly #ms: number
  /** Until when pieces that were put off into this turn may go on, in milliseconds of performance.now(). */
  #until = 0
  #last: Promise<void> = Promise.resolve()

  /** @param ms its share of a turn */
  constructor(ms = INTAKE_MS) {
    this.#ms = ms
  }

  /** Resolves when the next piece may begin: in the order of the calls, after a turn of the event loop if need be. */
  turn(): Promise<void> {
    // Each looks when the one before it has begun, so that the time that its work took counts.
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
