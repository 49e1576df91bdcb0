// The time that work needs to its end, as its progress shows to whoever asks for it again and again.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'

/** One look at the progress of some work. */
interface Look {
  /** Milliseconds, monotonic. */
  readonly at: number
  readonly done: number
}

/** Looks that a speed is measured from: it is that of the last half to whole minute. */
interface Looks {
  readonly first: Look
  /** Becomes the first one when it is old enough. */
  readonly second: Look
}

/** Progress in less time says nothing about a speed. */
const MIN_MEASURED_MS = 5_000
const WINDOW_MS = 30_000
/** Looks further apart are about different times. */
const MAX_MEASURED_MS = 10 * 60_000
/** Bytes of two looks. */
const LOOKS_BYTES = 64

/** Keeps the looks at what is under way. */
export class TimeLeft {
  readonly #clock: Clock
  readonly #looks = cacheOf<Looks>('progress')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds until `done` is `total`; null while too little is known, or nothing moves. */
  secondsLeft(id: string, done: number, total: number): number | null {
    const now: Look = { at: this.#clock.monotonic(), done }
    const before = this.#looks.get(id)
    const known = before !== undefined && now.at - before.second.at <= MAX_MEASURED_MS
    const { first, second } = known ? before : { first: now, second: now }
    const isOld = now.at - second.at >= WINDOW_MS
    this.#looks.set(id, isOld ? { first: second, second: now } : { first, second }, LOOKS_BYTES)
    const elapsed = now.at - first.at
    const progress = done - first.done
    if (elapsed < MIN_MEASURED_MS || progress <= 0) return null
    return Math.ceil(((total - done) * elapsed) / progress / 1_000)
  }
}
