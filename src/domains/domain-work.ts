// The domains of accounts in the hands of their people: what the rules of this folder do, with all that they need.

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

/** Of one domain; a page that waits for records looks every few seconds. */
const MAX_LOOKS: Rate = { count: 30, perMs: 60_000 }

/** Parts that it needs beside the store. */
export interface DomainSurroundings extends PointTo {
  readonly clock: Clock
  /** How long the installation keeps messages. */
  readonly retention: Retention
  /** Of this node, which a change empties. */
  readonly workspaceCache: WorkspaceCache
  /** Makes one without a memory for each look. */
  readonly resolver: () => Resolver
  /** Domain Connect; undefined where it is off. */
  readonly connect: { readonly template: ConnectTemplate; readonly http: OutgoingHttp } | undefined
}

/** Where the records of a domain are published, and where they can be published at once. */
export interface DnsHome extends DnsHosting {
  /** Address at the provider that shows the records and asks for consent. */
  readonly connectAddress: string | undefined
}

/** Adds, verifies, changes and deletes domains. All methods throw `Problem`. */
export class DomainWork {
  readonly #resources: DomainResources
  readonly #surroundings: DomainSurroundings
  readonly #looks = new RateLimiter()

  /** @param store where it is written, which may keep a log of it */
  constructor(store: Store, surroundings: DomainSurroundings) {
    this.#resources = { store, clock: surroundings.clock }
    this.#surroundings = surroundings
  }

  /** How long the installation keeps messages, which no domain exceeds. */
  get retention(): Retention {
    return this.#surroundings.retention
  }

  add(accountId: string, name: string): Promise<DomainWithRecords> {
    const { returnPathHost, trackingTarget } = this.#surroundings
    return addDomain({ ...this.#resources, accountId, name, returnPathHost, trackingTarget })
  }

  /** Throws `rate_limit_exceeded` for too many looks: each asks other people's name servers. */
  async verify(domain: Domain): Promise<DomainWithRecords> {
    this.#countLook(domain, 'records')
    return verifyDomain(this.#resources, this.#surroundings.resolver(), domain)
  }

  /** The zone of the domain and its provider; undefined where the DNS does not say. Throws as `verify` does. */
  async dnsHosting(domain: Domain): Promise<DnsHome | undefined> {
    this.#countLook(domain, 'hosting')
    const { connect, resolver: makeResolver } = this.#surroundings
    const resolver = makeResolver()
    const found = await findDnsHosting(resolver, domain.name)
    if (found === undefined || connect === undefined) return found && { ...found, connectAddress: undefined }
    const records = await listDomainRecords(this.#resources.store.read, domain.account_id, domain.id)
    const sought = { ...connect, resolver, zone: found.zone, domain: domain.name, records }
    return { ...found, connectAddress: await findConnectAddress(sought) }
  }

  #countLook(domain: Domain, what: string): void {
    const now = this.#resources.clock.now()
    const { allowed, resetSeconds } = this.#looks.take(`${domain.id} ${what}`, MAX_LOOKS, now)
    if (allowed) return
    throw new Problem('rate_limit_exceeded', `${domain.name} was checked too often; try again in a moment.`, {
      retryAfter: resetSeconds,
    })
  }

  /** The step of replacing the DKIM keys. */
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

  /** Throws `validation_failed` unless it is the name of the domain. */
  checkTypedName(domain: Domain, typedName: string): void {
    requireTyped(domain, typedName)
  }

  /** Everything that is wrong with changes of its settings. */
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
