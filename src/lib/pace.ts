// Pace: lets pieces of work go on until the turn of the event loop is full, and the rest in the next ones.

import { INTAKE_MS, loopTurn } from './loop-turn.ts'

/** Shared by those who do the same kind of work: each turn has room for its share of it, and for one piece at least. */
export class Pace {
  readonly #ms: number
  #isOwedOne = false
  /** Until when this turn has room, in milliseconds of performance.now(). */
  #until = 0
  #next: Promise<void> | undefined

  /** @param ms its share of a turn */
  constructor(ms = INTAKE_MS) {
    this.#ms = ms
  }

  /** Resolves when the next piece may begin: in the order of the calls, after a turn of the event loop if need be. */
  async turn(): Promise<void> {
    while (!this.#hasRoom()) await this.#nextTurn()
    this.#isOwedOne = false
  }

  #hasRoom(): boolean {
    if (this.#isOwedOne || loopTurn.isYoung(this.#ms)) return true
    return !loopTurn.isWaiting && performance.now() < this.#until
  }

  #nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      loopTurn.putOff(() => {
        this.#isOwedOne = true
        this.#until = performance.now() + this.#ms
        this.#next = undefined
        resolve()
      })
    })
    return this.#next
  }
}
