// Pace: lets pieces of work go on until the turn of the event loop is full, and the rest in the next ones.

import { loopTurn } from './loop-turn.ts'

/** Shared by those who do the same kind of work: each turn has room for at least one piece of it. */
export class Pace {
  #isOwedOne = false
  #next: Promise<void> | undefined

  /** Resolves when the next piece may begin: in the order of the calls, after a turn of the event loop if need be. */
  async turn(): Promise<void> {
    while (!loopTurn.isYoung() && !this.#isOwedOne) await this.#nextTurn()
    this.#isOwedOne = false
  }

  #nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      loopTurn.putOff(() => {
        this.#isOwedOne = true
        this.#next = undefined
        resolve()
      })
    })
    return this.#next
  }
}
