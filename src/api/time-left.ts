// Estimates the remaining time of work, based on the progress between repeated requests.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'

/** Measurement of the progress of some work. */
interface Measurement {
  /** Monotonic time of the measurement, in milliseconds. */
  readonly at: number
  readonly done: number
}

/** Two measurements from which the speed of the last 30 to 60 seconds is calculated. */
interface Measurements {
  readonly first: Measurement
  /** Measurement that replaces the first measurement after a minimum time. */
  readonly second: Measurement
}

/** Minimum time over which a speed is measured, in milliseconds. */
const MIN_MEASURED_MS = 5_000
const WINDOW_MS = 30_000
/** Maximum time between two measurements of the same work, in milliseconds. */
const MAX_MEASURED_MS = 10 * 60_000
/** Size in bytes of two measurements. */
const MEASUREMENTS_BYTES = 64

/** Stores measurements of running work. */
export class TimeLeft {
  readonly #clock: Clock
  readonly #measurements = cacheOf<Measurements>('progress')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the estimated number of seconds until `done` reaches `total`; null without progress, or while there are too
   * few measurements.
   */
  secondsLeft(id: string, done: number, total: number): number | null {
    const now: Measurement = { at: this.#clock.monotonic(), done }
    const before = this.#measurements.get(id)
    const known = before !== undefined && now.at - before.second.at <= MAX_MEASURED_MS
    const { first, second } = known ? before : { first: now, second: now }
    const isOld = now.at - second.at >= WINDOW_MS
    this.#measurements.set(id, isOld ? { first: second, second: now } : { first, second }, MEASUREMENTS_BYTES)
    const elapsed = now.at - first.at
    const progress = done - first.done
    if (elapsed < MIN_MEASURED_MS || progress <= 0) return null
    return Math.ceil(((total - done) * elapsed) / progress / 1_000)
  }
}
