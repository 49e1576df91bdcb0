// Keeps the turns of the event loop short: work that does not fit into a turn waits for the next turn, and owners are
// served in rotation.

import { type EventLoopBudget, eventLoopBudget, INTAKE_MS } from './event-loop-budget.ts'

/**
 * Runs work immediately while the share of the turn is not used up; otherwise runs one piece of work per owner in
 * rotation.
 */
export class FairScheduler {
  /** Waiting work by owner, in rotation order. */
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #budget: EventLoopBudget
  #isPutOff = false

  /** @param budget event loop budget of this thread */
  constructor(budget: EventLoopBudget = eventLoopBudget) {
    this.#budget = budget
  }

  run(owner: string, work: () => void): void {
    if (this.#waiting.size === 0 && this.#budget.isYoung()) {
      work()
      return
    }
    const own = this.#waiting.get(owner)
    if (own === undefined) this.#waiting.set(owner, [work])
    else own.push(work)
    this.#putOff()
  }

  #putOff(): void {
    if (this.#isPutOff) return
    this.#isPutOff = true
    this.#budget.putOff(this.#onTurn)
  }

  /** Runs deferred pieces of work for the share of a turn, and at least one piece. */
  readonly #onTurn = (): void => {
    this.#isPutOff = false
    const until = performance.now() + INTAKE_MS
    // The list may be empty: a deferred piece of work may already have run within its own turn.
    if (this.#waiting.size > 0) this.#next()
    while (this.#waiting.size > 0 && performance.now() < until) this.#next()
    if (this.#waiting.size > 0) this.#putOff()
  }

  #next(): void {
    const [[owner, own]] = this.#waiting as unknown as [[string, (() => void)[]]]
    const work = own.shift()
    if (own.length === 0) this.#waiting.delete(owner)
    else if (this.#waiting.size > 1) {
      this.#waiting.delete(owner)
      this.#waiting.set(owner, own)
    }
    work?.()
  }
}
