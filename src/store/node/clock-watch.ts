// Measures the clock skew between this node and the database at intervals.

import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Figure } from '../../lib/figures.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import { isPostgres, type Read } from '../database/dialect.ts'
import { clockSkew } from './installation.ts'

/** Maximum clock skew with which a node claims recipients and delivers accepted mail. */
export const MAX_SKEW_MS = 5_000
const EVERY_MS = 10_000

/** Returns a sentence about a wrong clock; undefined if the clock skew is harmless. */
export function skewInWords(ms: number): string | undefined {
  if (Math.abs(ms) <= MAX_SKEW_MS) return undefined
  const seconds = (Math.abs(ms) / 1000).toFixed(1)
  return `The clock of this node is ${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} the database's; set the clock by NTP. Until then this node delivers nothing.`
}

/** Checks the clock skew every ten seconds, and logs when the clock becomes wrong and when it becomes right again. */
export class ClockWatch implements Part {
  readonly name = 'clock watch'
  readonly #read: Read
  readonly #log: Log
  readonly #now: () => number
  #skew = 0
  /** Difference between the clock and a monotonic clock at the last check. */
  #distance: number
  readonly #checking: Periodic

  /** @param now clock of the machine, which a test may replace */
  constructor(read: Read, log: Log, now: () => number = Date.now) {
    this.#read = read
    this.#log = log
    this.#now = now
    this.#distance = this.#distanceNow()
    this.#checking = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS },
      failure: 'the clock could not be compared with the clock of the database',
      step: () => this.check(),
    })
  }

  /**
   * Milliseconds by which this node's clock is ahead: the skew at the last check, plus any later adjustment of the
   * clock.
   */
  get skew(): number {
    if (!isPostgres(this.#read)) return 0
    return this.#skew + Math.round(this.#distanceNow() - this.#distance)
  }

  /**
   * Returns a clock for times that other nodes use: `clock`, corrected to the database's time while this node's clock
   * is wrong.
   */
  corrected(clock: Clock): Clock {
    const wrongBy = (): number => (Math.abs(this.skew) > MAX_SKEW_MS ? this.skew : 0)
    return {
      now: () => clock.now() - wrongBy(),
      monotonic: () => clock.monotonic(),
      after: (ms, action) => clock.after(ms, action),
    }
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_clock_skew_seconds',
        help: "Seconds by which this node's clock is ahead of the database's; beyond 5 s either way the node delivers nothing",
        kind: 'gauge',
        read: () => this.skew / 1_000,
      },
    ]
  }

  #distanceNow(): number {
    return this.#now() - systemClock.monotonic()
  }

  async start(): Promise<void> {
    await this.check()
    this.#checking.start()
  }

  stop(): Promise<void> {
    return this.#checking.stop()
  }

  async check(): Promise<void> {
    const before = skewInWords(this.#skew)
    // An unreachable database does not show whether the clock of this node is wrong.
    const skew = await clockSkew(this.#read, this.#now).catch(() => undefined)
    if (skew !== undefined) {
      this.#skew = skew
      this.#distance = this.#distanceNow()
    }
    const now = skewInWords(this.#skew)
    if (now !== undefined && before === undefined) this.#log.warn({ skew_ms: this.#skew }, now)
    if (now === undefined && before !== undefined)
      this.#log.info({ skew_ms: this.#skew }, "the clock agrees with the database's again")
  }
}
