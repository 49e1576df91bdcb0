// The daily check of the DNS records of every domain, run by one node at a time.

import type { Resolver } from '../dns/resolver.ts'
import { forgetKeysOfDeleted } from '../store/domains/dkim-keys.ts'
import { type Domain, listDomainsToCheck } from '../store/domains/domain-rows.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { type DomainResources, verifyDomain } from './domains.ts'

const DAY_MS = 24 * 3_600_000
const AT_ONCE = 4

const JOB = {
  name: 'daily check of domains',
  lease: 'check domains',
  leaseMs: 5 * 60_000,
  everyMs: 10 * 60_000,
  failure: 'domains could not be checked',
} as const

export interface DailyCheckOptions extends JobResources, DomainResources {
  /** Returns a new DNS resolver without a cache; called for each domain. */
  readonly resolver: () => Resolver
}

/**
 * Checks every ten minutes the DNS records of all domains whose last check was at least a day ago. Domains that no user
 * has checked yet are left out.
 */
export class DailyCheck extends SingletonJob {
  readonly #options: DailyCheckOptions

  constructor(options: DailyCheckOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Checks all domains that are due. */
  protected async round(): Promise<void> {
    const { store, clock } = this.#options
    const seen = new Set<string>()
    const now = clock.now()
    const [from, to] = [now - DAY_MS, now + DAY_MS]
    while (await this.goesOn()) {
      const due = await listDomainsToCheck(store.read, { from, to }, AT_ONCE + seen.size)
      const domains = due.filter((domain) => !seen.has(domain.id)).slice(0, AT_ONCE)
      if (domains.length === 0) break
      for (const { id } of domains) seen.add(id)
      await Promise.all(domains.map((domain) => this.#check(domain)))
    }
    await store.write(forgetKeysOfDeleted, { before: from })
  }

  async #check(domain: Domain): Promise<void> {
    const { log, resolver } = this.#options
    try {
      const { event } = await verifyDomain(this.#options, resolver(), domain)
      if (event !== undefined) log.info({ domain: domain.name, event }, 'a domain has changed')
    } catch (error) {
      log.warn({ err: error, domain: domain.name }, 'a domain could not be checked')
    }
  }
}
