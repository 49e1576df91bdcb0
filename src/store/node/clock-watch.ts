// Compares this node's clock with that of the database at intervals.

import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Figure } from '../../lib/figures.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import { isPostgres, type Read } from '../database/dialect.ts'
import { clockSkew } from './installation.ts'

/** Difference beyond which a node neither claims recipients nor delivers accepted mail. */
export const MAX_SKEW_MS = 5_000
const EVERY_MS = 10_000

/** Returns a sentence about a wrong clock; undefined for a harmless difference. */
export function skewInWords(ms: number): string | undefined {
  if (Math.abs(ms) <= MAX_SKEW_MS) return undefined
  const seconds = (Math.abs(ms) / 1000).toFixed(1)
  return `The clock of this node is ${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} the database's; set the clock by NTP. Until then this node delivers nothing.`
}

/** Checks every ten seconds, and logs when the clock becomes wrong and when it is right again. */
export class ClockWatch implements Part {
  readonly name = 'clock watch'
  readonly #read: Read
  readonly #log: Log
  readonly #now: () => number
  #skew = 0
  /** Distance of the clock from a monotonic one at the last check. */
  #distance: number
  readonly #checking: Periodic

  /** @param now clock of the machine; a test may give another */
  constructor(read: Read, log: Log, now: () => number = Date.now) {
    this.#read = read
    this.#log = log
    this.#now = now
    this.#distance = this.#distanceNow()
    this.#checking = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS },
      failure: 'the clock was not compared',
      step: () => this.check(),
    })
  }

  /** Milliseconds by which this node's clock is ahead: the difference at the last check, and any adjustment since. */
  get skew(): number {
    if (!isPostgres(this.#read)) return 0
    return this.#skew + Math.round(this.#distanceNow() - this.#distance)
  }

  /**
   * Returns the clock, corrected to the database's time while this node's clock is wrong, for times that other nodes
   * use.
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
    // An unreachable database says nothing about the clock.
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
