// The daily look at the records of every domain, made by one node at a time.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { forgetKeysOfDeleted } from '../store/domains/dkim-keys.ts'
import { type Domain, listDomainsToCheck } from '../store/domains/domains.ts'
import { claimSingletonJob } from '../store/node/singleton-jobs.ts'
import { verifyDomain } from './domains.ts'

const EVERY_MS = 10 * 60_000
const DAY_MS = 24 * 3_600_000
/** A node that dies is followed by another one after so long. */
const JOB_LEASE_MS = 5 * 60_000
const AT_ONCE = 4

/** Looks every ten minutes which domains were last looked at a day ago. Those that never were wait for their people. */
export class DailyCheck implements Part {
  readonly name = 'daily check of domains'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #resolver: () => Resolver
  readonly #node = newId('nod')
  #cancel = (): void => {}
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  /** @param resolver makes one without a memory for each domain */
  constructor(store: Store, clock: Clock, log: Log, resolver: () => Resolver) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.#resolver = resolver
  }

  start(): void {
    this.#cancel = this.#clock.after(EVERY_MS, () => {
      this.#running = this.run()
        .catch((error: unknown) => this.#log.warn({ err: error }, 'domains could not be checked'))
        .then(() => {
          if (!this.#stopped) this.start()
        })
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#running
  }

  /** One round; answers how many domains it looked at. */
  async run(): Promise<number> {
    const seen = new Set<string>()
    const since = this.#clock.now() - DAY_MS
    while (!this.#stopped && (await this.#claimSingletonJob())) {
      const due = await listDomainsToCheck(this.#store.read, since, AT_ONCE + seen.size)
      const domains = due.filter((domain) => !seen.has(domain.id)).slice(0, AT_ONCE)
      if (domains.length === 0) break
      for (const { id } of domains) seen.add(id)
      await Promise.all(domains.map((domain) => this.#check(domain)))
    }
    await this.#store.write(forgetKeysOfDeleted, { before: since })
    return seen.size
  }

  #claimSingletonJob(): Promise<boolean> {
    const now = this.#clock.now()
    return this.#store.write(claimSingletonJob, {
      name: 'check domains',
      holder: this.#node,
      now,
      until: now + JOB_LEASE_MS,
    })
  }

  async #check(domain: Domain): Promise<void> {
    const resources = { store: this.#store, clock: this.#clock }
    try {
      const { event } = await verifyDomain(resources, this.#resolver(), domain)
      if (event !== undefined) this.#log.info({ domain: domain.name, event }, 'a domain has changed')
    } catch (error) {
      this.#log.warn({ err: error, domain: domain.name }, 'a domain could not be checked')
    }
  }
}
