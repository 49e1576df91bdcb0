// Reads the figures of Google Postmaster Tools about all domains that may send, every six hours, on one node at a time.

import { pause } from '../lib/time-budget.ts'
import { reading } from '../store/database/store.ts'
import { listSendingDomains, type SendingDomain } from '../store/domains/domain-rows.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { recordReceiverFigures } from '../store/problems/requirement-facts.ts'
import type { PostmasterFigure, PostmasterRefusal, PostmasterTools } from './postmaster.ts'

const JOB = {
  name: 'postmaster figures',
  lease: 'read postmaster figures',
  leaseMs: 10 * 60_000,
  everyMs: 6 * 3_600_000,
  firstMs: 30_000,
  failure: 'the figures of Google Postmaster Tools cannot be read',
} as const
/** Pause between the requests about two domains, within the quota of a project. */
const BETWEEN_MS = 200

export interface PostmasterWatchOptions extends JobResources {
  readonly tools: Pick<PostmasterTools, 'domains' | 'figures'>
}

/** Reads the figures, and stores the latest of each requirement. */
export class PostmasterWatch extends SingletonJob {
  readonly #options: PostmasterWatchOptions
  #restsUntil = 0

  constructor(options: PostmasterWatchOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Runs a round, unless Google has asked for a pause that has not ended. */
  override async run(): Promise<void> {
    if (this.#options.clock.now() >= this.#restsUntil) await super.run()
  }

  /** Reads the figures of all domains that the account of the key sees. */
  protected async round(): Promise<void> {
    const { store, clock, log, tools } = this.#options
    const [domains, seen] = await Promise.all([reading(listSendingDomains(store.read)), tools.domains()])
    if ('reason' in seen) {
      this.#restsUntil = clock.now() + (seen.retryMs ?? 0)
      log.warn({ reason: seen.reason }, 'Google Postmaster Tools cannot be read')
      for (const domain of domains) await this.#keep(domain, seen)
      return
    }
    for (const domain of domains) {
      if (!(await this.goesOn())) return
      const found = seen.has(domain.name) ? await tools.figures(domain.name) : NOT_SEEN
      await this.#keep(domain, found)
      if ('reason' in found && found.retryMs !== undefined) {
        this.#restsUntil = clock.now() + found.retryMs
        log.warn({ reason: found.reason }, 'Google Postmaster Tools cannot be read')
        return
      }
      if (found !== NOT_SEEN) await pause(clock, BETWEEN_MS, { signal: this.stopping })
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
