// Reads the figures of Google Postmaster Tools about all domains that may send, every six hours, on one node at a time.

import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { pause } from '../lib/time-budget.ts'
import { reading, type Store } from '../store/database/store.ts'
import { listSendingDomains, type SendingDomain } from '../store/domains/domain-rows.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'
import { recordReceiverFigures } from '../store/problems/requirement-facts.ts'
import type { PostmasterFigure, PostmasterRefusal, PostmasterTools } from './postmaster.ts'

const EVERY_MS = 6 * 3_600_000
const FIRST_MS = 30_000
const JOB_LEASE_MS = 10 * 60_000
/** Pause between the requests about two domains, within the quota of a project. */
const BETWEEN_MS = 200

export interface PostmasterWatchOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
  readonly tools: Pick<PostmasterTools, 'domains' | 'figures'>
}

/** Reads the figures, and stores the latest of each requirement. */
export class PostmasterWatch implements Part {
  readonly name = 'postmaster figures'
  readonly #options: PostmasterWatchOptions
  readonly #job: SingletonJob
  readonly #reading: Periodic
  #restsUntil = 0

  constructor(options: PostmasterWatchOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    this.#job = new SingletonJob({
      store,
      clock,
      node,
      name: 'read postmaster figures',
      leaseMs: JOB_LEASE_MS,
    })
    this.#reading = new Periodic({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS, firstMs: FIRST_MS },
      failure: 'the figures of Google Postmaster Tools cannot be read',
      step: () => this.run(),
    })
  }

  start(): void {
    this.#reading.start()
  }

  stop(): Promise<void> {
    return this.#reading.stop()
  }

  /** Reads the figures of all domains that the account of the key sees. */
  async run(): Promise<void> {
    const { store, clock, log, tools } = this.#options
    const { stopping } = this.#reading
    if (clock.now() < this.#restsUntil || !(await this.#job.hold())) return
    const [domains, seen] = await Promise.all([reading(listSendingDomains(store.read)), tools.domains()])
    if ('reason' in seen) {
      this.#restsUntil = clock.now() + (seen.retryMs ?? 0)
      log.warn({ reason: seen.reason }, 'Google Postmaster Tools cannot be read')
      for (const domain of domains) await this.#keep(domain, seen)
      return
    }
    for (const domain of domains) {
      if (stopping.aborted || !(await this.#job.hold())) return
      const found = seen.has(domain.name) ? await tools.figures(domain.name) : NOT_SEEN
      await this.#keep(domain, found)
      if ('reason' in found && found.retryMs !== undefined) {
        this.#restsUntil = clock.now() + found.retryMs
        log.warn({ reason: found.reason }, 'Google Postmaster Tools cannot be read')
        return
      }
      if (found !== NOT_SEEN) await pause(clock, BETWEEN_MS, { signal: stopping })
    }
  }

  async #keep(
    { id: domain_id, account_id }: SendingDomain,
    found: readonly PostmasterFigure[] | PostmasterRefusal,
  ): Promise<void> {
    const { store, clock } = this.#options
    const figures: readonly PostmasterFigure[] =
      'reason' in found
        ? [{ requirement: 'complaint_share', status: 'not_known', measured: found.reason }]
        : found
    await store.write(recordReceiverFigures, {
      // The last figures stay while Google limits the requests.
      isFallback: 'reason' in found && found.retryMs !== undefined,
      figures: figures.map(({ requirement, status, measured }) => ({
        ...{ account_id, domain_id, requirement, status, as_of: clock.now() },
        ...({ receiver: 'Gmail', source: 'postmaster' } as const),
        measured: JSON.stringify(measured),
      })),
    })
  }
}

const NOT_SEEN: PostmasterRefusal = {
  reason: 'the domain is not in Google Postmaster Tools, or the account of the key does not see the domain',
}
