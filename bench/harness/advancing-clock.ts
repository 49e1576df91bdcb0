// The system clock plus an offset, which a measurement increases to simulate the passing of days.

import { type Clock, systemClock } from '../../src/lib/clock.ts'

interface Timer {
  readonly at: number
  readonly action: () => void
  cancel(): void
}

/** System clock plus an offset; `advance` increases the offset and fires all timers that are then due. */
export class AdvancingClock implements Clock {
  #aheadMs = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return Date.now() + this.#aheadMs
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#aheadMs
  }

  after(ms: number, action: () => void): () => void {
    const fire = (): void => {
      this.#timers.delete(timer)
      action()
    }
    const timer = { at: this.now() + ms, action, cancel: systemClock.after(ms, fire) }
    this.#timers.add(timer)
    return () => {
      timer.cancel()
      this.#timers.delete(timer)
    }
  }

  advance(ms: number): void {
    this.#aheadMs += ms
    const now = this.now()
    for (const timer of [...this.#timers].filter(({ at }) => at <= now)) {
      timer.cancel()
      this.#timers.delete(timer)
      timer.action()
    }
  }
}
