// The worker for bulks: takes one of each account at a time, in turns, and goes on where another node stopped.

import { LeasedRuns } from '../lib/leased-runs.ts'
import type { Part } from '../lib/lifecycle.ts'
import { PacedSteps } from '../lib/paced-steps.ts'
import { Periodic } from '../lib/periodic.ts'
import { forgetBulks } from '../store/bulk/bulk-removal.ts'
import { claimBulk, hasDueBulks, leaveBulk } from '../store/bulk/bulks.ts'
import { renewWork } from '../store/node/leased-work.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { type BulkEnd, BulkRun, type BulkRunOptions, type HeldBulk, LOST, STOPPED } from './bulk-run.ts'

export interface BulkWorkerOptions extends BulkRunOptions {
  readonly node: NodeName
  /** How long bulks that are at their end are kept. */
  readonly retentionMs: number
  /** The time that removals by age go by; undefined while the clock is in doubt. */
  readonly removalTime: () => Promise<number | undefined>
}

/** Bulks at once on this node. */
const MAX_RUNS = 2
/** A bulk that is paused, or could not be cancelled, is tried again after so long. */
const RETRY_MS = 30_000
/** A bulk whose rows did not all come in this time never gets them. */
const UNFINISHED_MS = 3_600_000
const FORGET_EVERY_MS = 3_600_000
/** Rows that one step forgets. */
const MAX_FORGOTTEN = 1_000
const TABLE = 'bulks'

/** Works from `start` to `stop`. */
export class BulkWorker implements Part {
  readonly name = 'bulks'
  readonly #options: BulkWorkerOptions
  readonly #runs: LeasedRuns<HeldBulk, BulkEnd>
  readonly #forgetting: Periodic

  constructor(options: BulkWorkerOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    this.#runs = new LeasedRuns<HeldBulk, BulkEnd>({
      ...{ name: 'bulks', clock, log, maxRuns: MAX_RUNS },
      any: () => hasDueBulks(store.read, clock.now()),
      async claim({ now, until: leaseUntil }) {
        const lease = node.newToken()
        const bulk = await store.write(claimBulk, { now, lease, leaseUntil })
        return bulk && { accountId: bulk.account_id, id: bulk.id, lease, bulk }
      },
      renew: ({ accountId, id, lease }, until) =>
        store.write(renewWork, { accountId, id, lease, table: TABLE, until }),
      begin: (held) => new BulkRun(held, options),
      leave: (held, end) => this.#leave(held, end),
      ends: { lost: LOST, stopped: STOPPED },
    })
    this.#forgetting = new Periodic({
      ...{ name: 'removal of old bulks', clock, log, everyMs: FORGET_EVERY_MS, firstMs: 0 },
      failure: 'old bulks could not be removed',
      step: (stopping) => this.#forgetOld(stopping),
    })
  }

  start(): void {
    this.#forgetting.start()
    this.#runs.start()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#runs.stop(), this.#forgetting.stop()])
  }

  /** There may be a bulk: look now. */
  poke(): void {
    this.#runs.poke()
  }

  async #leave({ accountId, id, lease, bulk }: HeldBulk, { status, problem }: BulkEnd): Promise<void> {
    if (status === 'lost') return
    const { store, clock } = this.#options
    const now = clock.now()
    await store.write(leaveBulk, {
      ...{ accountId, id, lease, now, retryAt: status === 'paused' ? now + RETRY_MS : now },
      // One that is being cancelled is never begun again.
      status: bulk.status === 'cancelling' && status !== 'cancelled' ? 'cancelling' : status,
      problem: problem === undefined ? null : JSON.stringify(problem),
    })
  }

  async #forgetOld(stopping: AbortSignal): Promise<void> {
    const { store, removalTime, retentionMs } = this.#options
    const now = await removalTime()
    if (now === undefined) return
    const old = { made: now - retentionMs, unfinished: now - UNFINISHED_MS }
    await new PacedSteps(MAX_FORGOTTEN).untilDone(
      () => !stopping.aborted,
      (limit) => store.write(forgetBulks, { ...old, limit }),
    )
  }
}
