// The clock, which tests can replace.

import { currentRun } from './repeatable-run.ts'

/** Source of the current time and of timers. */
export interface Clock {
  /** Returns the time in milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Returns the time in milliseconds since an arbitrary moment, unaffected by changes of the system clock. */
  monotonic(): number
  /** Runs `action` once after `ms` milliseconds; the returned function cancels the timer. */
  after(ms: number, action: () => void): () => void
}

/** The system clock. Timers of this clock do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, Math.min(ms, 2_147_483_647))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/**
 * Returns a clock for repeatable requests: the time within a request is always the start time of the first run of the
 * request.
 */
export const requestClock = (clock: Clock): Clock => ({
  now: () => currentRun()?.now ?? clock.now(),
  monotonic: () => clock.monotonic(),
  after: (ms, action) => clock.after(ms, action),
})
