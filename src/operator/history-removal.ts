// Schedules the removal of old history: one node removes history once an hour, and sooner after a failure.

import type { Clock } from '../lib/clock.ts'
import { eachOf, type Part } from '../lib/lifecycle.ts'
import { Periodic } from '../lib/periodic.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { JobLease } from '../store/node/singleton-jobs.ts'
import { RemovalRound, type RemovalRoundOptions } from './removal-round.ts'
import type { RemovalTime } from './removal-time.ts'

const EVERY_MS = 3_600_000
/** Delay of the first round after a start; short, so that nodes that never run for an hour also remove history. */
const FIRST_MS = 300_000
/** Delay after the first failure. The delay doubles with each consecutive failure, up to the regular interval. */
const RETRY_MS = 30_000
const REDACT_EVERY_MS = 10_000
const CLOCK_CHECK_MS = 60_000
/** Length of the pause after a check, as a multiple of the duration of the check. */
const REST_FACTOR = 4
const JOB_LEASE_MS = 5 * 60_000
/** Number of rounds after which unsubscribe links are checked again. */
const LINK_ROUNDS = 24

export interface HistoryRemovalOptions extends RemovalRoundOptions {
  readonly clock: Clock
  readonly node: NodeName
  readonly time: RemovalTime
}

export class HistoryRemoval implements Part {
  readonly name = 'removal of old history'
  readonly #options: HistoryRemovalOptions
  readonly #job: JobLease
  readonly #periodic: Periodic
  readonly #parts: RemovalRound
  /** Number of complete rounds. */
  #rounds = 0
  #failures = 0
  #roundAt = 0
  #pauseMs = FIRST_MS
  #clockCheckedAt = Number.NEGATIVE_INFINITY

  constructor(options: HistoryRemovalOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    this.#job = new JobLease({ store, clock, node, name: 'remove old history', leaseMs: JOB_LEASE_MS })
    this.#periodic = new Periodic({
      ...{ name: this.name, clock, log, everyMs: REDACT_EVERY_MS, restFactor: REST_FACTOR },
      failure: 'old history could not be removed',
      step: () => eachOf([() => this.redact(), () => this.#checkClock(), () => this.#roundWhenDue()]),
    })
    this.#parts = new RemovalRound(options, () => this.#goesOn(), this.#periodic.stopping)
  }

  start(): void {
    this.#roundAt = this.#options.clock.now()
    this.#periodic.start()
  }

  stop(): Promise<void> {
    return this.#periodic.stop()
  }

  /** Removes the contents of final messages in streams that store no contents. */
  redact(): Promise<void> {
    return this.#parts.redact(this.#options.clock.now())
  }

  /**
   * Runs all parts of one round, even if a part fails; throws the first failure at the end. The round removes nothing
   * by age while the clock is in doubt.
   */
  async run(): Promise<void> {
    if (!(await this.#goesOn())) return
    const now = await this.#options.time.check()
    await eachOf([
      ...(now === undefined ? [] : this.#parts.partsByAge(now)),
      ...(this.#rounds % LINK_ROUNDS === 0 ? [() => this.#parts.removeLinks()] : []),
      () => this.#parts.releaseSpace(),
    ])
    this.#rounds++
  }

  async #roundWhenDue(): Promise<void> {
    const now = this.#options.clock.now()
    // The absolute difference is used, so that setting back the clock does not delay the next round.
    if (Math.abs(now - this.#roundAt) < this.#pauseMs) return
    this.#roundAt = now
    this.#pauseMs = Math.min(EVERY_MS, RETRY_MS * 2 ** this.#failures++)
    await this.run()
    this.#failures = 0
    this.#pauseMs = EVERY_MS
  }

  /** Checks every minute whether the clock has jumped ahead, so that a jump is reported soon. */
  async #checkClock(): Promise<void> {
    const { clock, time } = this.#options
    if (Math.abs(clock.monotonic() - this.#clockCheckedAt) < CLOCK_CHECK_MS || !(await this.#goesOn())) return
    this.#clockCheckedAt = clock.monotonic()
    await time.check()
  }

  /** True if this node holds the lease of the removal job and is not stopping. */
  async #goesOn(): Promise<boolean> {
    return !this.#periodic.stopping.aborted && (await this.#job.hold())
  }
}
