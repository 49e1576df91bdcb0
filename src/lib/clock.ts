// The time, so that a test can own it.

import { currentRun } from './repeatable-run.ts'

/** Source of time: milliseconds since the epoch, and timers. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Milliseconds that have passed since some moment, whatever is done to the clock. */
  monotonic(): number
  /** Runs `action` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, action: () => void): () => void
}

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, Math.min(ms, 2_147_483_647))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A clock that stands still within a request that can be run again, at the time at which its first run began. */
export const requestClock = (clock: Clock): Clock => ({
  now: () => currentRun()?.now ?? clock.now(),
  monotonic: () => clock.monotonic(),
  after: (ms, action) => clock.after(ms, action),
})
