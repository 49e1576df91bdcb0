// Checks every hour, on one node at a time, what the large receivers check: PTR and SPF of the source addresses, the mail
// hosts of the domains, and the daily volume to each receiver; and records since when each requirement is met.

import { findAddresses, findMailHosts } from '../dns/mail-hosts.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { AllowedNetworks } from '../dns/special-use.ts'
import { evaluateSpf } from '../dns/spf.ts'
import { RECEIVER_NAMES, RECEIVERS, type Receiver, ruleOfReceiver } from '../model/requirement.ts'
import { reading } from '../store/database/store.ts'
import { listSendingDomains, type SendingDomain } from '../store/domains/domain-rows.ts'
import type { NodeAddress } from '../store/node/nodes.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import {
  countComplaints,
  countDayVolumes,
  type DayVolume,
  type DnsCheck,
  hasVolumes,
  type LoopCounts,
  type ReceiverFigureRow,
  type ReceiverVolume,
  type RequirementState,
  recordDnsChecks,
  recordReceiverFigures,
  recordRequirements,
  recordVolumes,
} from '../store/problems/requirement-facts.ts'
import { LOOP_MS } from '../store/readers/message-parts.ts'
import { addressesOfNodes, publicAddresses } from './own-addresses.ts'
import { organizationOf, type RequirementSettings, readPanels } from './requirement-panel.ts'
import { judgeComplaints } from './requirements.ts'

const JOB = {
  name: 'requirements',
  lease: 'check requirements',
  leaseMs: 10 * 60_000,
  everyMs: 55 * 60_000,
  firstMs: 15_000,
  failure: 'the requirements of receivers cannot be checked',
} as const
const AT_ONCE = 4
const DAY_MS = 86_400_000
/** Days of volumes that the first count covers, and each later count. */
const FIRST_DAYS = 35
const LATER_DAYS = 1
const MAX_PTR_NAMES = 4

export interface RequirementWatchOptions extends JobResources {
  readonly settings: RequirementSettings
  /** Host whose SPF record holds for the return paths of all domains. */
  readonly returnPathHost: string
  /** Source addresses of this node. */
  readonly own: readonly NodeAddress[]
  /** Networks that count as public, even if they are private. */
  readonly allowed: AllowedNetworks
  /** Resolver without a cache. */
  readonly resolver: Resolver
}

/** The hourly check of the requirements of large receivers. */
export class RequirementWatch extends SingletonJob {
  readonly #options: RequirementWatchOptions

  constructor(options: RequirementWatchOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Makes all checks. */
  protected async round(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    await this.#checkAddresses(now)
    const domains = await reading(listSendingDomains(store.read))
    await this.#countVolumes(domains, now)
    await this.#countComplaints(now)
    for (let at = 0; at < domains.length; at += AT_ONCE) {
      if (!(await this.goesOn())) return
      await Promise.all(domains.slice(at, at + AT_ONCE).map((domain) => this.#checkDomain(domain, now)))
    }
  }

  async #checkAddresses(now: number): Promise<void> {
    const { store, resolver, own, allowed, returnPathHost } = this.#options
    const given = await addressesOfNodes(store.read, own)
    const { sources, isComplete } = await publicAddresses(resolver, given, allowed)
    const checks = await Promise.all(
      [...sources.keys()].flatMap((address) => [
        checkPtr(resolver, address, now),
        checkSpf(resolver, address, returnPathHost, now),
      ]),
    )
    await store.write(recordDnsChecks, { checks, forgetBefore: isComplete ? now - DAY_MS : 0 })
  }

  /** Checks that a domain accepts mail, and records the changed verdicts about the domain. */
  async #checkDomain(domain: SendingDomain, now: number): Promise<void> {
    const { store, resolver, settings } = this.#options
    const check = await checkMailHost(resolver, domain.name, now)
    await store.write(recordDnsChecks, { checks: [check], forgetBefore: 0 })
    const panels = await readPanels(store.read, settings, domain, now)
    const changed = panels.flatMap(({ provider, checks }) =>
      checks
        .filter(({ since }) => since === null)
        .map(
          ({ requirement, status }): RequirementState => ({
            ...{ account_id: domain.account_id, domain_id: domain.id },
            ...{ receiver: provider, requirement, status, since: now },
          }),
        ),
    )
    if (changed.length > 0) await store.write(recordRequirements, { states: changed })
  }

  async #countVolumes(domains: readonly SendingDomain[], now: number): Promise<void> {
    const { store } = this.#options
    const days = (await reading(hasVolumes(store.read))) ? LATER_DAYS : FIRST_DAYS
    const since = now - (now % DAY_MS) - days * DAY_MS
    const names = new Map(domains.map(({ id, name }) => [id, name]))
    const volumes = volumesOf(await reading(countDayVolumes(store.read, since)), names)
    if (volumes.length > 0) await store.write(recordVolumes, { volumes })
  }

  /** Records the complaint shares of the receivers whose loops have reported. */
  async #countComplaints(now: number): Promise<void> {
    const { store } = this.#options
    const loops = await reading(countComplaints(store.read, WITH_LOOP, now))
    const figures = loops.map((loop) => figureOf(loop, now))
    if (figures.length > 0) await store.write(recordReceiverFigures, { figures, isFallback: false })
  }
}

/** Receivers whose complaint share is known from their loops. */
const WITH_LOOP = RECEIVER_NAMES.filter((receiver) => {
  const { hasLoop, requires } = ruleOfReceiver(receiver)
  return hasLoop && requires.includes('complaint_share')
})

const figureOf = (
  { accountId, domainId, provider, lastAt, ...counts }: LoopCounts,
  now: number,
): ReceiverFigureRow => {
  const { status, measured } = judgeComplaints({ ...counts, isReporting: lastAt >= now - LOOP_MS })
  return {
    ...{ account_id: accountId, domain_id: domainId, receiver: provider as Receiver, status, as_of: now },
    ...({ requirement: 'complaint_share', source: 'report' } as const),
    measured: JSON.stringify(measured),
  }
}

/** Returns the highest day and the first day as a bulk sender, by account, registrable domain and receiver. */
function volumesOf(days: readonly DayVolume[], names: ReadonlyMap<string, string>): ReceiverVolume[] {
  const sums = new Map<string, DayVolume & { organization: string; sum: number }>()
  for (const day of days) {
    const name = names.get(day.domainId)
    if (name === undefined) continue
    const organization = organizationOf(name)
    const key = `${day.accountId} ${organization} ${day.receiver} ${day.day}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...day, organization, sum: day.delivered })
    else sum.sum += day.delivered
  }
  const volumes = new Map<string, ReceiverVolume>()
  for (const { accountId, organization, receiver, day, sum } of [...sums.values()].toSorted(
    (one, other) => one.day - other.day,
  )) {
    const key = `${accountId} ${organization} ${receiver}`
    const before = volumes.get(key)
    const name = new Date(day).toISOString().slice(0, 10)
    const threshold = RECEIVERS[receiver].bulk ?? Number.POSITIVE_INFINITY
    const isHigher = before === undefined || sum > before.highest
    volumes.set(key, {
      ...{ account_id: accountId, organization, receiver },
      highest: isHigher ? sum : before.highest,
      highest_day: isHigher ? name : before.highest_day,
      bulk_since: before?.bulk_since ?? (sum >= threshold ? name : null),
    })
  }
  return [...volumes.values()]
}

/** Checks that the PTR record of an address names a host that resolves to the address. */
async function checkPtr(resolver: Resolver, address: string, now: number): Promise<DnsCheck> {
  const check = { kind: 'ptr', subject: address, checked_at: now } as const
  const answer = await resolver.ptr(address)
  if (answer.kind === 'failure') {
    return { ...check, state: 'not_known', detail: `the DNS does not answer (${answer.code})` }
  }
  const names = answer.kind === 'found' ? answer.records.slice(0, MAX_PTR_NAMES) : []
  if (names.length === 0) return { ...check, state: 'not_met', detail: 'no PTR record' }
  for (const name of names) {
    const forward = await findAddresses(resolver, name)
    if (forward.kind === 'failure') {
      return { ...check, state: 'not_known', detail: `${name} cannot be looked up (${forward.code})` }
    }
    if (forward.kind === 'found' && forward.records.includes(address)) {
      return { ...check, state: 'met', detail: name }
    }
  }
  return { ...check, state: 'not_met', detail: `${names.join(', ')} does not resolve to the address` }
}

const SPF_STATES = { pass: 'met', fail: 'not_met', not_known: 'not_known' } as const

async function checkSpf(resolver: Resolver, address: string, host: string, now: number): Promise<DnsCheck> {
  const result = await evaluateSpf(resolver, address, host)
  const detail =
    result === 'not_known'
      ? `the SPF record of ${host} cannot be evaluated`
      : `SPF of ${host}: ${result === 'pass' ? 'pass' : 'the address is not permitted'}`
  return { kind: 'spf', subject: address, state: SPF_STATES[result], detail, checked_at: now }
}

/** Checks that a domain has a mail host for replies. */
async function checkMailHost(resolver: Resolver, domain: string, now: number): Promise<DnsCheck> {
  const check = { kind: 'mail_host', subject: domain, checked_at: now } as const
  const hosts = await findMailHosts(resolver, domain)
  if (hosts.kind === 'failure') {
    return { ...check, state: 'not_known', detail: `the DNS does not answer (${hosts.code})` }
  }
  if (hosts.kind === 'hosts') return { ...check, state: 'met', detail: hosts.hosts[0]?.name ?? domain }
  const detail = hosts.kind === 'null_mx' ? 'a null MX record refuses all mail' : 'no mail host'
  return { ...check, state: 'not_met', detail }
}
