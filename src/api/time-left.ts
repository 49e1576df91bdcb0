// Estimates the remaining time of work from its progress at repeated requests.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'

/** A measurement of the progress of some work. */
interface Measurement {
  /** Milliseconds, monotonic. */
  readonly at: number
  readonly done: number
}

/** Measurements for the speed of the last half to whole minute. */
interface Measurements {
  readonly first: Measurement
  /** Becomes the first measurement after a minimum time. */
  readonly second: Measurement
}

/** Minimum time over which a speed is measured. */
const MIN_MEASURED_MS = 5_000
const WINDOW_MS = 30_000
/** Maximum time between two measurements of the same work. */
const MAX_MEASURED_MS = 10 * 60_000
/** Size of two measurements in bytes. */
const MEASUREMENTS_BYTES = 64

/** Keeps measurements of the work under way. */
export class TimeLeft {
  readonly #clock: Clock
  readonly #measurements = cacheOf<Measurements>('progress')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the seconds until `done` reaches `total`; null while too little is known, or without progress. */
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
