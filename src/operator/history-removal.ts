// Schedules the removal of old history: once an hour by one node, and sooner after a failure.

import type { Clock } from '../lib/clock.ts'
import { eachOf, type Part } from '../lib/lifecycle.ts'
import { Periodic } from '../lib/periodic.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'
import { RemovalRound, type RemovalRoundOptions } from './removal-round.ts'
import type { RemovalTime } from './removal-time.ts'

const EVERY_MS = 3_600_000
/** First round after a start, so that nodes that never run for an hour remove history too. */
const FIRST_MS = 300_000
/** Delay after the first failure; doubles with each further one in a row, up to the regular interval. */
const RETRY_MS = 30_000
const REDACT_EVERY_MS = 10_000
const CLOCK_CHECK_MS = 60_000
/** The pause after a check is this many times as long as the check. */
const REST_FACTOR = 4
const JOB_LEASE_MS = 5 * 60_000
/** Unsubscribe links are checked once in this many rounds. */
const LINK_ROUNDS = 24

export interface HistoryRemovalOptions extends RemovalRoundOptions {
  readonly clock: Clock
  readonly node: NodeName
  readonly time: RemovalTime
}

export class HistoryRemoval implements Part {
  readonly name = 'removal of old history'
  readonly #options: HistoryRemovalOptions
  readonly #job: SingletonJob
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
    this.#job = new SingletonJob({ store, clock, node, name: 'remove old history', leaseMs: JOB_LEASE_MS })
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

  /** Removes the contents of final messages in streams that store none. */
  redact(): Promise<void> {
    return this.#parts.redact(this.#options.clock.now())
  }

  /**
   * Runs one round: all parts, even if one fails; throws the first failure at the end. Nothing is removed by age
   * while the clock is in doubt.
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
    // The absolute difference: a clock that was fast and is set back delays no round.
    if (Math.abs(now - this.#roundAt) < this.#pauseMs) return
    this.#roundAt = now
    this.#pauseMs = Math.min(EVERY_MS, RETRY_MS * 2 ** this.#failures++)
    await this.run()
    this.#failures = 0
    this.#pauseMs = EVERY_MS
  }

  /** Checks the clock often enough to report a jump soon. */
  async #checkClock(): Promise<void> {
    const { clock, time } = this.#options
    if (Math.abs(clock.monotonic() - this.#clockCheckedAt) < CLOCK_CHECK_MS || !(await this.#goesOn())) return
    this.#clockCheckedAt = clock.monotonic()
    await time.check()
  }

  /** True if this node has the job and is not stopping. */
  async #goesOn(): Promise<boolean> {
    return !this.#periodic.stopping.aborted && (await this.#job.hold())
  }
}
