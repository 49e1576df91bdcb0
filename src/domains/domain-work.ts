// Operations of users on the domains of an account. Calls the functions of this directory with the dependencies of a
// node.

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

/** Maximum rate of checks of one domain; an open page that waits for DNS records checks every few seconds. */
const MAX_CHECKS: Rate = { count: 30, perMs: 60_000 }

/** Dependencies of the operations on domains, in addition to the store. */
export interface DomainSurroundings extends PointTo {
  readonly clock: Clock
  /** Retention of messages as set for the whole installation. */
  readonly retention: Retention
  /** Workspace cache of this node; a change of a domain clears the cache. */
  readonly workspaceCache: WorkspaceCache
  /** Returns a new DNS resolver without a cache; called for each check. */
  readonly resolver: () => Resolver
  /** Template and HTTP client of Domain Connect; undefined if Domain Connect is not configured. */
  readonly connect: { readonly template: ConnectTemplate; readonly http: OutgoingHttp } | undefined
}

/** DNS zone in which the records of a domain are published, with a link to the provider's Domain Connect page. */
export interface DnsHome extends DnsHosting {
  /** URL of the provider's Domain Connect page, which shows the records and asks for consent. */
  readonly connectAddress: string | undefined
}

/** Adds, verifies, changes and deletes sending domains. All methods throw `Problem`. */
export class DomainWork {
  readonly #resources: DomainResources
  readonly #surroundings: DomainSurroundings
  readonly #checks = new RateLimiter()

  /** @param store store for reads and writes, which may record writes in the audit log */
  constructor(store: Store, surroundings: DomainSurroundings) {
    this.#resources = { store, clock: surroundings.clock }
    this.#surroundings = surroundings
  }

  /** Retention of messages as set for the installation; no domain may exceed this retention. */
  get retention(): Retention {
    return this.#surroundings.retention
  }

  add(accountId: string, name: string): Promise<DomainWithRecords> {
    const { returnPathHost, trackingTarget } = this.#surroundings
    return addDomain({ ...this.#resources, accountId, name, returnPathHost, trackingTarget })
  }

  /** Checks the DNS records of a domain now. Throws `rate_limit_exceeded` for too many checks of one domain. */
  async verify(domain: Domain): Promise<DomainWithRecords> {
    this.#countCheck(domain, 'records')
    return verifyDomain(this.#resources, this.#surroundings.resolver(), domain)
  }

  /**
   * Returns the DNS zone of a domain and the DNS provider of the zone; undefined if a DNS lookup failed. Throws like
   * `verify`.
   */
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

  /** Runs one step of the rotation of a domain's DKIM keys. */
  dkim(domain: Domain, step: 'rotate' | 'switch' | 'discard' | 'retire'): Promise<DomainWithRecords> {
    if (step === 'rotate') return rotateDkim(this.#resources, domain)
    if (step === 'discard') return discardDkim(this.#resources, domain)
    if (step === 'retire') return retireDkim(this.#resources, domain)
    return switchDkim(this.#resources, this.#surroundings.resolver(), domain)
  }

  setPaused(domain: Domain, paused: boolean): Promise<DomainWithRecords> {
    return (paused ? pauseDomain : resumeDomain)(this.#resources, domain)
  }

  /** Throws `validation_failed` for a name that cannot be added as a domain. */
  checkName(name: string): void {
    nameOfOwn(name)
  }

  /** Throws `validation_failed` unless the typed name equals the domain name. */
  checkTypedName(domain: Domain, typedName: string): void {
    requireTyped(domain, typedName)
  }

  /** Returns all validation problems of changes to a domain's settings. */
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
