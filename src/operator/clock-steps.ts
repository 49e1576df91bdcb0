// Steps of the system clock are logged; a step back makes mail due that would otherwise be deferred for too long.

import { type Clock, systemClock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Store } from '../store/database/store.ts'
import { hasDeferredAfter, pullInDeferred } from '../store/queue/late-due.ts'

const EVERY_MS = 10_000
/** Minimum size of a step that is logged. NTP slews the clock for smaller differences instead of stepping the clock. */
const MIN_STEP_MS = 5_000

export interface ClockStepsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds by which the clock of this node is ahead of the database clock, which determines due times. */
  readonly skew?: () => number
  /** Maximum time in milliseconds for which a recipient is deferred. */
  readonly maxWaitMs: number
}

/**
 * Compares the system clock with the monotonic clock every ten seconds, and checks the due times of recipients at the
 * start.
 */
export class ClockSteps implements Part {
  readonly name = 'clock steps'
  readonly #options: ClockStepsOptions
  #ahead: number
  readonly #checking: Periodic

  constructor(options: ClockStepsOptions) {
    this.#options = options
    this.#ahead = this.#difference()
    this.#checking = new Periodic({
      ...{ name: this.name, clock: systemClock, log: options.log, everyMs: EVERY_MS },
      failure: 'deferred recipients could not be checked after a step of the clock',
      step: () => this.check(),
    })
  }

  async start(): Promise<void> {
    // The clock may have been set back while no node was running.
    await this.#pullIn()
    this.#checking.start()
  }

  stop(): Promise<void> {
    return this.#checking.stop()
  }

  async check(): Promise<void> {
    const ahead = this.#difference()
    const step = Math.round(ahead - this.#ahead)
    this.#ahead = ahead
    if (Math.abs(step) < MIN_STEP_MS) return
    const by = `by ${(Math.abs(step) / 1_000).toFixed(0)} s`
    const words =
      step < 0
        ? `The clock of this machine was set back ${by}.`
        : `The clock of this machine was set ahead ${by}.`
    this.#options.log.warn({ step_ms: step }, words)
    if (step < 0) await this.#pullIn()
  }

  /** Makes recipients due immediately that would otherwise wait longer than `maxWaitMs`. */
  async #pullIn(): Promise<void> {
    const { store, clock, log, skew = () => 0, maxWaitMs } = this.#options
    try {
      const now = clock.now() - skew()
      const latest = now + maxWaitMs
      if (!(await hasDeferredAfter(store.read, latest))) return
      let recipients = 0
      for (let moved = -1; moved !== 0; recipients += moved)
        moved = await store.write(pullInDeferred, { now, latest })
      log.warn(
        { recipients },
        'the clock was set back; recipients that were due later than the longest wait are due now',
      )
    } catch (error) {
      log.warn({ err: error }, 'deferred recipients could not be checked after a step of the clock')
    }
  }

  #difference(): number {
    const { clock } = this.#options
    return clock.now() - clock.monotonic()
  }
}
