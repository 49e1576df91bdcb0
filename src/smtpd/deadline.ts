// A time limit that is reset often, with one timer for many resets.

import type { Clock } from '../lib/clock.ts'

/** Calls `onDue` when the latest time limit has passed. */
export class Deadline {
  readonly #clock: Clock
  readonly #onDue: () => void
  #due = Number.POSITIVE_INFINITY
  #timerAt = Number.POSITIVE_INFINITY
  #cancelTimer: () => void = () => {}

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Sets the time limit to `ms` milliseconds from now. */
  set(ms: number): void {
    this.#due = this.#clock.now() + ms
    if (this.#due < this.#timerAt) this.#arm()
  }

  /** Removes the time limit until the next `set`. */
  clear(): void {
    this.#due = Number.POSITIVE_INFINITY
  }

  /** Stops the timer permanently. */
  stop(): void {
    this.clear()
    this.#cancelTimer()
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #arm(): void {
    this.#cancelTimer()
    this.#timerAt = this.#due
    this.#cancelTimer = this.#clock.after(this.#due - this.#clock.now(), () => this.#onTimer())
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#clock.now() >= this.#due) {
      this.clear()
      this.#onDue()
    } else if (this.#due !== Number.POSITIVE_INFINITY) {
      this.#arm()
    }
  }
}
