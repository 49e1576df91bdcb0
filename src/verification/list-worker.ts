// The worker for lists of addresses: takes one of each account at a time, and goes on where another node stopped.

import { LeasedRuns } from '../lib/leased-runs.ts'
import { eachOf, type Part } from '../lib/lifecycle.ts'
import { PacedSteps } from '../lib/paced-steps.ts'
import { Periodic } from '../lib/periodic.ts'
import { type HeldWork, renewWork } from '../store/node/leased-work.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { forgetChecks } from '../store/verification/verification-checks.ts'
import {
  claimVerification,
  hasOpenVerifications,
  leaveVerification,
} from '../store/verification/verification-work.ts'
import { forgetVerifications } from '../store/verification/verifications.ts'
import { ListRun, type ListRunOptions, type RunEnd } from './list-run.ts'

export interface ListWorkerOptions extends Omit<ListRunOptions, 'atOnce'> {
  readonly node: NodeName
  /** How long lists that are done are kept. */
  readonly retentionMs: number
  /** The time that removals by age go by; undefined while the clock is in doubt. */
  readonly removalTime: () => Promise<number | undefined>
}

/** Lists at once on this node, each of another account: those that wait for slow hosts keep few others waiting. */
const MAX_RUNS = 32
/** Addresses of all of these at once. */
const MAX_AT_ONCE = 400
/** Addresses of one list at once. */
const MAX_OF_ONE = 100
/** A list whose addresses did not all come in this time never gets them. */
const UNFINISHED_MS = 3_600_000
const FORGET_EVERY_MS = 3_600_000
/** Rows that one step forgets. */
const MAX_FORGOTTEN = 1_000
const TABLE = 'verifications'

/** Works from `start` to `stop`. */
export class ListWorker implements Part {
  readonly name = 'verification lists'
  readonly #options: ListWorkerOptions
  readonly #runs: LeasedRuns<HeldWork, RunEnd>
  readonly #forgetting: Periodic

  constructor(options: ListWorkerOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    const atOnce = (): number => Math.min(MAX_OF_ONE, Math.floor(MAX_AT_ONCE / this.#runs.size))
    this.#runs = new LeasedRuns<HeldWork, RunEnd>({
      ...{ name: 'lists of addresses', clock, log, maxRuns: MAX_RUNS },
      any: () => hasOpenVerifications(store.read),
      async claim({ now, until: leaseUntil }) {
        const lease = node.newToken()
        const list = await store.write(claimVerification, { now, lease, leaseUntil })
        return list && { accountId: list.account_id, id: list.id, lease }
      },
      renew: (held, until) => store.write(renewWork, { ...held, table: TABLE, until }),
      begin: (held) => new ListRun(held, { ...options, atOnce }),
      leave: async (held, status) => {
        if (status === 'lost') return
        await store.write(leaveVerification, { ...held, status, now: clock.now() })
      },
      ends: { lost: 'lost', stopped: 'queued' },
    })
    this.#forgetting = new Periodic({
      ...{ name: 'removal of old lists', clock, log, everyMs: FORGET_EVERY_MS, firstMs: 0 },
      failure: 'old lists of addresses could not be removed',
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

  /** There may be a list: look now. */
  poke(): void {
    this.#runs.poke()
  }

  async #forgetOld(stopping: AbortSignal): Promise<void> {
    const { store, removalTime, retentionMs } = this.#options
    const now = await removalTime()
    if (now === undefined) return
    const old = {
      made: now - retentionMs,
      unfinished: now - UNFINISHED_MS,
    }
    const goesOn = (): boolean => !stopping.aborted
    const paced = new PacedSteps(MAX_FORGOTTEN)
    await eachOf([
      () => paced.untilDone(goesOn, (limit) => store.write(forgetVerifications, { ...old, limit })),
      () => paced.untilDone(goesOn, (limit) => store.write(forgetChecks, { before: old.made, limit })),
    ])
  }
}
