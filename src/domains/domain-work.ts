// Operations of users on the domains of an account. Calls the functions of this directory with the dependencies of a
// node.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { pause } from '../lib/time-budget.ts'
import type { InboundMx } from '../model/inbound-policy.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { Retention } from '../model/retention.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/database/store.ts'
import { type Domain, listDomainRecords } from '../store/domains/domain-rows.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import {
  changeDomain,
  changeProblems,
  type DomainChanges,
  deleteDomain,
  type IfUnchanged,
  type InstallationLimits,
  pauseDomain,
  resumeDomain,
  settingsOf,
} from './changes.ts'
import { type DkimWishes, readDkim } from './dkim-keys.ts'
import { discardDkim, retireDkim, rotateDkim, switchDkim } from './dkim-rotation.ts'
import { type DnsHosting, findDnsHosting } from './dns-provider.ts'
import { type ConnectTemplate, findConnectAddress } from './domain-connect.ts'
import {
  addDomain,
  type DomainResources,
  type DomainWithRecords,
  isVerified,
  nameOfOwn,
  verifyDomain,
} from './domains.ts'
import type { PointTo } from './records.ts'

/** Maximum rate of checks of one domain; an open page that waits for DNS records checks every few seconds. */
const MAX_CHECKS: Rate = { count: 30, perMs: 60_000 }

/** Pause between two checks of a call that waits for DNS records, in milliseconds. */
const LOOK_AGAIN_MS = 5_000
/** Maximum number of calls on this node that wait for the records of one domain. */
const MAX_WAITS = 5

/** A domain to add, with the settings and the DKIM key that its owner chooses. */
export interface NewDomain extends DomainChanges {
  /** Domain name in A-labels or U-labels. */
  readonly domain: string
  readonly dkim?: DkimWishes | undefined
}

/** Dependencies of the operations on domains, in addition to the store. */
export interface DomainSurroundings extends PointTo, InstallationLimits {
  readonly clock: Clock
  /** Returns the hosts and addresses in the records of a domain's inbound hosts. */
  readonly inboundMx: (domainId: string) => InboundMx
  /** Workspace cache of this node; a change of a domain clears the cache. */
  readonly workspaceCache: Pick<WorkspaceCache, 'forget'>
  /** Returns a new DNS resolver without a cache; called for each check. */
  readonly resolver: () => Resolver
  /** Client that fetches the logos of BIMI records; without it, no logo is fetched. */
  readonly http?: OutgoingHttp | undefined
  /** Template and HTTP client of Domain Connect; undefined if Domain Connect is not configured. */
  readonly connect: { readonly template: ConnectTemplate; readonly http: OutgoingHttp } | undefined
}

/** DNS zone in which the records of a domain are published, with a link to the provider's Domain Connect page. */
export interface DnsHome extends DnsHosting {
  /** URL of the provider's Domain Connect page, which shows the records and asks for consent. */
  readonly connectAddress: string | undefined
}

/**
 * Adds, verifies, changes and deletes sending domains. All methods throw `Problem`. This part must be started after the
 * HTTP server, because the HTTP server would otherwise wait for requests that wait for DNS records when it stops.
 */
export class DomainWork implements Part {
  readonly name = 'domains'
  readonly #resources: DomainResources
  readonly #surroundings: DomainSurroundings
  readonly #checks = new RateLimiter()
  readonly #waits = new Waits()
  readonly #stopping = new AbortController()

  /** @param store store for reads and writes, which may record writes in the audit log */
  constructor(store: Store, surroundings: DomainSurroundings) {
    this.#resources = { store, clock: surroundings.clock, http: surroundings.http }
    this.#surroundings = surroundings
  }

  /** Retention of messages as set for the installation; no domain may exceed this retention. */
  get retention(): Retention {
    return this.#surroundings.retention
  }

  /**
   * Adds a domain with its settings. Throws `validation_failed` with all problems of the fields, and `conflict` if the
   * account has the domain already.
   */
  async add(accountId: string, wanted: NewDomain): Promise<DomainWithRecords> {
    const problems = await this.problemsOfNew(wanted)
    if (problems.length > 0) throw invalidFields(problems)
    const { domain: name, dkim, ...fields } = wanted
    const { returnPathHost, trackingTarget, reportSecret } = this.#surroundings
    return addDomain({
      ...{ ...this.#resources, accountId, name, returnPathHost, trackingTarget, reportSecret },
      dkim: dkim && readDkim(dkim).own,
      settings: settingsOf(fields),
    })
  }

  /** Returns all validation problems of the fields of a new domain. */
  async problemsOfNew({ domain, dkim, ...fields }: Partial<NewDomain>): Promise<readonly FieldProblem[]> {
    return [
      ...(domain === undefined ? [] : problemsOfName(domain)),
      ...(dkim === undefined ? [] : readDkim(dkim).problems),
      ...(await changeProblems(this.#resources, undefined, fields, this.#surroundings)),
    ]
  }

  /** Checks the DNS records of a domain now. Throws `rate_limit_exceeded` for too many checks of one domain. */
  async verify(domain: Domain): Promise<DomainWithRecords> {
    this.#countCheck(domain, 'records')
    return this.#look(domain)
  }

  #look(domain: Domain): Promise<DomainWithRecords> {
    return verifyDomain(this.#resources, this.#surroundings.resolver(), domain)
  }

  /**
   * Checks the DNS records of a domain now, and again every five seconds until the domain is verified, for up to `ms`
   * milliseconds; ends early when `gone` is aborted or this part is stopped. Checks beyond the limit of the domain are
   * left out. Throws like `verify`, and `rate_limit_exceeded` if too many calls wait for the same domain.
   */
  async verifyWithin(domain: Domain, ms: number, gone: AbortSignal): Promise<DomainWithRecords> {
    const { clock } = this.#resources
    const endsAt = clock.monotonic() + ms
    const release = this.#waits.take(domain)
    const ended = AbortSignal.any([gone, this.#stopping.signal])
    try {
      let checked = await this.verify(domain)
      while (!isVerified(checked) && checked.domain.status !== 'paused') {
        const left = endsAt - clock.monotonic()
        if (left <= 0) break
        await pause(clock, Math.min(LOOK_AGAIN_MS, left), { signal: ended })
        if (ended.aborted) break
        if (this.#mayCheck(domain, 'records').allowed) checked = await this.#look(domain)
      }
      return checked
    } finally {
      release()
    }
  }

  /** Ends all waits for DNS records; their requests get the last result. */
  async stop(): Promise<void> {
    this.#stopping.abort()
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
    const { allowed, resetSeconds } = this.#mayCheck(domain, what)
    if (allowed) return
    throw new Problem('rate_limit_exceeded', `${domain.name} was checked too often; try again in a moment.`, {
      retryAfter: resetSeconds,
    })
  }

  /** Counts a check. The time of day of a repeatable request stands still, so the limit uses the monotonic time. */
  #mayCheck({ id }: Domain, what: string) {
    return this.#checks.take(`${id} ${what}`, MAX_CHECKS, this.#resources.clock.monotonic())
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

  /** Returns all validation problems of changes to a domain's settings. */
  changeProblems(domain: Domain, changes: DomainChanges): Promise<readonly FieldProblem[]> {
    return changeProblems(this.#resources, domain, changes, this.#surroundings)
  }

  async change(domain: Domain, changes: DomainChanges & IfUnchanged): Promise<DomainWithRecords> {
    const installation = { ...this.#surroundings, mx: this.#surroundings.inboundMx(domain.id) }
    const changed = await changeDomain(this.#resources, domain, changes, installation)
    this.#surroundings.workspaceCache.forget()
    return changed
  }

  delete(domain: Domain, condition: IfUnchanged): Promise<void> {
    return deleteDomain(this.#resources, domain, condition)
  }
}

/** Counts the calls that wait for the DNS records of each domain. */
class Waits {
  readonly #counts = new Map<string, number>()

  /** Counts one call until the returned function is called. Throws `rate_limit_exceeded`. */
  take({ id, name }: Domain): () => void {
    const count = this.#counts.get(id) ?? 0
    if (count >= MAX_WAITS) {
      throw new Problem(
        'rate_limit_exceeded',
        `${MAX_WAITS} requests wait for the records of ${name}; wait for their answers.`,
        { retryAfter: LOOK_AGAIN_MS / 1_000 },
      )
    }
    this.#counts.set(id, count + 1)
    return () => {
      const left = (this.#counts.get(id) ?? 1) - 1
      if (left === 0) this.#counts.delete(id)
      else this.#counts.set(id, left)
    }
  }
}

/** Returns the problems of a name that cannot be added as a domain. */
function problemsOfName(name: string): readonly FieldProblem[] {
  try {
    nameOfOwn(name)
    return []
  } catch (error) {
    if (error instanceof Problem) return error.errors
    throw error
  }
}
