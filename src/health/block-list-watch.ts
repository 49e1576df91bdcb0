// Looks up the own addresses and domains in block lists every hour, on one node at a time, and reports a listing and its
// end.

import { type BlockList, BlockListQueries, mayList, removalPageOf, wordsOf } from '../dns/block-list.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { AllowedNetworks } from '../dns/special-use.ts'
import { afterLook, type Look, type LookChange } from '../model/list-look.ts'
import { operatingAccountId } from '../store/access/operating-account.ts'
import { reading } from '../store/database/store.ts'
import { listSendingDomains, type SendingDomain } from '../store/domains/domain-rows.ts'
import { domainsSendingFrom } from '../store/incidents/incident-facts.ts'
import {
  type ListLook,
  type LookKey,
  type LookPlan,
  listDueLooks,
  listLooks,
  planLooks,
  recordLook,
} from '../store/node/list-looks.ts'
import type { NodeAddress } from '../store/node/nodes.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { type ConcernedDomain, type ReportedLook, reportLook } from '../store/problems/listings.ts'
import { addressesOfNodes, publicAddresses } from './own-addresses.ts'

const JOB = {
  name: 'block lists',
  lease: 'look up block lists',
  leaseMs: 3 * 60_000,
  everyMs: 30_000,
  firstMs: 5_000,
  failure: 'block lists cannot be looked up',
} as const
/** Time between two comparisons of the lookups with the addresses and domains. */
const PLAN_MS = 60_000
/** Time for which the lookups of an address or a domain that is no longer used are kept. */
const FORGET_MS = 24 * 3_600_000
/** Maximum number of queries at a time, and number of lookups in one run, so that no list gets a burst of queries. */
const AT_ONCE = 8
const LOOKS_AT_ONCE = 50
/** Time for which a domain counts as one that sends from an address. */
const SENT_MS = 7 * 24 * 3_600_000
/** Maximum number of domains of the operator that a listing of an unused address concerns. */
const MAX_OWN_DOMAINS = 20
/** Number of runs in which all lookups take place at the latest. */
const RUNS = 60

export interface BlockListWatchOptions extends JobResources {
  readonly lists: readonly BlockList[]
  readonly spamhausKey: string | undefined
  /** Source addresses of this node. */
  readonly own: readonly NodeAddress[]
  /** Networks that count as public, even if they are private. */
  readonly allowed: AllowedNetworks
  /** Resolver without a cache. */
  readonly resolver: Resolver
}

/** The hourly lookups in block lists. */
export class BlockListWatch extends SingletonJob {
  readonly #options: BlockListWatchOptions
  readonly #queries: BlockListQueries
  #plannedAt = Number.NEGATIVE_INFINITY
  /** Source addresses that each public address stands for; null for the choice of the system. */
  #sources: ReadonlyMap<string, ReadonlySet<string | null>> = new Map()
  /** Number of lookups in the store at the last comparison. */
  #total = 0

  constructor(options: BlockListWatchOptions) {
    super(options, JOB)
    this.#options = options
    const { resolver, spamhausKey } = options
    this.#queries = new BlockListQueries(resolver, spamhausKey)
  }

  /** Makes the lookups that are due. */
  protected async round(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    if (Math.abs(now - this.#plannedAt) >= PLAN_MS) {
      await this.#plan(now)
      this.#plannedAt = now
    }
    const most = Math.max(LOOKS_AT_ONCE, Math.ceil(this.#total / RUNS))
    const due = await reading(listDueLooks(store.read, now, most))
    const faults = new Map<string, Look | undefined>()
    for (const zone of new Set(due.map((look) => look.zone))) {
      const list = this.#listOf(zone)
      if (list !== undefined) faults.set(zone, await this.#queries.fault(list))
    }
    for (let at = 0; at < due.length && (await this.goesOn()); at += AT_ONCE) {
      await Promise.all(due.slice(at, at + AT_ONCE).map((row) => this.#look(row, faults)))
    }
  }

  #listOf(zone: string): BlockList | undefined {
    return this.#options.lists.find((list) => list.zone === zone)
  }

  async #look(row: ListLook, faults: ReadonlyMap<string, Look | undefined>): Promise<void> {
    const { store, clock, log } = this.#options
    const list = this.#listOf(row.zone)
    if (list === undefined) return
    const { subject, zone } = row
    const look = faults.get(zone) ?? (await this.#queries.look(list, subject))
    const now = clock.now()
    const { event, ...change } = afterLook(row, look, now)
    const { answer } = look
    if (event === undefined) {
      await store.write(recordLook, { subject, zone, ...change, answer, checked_at: now })
      return
    }
    log.warn(
      { subject, zone, answer },
      event === 'listed' ? 'a block list names an own entry' : 'a listing is over',
    )
    await this.#report(row, { ...change, event }, answer, now)
  }

  async #report(
    row: ListLook,
    change: Omit<LookChange, 'event'> & Pick<ReportedLook, 'event'>,
    answer: string | null,
    now: number,
  ): Promise<void> {
    const { subject, zone, domain_id: domainId } = row
    await this.#options.store.write(reportLook, {
      ...{ subject, zone, ...change, answer, isAddress: domainId === null, now },
      ...{ removalPage: removalPageOf(zone), domains: await this.#concerned(row, now) },
      words: wordsOf(zone, subject, answer),
    })
  }

  /**
   * Returns the domains that a listing concerns: the listed domain, or the domains that sent from the address in the last
   * seven days. The listing of an address that no domain has sent from concerns the domains of the operator.
   */
  async #concerned(
    { subject, domain_id: domainId, account_id: accountId }: ListLook,
    now: number,
  ): Promise<readonly ConcernedDomain[]> {
    if (domainId !== null && accountId !== null) return [{ accountId, domainId }]
    const { read } = this.#options.store
    const found = new Map<string, ConcernedDomain>()
    for (const source of this.#sources.get(subject) ?? []) {
      for (const domain of await reading(domainsSendingFrom(read, source, now - SENT_MS))) {
        found.set(domain.domainId, domain)
      }
    }
    if (found.size > 0) return [...found.values()]
    const operating = await operatingAccountId(read)
    const own = (await reading(listSendingDomains(read))).filter((one) => one.account_id === operating)
    return own.slice(0, MAX_OWN_DOMAINS).map((one) => ({ accountId: one.account_id, domainId: one.id }))
  }

  /** Compares the lookups with the addresses of the nodes and the domains that may send. */
  async #plan(now: number): Promise<void> {
    const { store, lists, resolver, own, allowed } = this.#options
    const [given, domains, rows] = await Promise.all([
      addressesOfNodes(store.read, own),
      lists.some((list) => list.lists === 'domain') ? reading(listSendingDomains(store.read)) : [],
      reading(listLooks(store.read)),
    ])
    const addresses = await publicAddresses(resolver, given, allowed)
    const wanted = new Map<string, ListLook>()
    for (const list of lists) {
      for (const subject of addresses.sources.keys()) want(wanted, list, subject, undefined, now)
      for (const domain of domains) want(wanted, list, domain.name, domain, now)
    }
    this.#sources = addresses.sources
    const plan = planOf(wanted, rows, addresses.isComplete, now)
    const removed = new Set(plan.remove.map(keyOf))
    for (const row of rows.filter(({ told_at }) => told_at !== null)) {
      if (!removed.has(keyOf(row))) continue
      const change = { state: row.state, since: now, told_at: null, due_at: now, event: 'delisted' } as const
      await this.#report(row, change, 'no longer an own address or domain', now)
    }
    await store.write(planLooks, plan)
    this.#total = wanted.size
  }
}

const keyOf = ({ subject, zone }: LookKey): string => `${subject} ${zone}`

function want(
  wanted: Map<string, ListLook>,
  list: BlockList,
  subject: string,
  domain: SendingDomain | undefined,
  now: number,
): void {
  if (!mayList(list, subject)) return
  const { zone } = list
  wanted.set(keyOf({ subject, zone }), {
    ...{ subject, zone, account_id: domain?.account_id ?? null, domain_id: domain?.id ?? null },
    ...{ state: 'not_known', answer: null, since: now, checked_at: null, due_at: now, told_at: null },
  })
}

/** Returns the changes that make the lookups in the store the wanted ones. */
function planOf(
  wanted: ReadonlyMap<string, ListLook>,
  rows: readonly ListLook[],
  isComplete: boolean,
  now: number,
): LookPlan {
  const known = new Map(rows.map((row) => [keyOf(row), row]))
  const unused = rows.filter((row) => !wanted.has(keyOf(row)) && (isComplete || row.domain_id !== null))
  const isOld = ({ checked_at, since }: ListLook): boolean => (checked_at ?? since) < now - FORGET_MS
  const key = ({ subject, zone }: ListLook): LookKey => ({ subject, zone })
  const isMoved = (row: ListLook): boolean =>
    (wanted.get(keyOf(row))?.domain_id ?? row.domain_id) !== row.domain_id
  const moved = rows.filter(isMoved)
  return {
    add: [...wanted.values()].filter((one) => !known.has(keyOf(one))),
    resume: rows.filter((row) => row.due_at === null && wanted.has(keyOf(row)) && !isMoved(row)).map(key),
    pause: unused.filter((row) => row.due_at !== null && !isOld(row)).map(key),
    remove: [...unused.filter(isOld), ...moved].map(key),
    now,
  }
}
