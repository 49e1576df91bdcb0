// When old history is removed: once an hour by one node at a time, and sooner after a failure.

import type { Clock } from '../lib/clock.ts'
import { eachOf, type Part } from '../lib/lifecycle.ts'
import { Periodic } from '../lib/periodic.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'
import { RemovalRound, type RemovalRoundOptions } from './removal-round.ts'
import type { RemovalTime } from './removal-time.ts'

const EVERY_MS = 3_600_000
/** After a start, so that a node that never runs for an hour removes too. */
const FIRST_MS = 300_000
/** After the first failure; twice as long after each further one in a row, up to the usual time. */
const RETRY_MS = 30_000
const REDACT_EVERY_MS = 10_000
const CLOCK_CHECK_MS = 60_000
/** The pause behind a look is so many times as long as the look. */
const REST_FACTOR = 4
const JOB_LEASE_MS = 5 * 60_000
/** Links to unsubscribe are looked through once in so many rounds. */
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
  /** Rounds that were made to their end. */
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
      step: () => eachOf([() => this.redact(), () => this.#lookAtClock(), () => this.#roundWhenDue()]),
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
   * One round: each of its parts, also where another one fails; throws the first failure at the end. Nothing goes by its
   * age while the clock is in doubt.
   */
  async run(): Promise<void> {
    if (!(await this.#goesOn())) return
    const now = await this.#options.time.check()
    await eachOf([
      ...(now === undefined ? [] : this.#parts.partsByAge(now)),
      ...(this.#rounds % LINK_ROUNDS === 0 ? [() => this.#parts.removeLinks()] : []),
      () => this.#parts.giveBackSpace(),
    ])
    this.#rounds++
  }

  async #roundWhenDue(): Promise<void> {
    const now = this.#options.clock.now()
    // A clock that was ahead and is set back puts off no round.
    if (Math.abs(now - this.#roundAt) < this.#pauseMs) return
    this.#roundAt = now
    this.#pauseMs = Math.min(EVERY_MS, RETRY_MS * 2 ** this.#failures++)
    await this.run()
    this.#failures = 0
    this.#pauseMs = EVERY_MS
  }

  /** Often enough that a clock that jumped is told soon. */
  async #lookAtClock(): Promise<void> {
    const { clock, time } = this.#options
    if (Math.abs(clock.monotonic() - this.#clockCheckedAt) < CLOCK_CHECK_MS || !(await this.#goesOn())) return
    this.#clockCheckedAt = clock.monotonic()
    await time.check()
  }

  /** Tells if this node has the job and is not stopping. */
  async #goesOn(): Promise<boolean> {
    return !this.#periodic.stopping.aborted && (await this.#job.hold())
  }
}
