// Operations on the domains of an account for its users: the rules of this folder with everything they need.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import type { Retention } from '../model/retention.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/database/store.ts'
import { type Domain, listDomainRecords } from '../store/domains/domains.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import {
  changeDomain,
  changeProblems,
  type DomainChanges,
  deleteDomain,
  pauseDomain,
  requireTyped,
  resumeDomain,
} from './changes.ts'
import { discardDkim, retireDkim, rotateDkim, switchDkim } from './dkim-rotation.ts'
import { type DnsHosting, findDnsHosting } from './dns-provider.ts'
import { type ConnectTemplate, findConnectAddress } from './domain-connect.ts'
import {
  addDomain,
  type DomainResources,
  type DomainWithRecords,
  nameOfOwn,
  verifyDomain,
} from './domains.ts'
import type { PointTo } from './records.ts'

/** Maximum checks of one domain; a page that waits for records checks every few seconds. */
const MAX_CHECKS: Rate = { count: 30, perMs: 60_000 }

/** The parts that domains need in addition to the store. */
export interface DomainSurroundings extends PointTo {
  readonly clock: Clock
  /** Retention of messages by the installation. */
  readonly retention: Retention
  /** Cache of this node, which a change clears. */
  readonly workspaceCache: WorkspaceCache
  /** Returns a resolver without a cache, for each check. */
  readonly resolver: () => Resolver
  /** Domain Connect; undefined when off. */
  readonly connect: { readonly template: ConnectTemplate; readonly http: OutgoingHttp } | undefined
}

/** Place at which the records of a domain are published, and the provider that can publish them automatically. */
export interface DnsHome extends DnsHosting {
  /** Page of the provider that shows the records and asks for consent. */
  readonly connectAddress: string | undefined
}

/** Adds, verifies, changes and deletes domains. All methods throw `Problem`. */
export class DomainWork {
  readonly #resources: DomainResources
  readonly #surroundings: DomainSurroundings
  readonly #checks = new RateLimiter()

  /** @param store store for the writes, which may be an audited one */
  constructor(store: Store, surroundings: DomainSurroundings) {
    this.#resources = { store, clock: surroundings.clock }
    this.#surroundings = surroundings
  }

  /** Retention of messages by the installation, which no domain may exceed. */
  get retention(): Retention {
    return this.#surroundings.retention
  }

  add(accountId: string, name: string): Promise<DomainWithRecords> {
    const { returnPathHost, trackingTarget } = this.#surroundings
    return addDomain({ ...this.#resources, accountId, name, returnPathHost, trackingTarget })
  }

  /** Throws `rate_limit_exceeded` for too many checks, because each queries foreign name servers. */
  async verify(domain: Domain): Promise<DomainWithRecords> {
    this.#countCheck(domain, 'records')
    return verifyDomain(this.#resources, this.#surroundings.resolver(), domain)
  }

  /** Returns the zone of the domain and its provider; undefined when the DNS does not answer. Throws like `verify`. */
  async dnsHosting(domain: Domain): Promise<DnsHome | undefined> {
    this.#countCheck(domain, 'hosting')
    const { connect, resolver: makeResolver } = this.#surroundings
    const resolver = makeResolver()
    const found = await findDnsHosting(resolver, domain.name)
    if (found === undefined || connect === undefined) return found && { ...found, connectAddress: undefined }
    const records = await listDomainRecords(this.#resources.store.read, domain.account_id, domain.id)
    const sought = { ...connect, resolver, zone: found.zone, domain: domain.name, records }
    return { ...found, connectAddress: await findConnectAddress(sought) }
  }

  #countCheck(domain: Domain, what: string): void {
    const now = this.#resources.clock.now()
    const { allowed, resetSeconds } = this.#checks.take(`${domain.id} ${what}`, MAX_CHECKS, now)
    if (allowed) return
    throw new Problem('rate_limit_exceeded', `${domain.name} was checked too often; try again in a moment.`, {
      retryAfter: resetSeconds,
    })
  }

  /** Runs a step of replacing the DKIM keys. */
  dkim(domain: Domain, step: 'rotate' | 'switch' | 'discard' | 'retire'): Promise<DomainWithRecords> {
    if (step === 'rotate') return rotateDkim(this.#resources, domain)
    if (step === 'discard') return discardDkim(this.#resources, domain)
    if (step === 'retire') return retireDkim(this.#resources, domain)
    return switchDkim(this.#resources, this.#surroundings.resolver(), domain)
  }

  setPaused(domain: Domain, paused: boolean): Promise<DomainWithRecords> {
    return (paused ? pauseDomain : resumeDomain)(this.#resources, domain)
  }

  /** Throws `validation_failed` for a name that cannot be added. */
  checkName(name: string): void {
    nameOfOwn(name)
  }

  /** Throws `validation_failed` unless the name is that of the domain. */
  checkTypedName(domain: Domain, typedName: string): void {
    requireTyped(domain, typedName)
  }

  /** Returns all problems of changes to its settings. */
  changeProblems(domain: Domain, changes: DomainChanges): Promise<readonly FieldProblem[]> {
    return changeProblems(this.#resources, domain, changes, this.#surroundings.retention)
  }

  async change(domain: Domain, changes: DomainChanges): Promise<DomainWithRecords> {
    const { retention, workspaceCache } = this.#surroundings
    const changed = await changeDomain(this.#resources, domain, changes, retention)
    workspaceCache.forget()
    return changed
  }

  delete(domain: Domain, typedName: string): Promise<void> {
    return deleteDomain(this.#resources, domain, typedName)
  }
}
