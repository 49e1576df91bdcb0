// The daily check of the DNS records of every domain, run by one node at a time.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Store } from '../store/database/store.ts'
import { forgetKeysOfDeleted } from '../store/domains/dkim-keys.ts'
import { type Domain, listDomainsToCheck } from '../store/domains/domain-rows.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'
import { type DomainResources, verifyDomain } from './domains.ts'

const EVERY_MS = 10 * 60_000
const DAY_MS = 24 * 3_600_000
const JOB_LEASE_MS = 5 * 60_000
const AT_ONCE = 4

/**
 * Checks every ten minutes the DNS records of all domains whose last check was at least a day ago. Domains that no user
 * has checked yet are left out.
 */
export class DailyCheck implements Part {
  readonly name = 'daily check of domains'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #resolver: () => Resolver
  readonly #http: DomainResources['http']
  readonly #job: SingletonJob
  readonly #looking: Periodic

  /**
   * @param resolver returns a new DNS resolver without a cache; called for each domain
   * @param http client that fetches the logos of BIMI records
   */
  constructor(
    store: Store,
    clock: Clock,
    log: Log,
    node: NodeName,
    resolver: () => Resolver,
    http?: DomainResources['http'],
  ) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.#resolver = resolver
    this.#http = http
    this.#job = new SingletonJob({ store, clock, node, name: 'check domains', leaseMs: JOB_LEASE_MS })
    this.#looking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS },
      failure: 'domains could not be checked',
      step: () => this.run(),
    })
  }

  start(): void {
    this.#looking.start()
  }

  stop(): Promise<void> {
    return this.#looking.stop()
  }

  /** Checks all domains that are due; returns the number of checked domains. */
  async run(): Promise<number> {
    const seen = new Set<string>()
    const now = this.#clock.now()
    const [from, to] = [now - DAY_MS, now + DAY_MS]
    while (!this.#looking.stopping.aborted && (await this.#job.hold())) {
      const due = await listDomainsToCheck(this.#store.read, { from, to }, AT_ONCE + seen.size)
      const domains = due.filter((domain) => !seen.has(domain.id)).slice(0, AT_ONCE)
      if (domains.length === 0) break
      for (const { id } of domains) seen.add(id)
      await Promise.all(domains.map((domain) => this.#check(domain)))
    }
    await this.#store.write(forgetKeysOfDeleted, { before: from })
    return seen.size
  }

  async #check(domain: Domain): Promise<void> {
    const resources = { store: this.#store, clock: this.#clock, http: this.#http }
    try {
      const { event } = await verifyDomain(resources, this.#resolver(), domain)
      if (event !== undefined) this.#log.info({ domain: domain.name, event }, 'a domain has changed')
    } catch (error) {
      this.#log.warn({ err: error, domain: domain.name }, 'a domain could not be checked')
    }
  }
}
