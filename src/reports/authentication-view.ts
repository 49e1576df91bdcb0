// Sums up what receivers report about the authentication of a domain's mail, by source and further columns.

import type { Read } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import {
  type DayRange,
  type DmarcSum,
  deliveredByDay,
  hostsOf,
  listNamedSources,
  type SummedBy,
  sumByDay,
  sumDmarcRows,
  usedAddresses,
} from '../store/reports/authentication.ts'
import { type Failing, failingOf } from './failing.ts'
import {
  type AdviceName,
  adviceOn,
  forwardersIn,
  ownAddressesIn,
  type Source,
  type SourceFacts,
  sourceOf,
} from './sources.ts'

export const GROUPS = ['source', 'receiver', 'day', 'header_from'] as const
export type Group = (typeof GROUPS)[number]

/** Messages of one group. */
export interface AuthenticationRow {
  /** Source; null if the messages are not grouped by source. */
  readonly source: (Source & { readonly addresses: readonly string[]; readonly host: string | null }) | null
  readonly receiver: string | null
  readonly day: string | null
  readonly headerFrom: string | null
  readonly messages: number
  readonly pass: number
  readonly dkimAligned: number
  readonly spfAligned: number
  readonly dispositions: Readonly<Record<string, number>>
  readonly receivers: readonly string[]
  readonly firstSeen: string
  readonly lastSeen: string
  readonly failing: Failing | undefined
  /** Recipients to whom this service delivered in the days of the row; null for another source. */
  readonly sentByUs: number | null
  /** Advice about the source, which `adviceInWords` puts into words; undefined if nothing has to be done. */
  readonly advice: AdviceName | undefined
}

export interface AuthenticationView {
  readonly rows: readonly AuthenticationRow[]
  readonly reporters: number
  /** Messages of this service that were reported, as a share of the recipients to whom it delivered; null for none. */
  readonly shareOfOwnMail: number | null
}

export interface AuthenticationQuery extends DayRange {
  readonly owner: Owner
  readonly groupBy: readonly Group[]
  /** Own addresses of the settings. */
  readonly ownAddresses: readonly string[]
  /** Time from which own addresses are taken from the counts of attempts, in milliseconds since the epoch. */
  readonly usedSince: number
}

const MAX_ADDRESSES = 20
const MAX_RECEIVERS = 50
const MAX_ROWS = 1_000
/** Number of addresses of own and known sources of which the days are read. */
const MAX_WATCHED = 500

/** Reads the sums of a domain. */
export async function readAuthentication(
  read: Read,
  query: AuthenticationQuery,
): Promise<AuthenticationView> {
  const { owner, groupBy } = query
  const by = (['day', 'header_from'] as const).filter((name) => groupBy.includes(name))
  const columns: SummedBy[] = [...by, 'receiver']
  const [sums, used, named, delivered] = await Promise.all([
    sumDmarcRows(read, owner, query, columns),
    usedAddresses(read, owner.accountId, query.usedSince),
    listNamedSources(read, owner),
    deliveredByDay(read, owner, query),
  ])
  const own = ownAddressesIn(sums, [...query.ownAddresses, ...used])
  const facts: SourceFacts = {
    ...{ domainId: owner.domainId, ownAddresses: own, forwarders: forwardersIn(sums, own) },
    hosts: await hostsOf(read, [...new Set(sums.map(({ address }) => address))]),
    named: new Map(named.map((one) => [one.source_id, one])),
  }
  const placed = sums.map((sum) => ({ sum, source: sourceOf(sum, facts) }))
  const failing = groupBy.includes('source') ? await failures(read, query, placed) : new Map()
  const keyOf = ({ sum, source }: Placed): string =>
    groupBy.map((name) => (name === 'source' ? source.sourceId : sum[name])).join('\n')
  const rows = [...Map.groupBy(placed, keyOf).values()].map((group) =>
    rowOf(group, query, facts, failing, delivered),
  )
  const ours = placed.filter(({ source }) => source.kind === 'ours').map(({ sum }) => sum)
  const days = new Set(ours.map(({ day, first_day }) => day || first_day))
  const sent = query.groupBy.includes('day')
    ? [...days].reduce((all, day) => all + (delivered.get(day) ?? 0), 0)
    : [...delivered.values()].reduce((all, count) => all + count, 0)
  return {
    rows: rows.sort((one, other) => other.messages - one.messages).slice(0, MAX_ROWS),
    reporters: new Set(sums.map(({ receiver }) => receiver)).size,
    shareOfOwnMail: sent === 0 ? null : Math.min(1, total(ours) / sent),
  }
}

interface Placed {
  readonly sum: DmarcSum
  readonly source: Source
}

const total = (sums: readonly DmarcSum[], counts: (sum: DmarcSum) => boolean = () => true): number =>
  sums.reduce((all, sum) => all + (counts(sum) ? sum.messages : 0), 0)

/** Returns the failures of own and known sources, by the IDs of the sources. */
async function failures(
  read: Read,
  { owner, from, to }: AuthenticationQuery,
  placed: readonly Placed[],
): Promise<ReadonlyMap<string, Failing>> {
  const watched = placed.filter(({ source: { kind } }) => kind === 'ours' || kind === 'known')
  const addresses = [...new Set(watched.map(({ sum }) => sum.address))].slice(0, MAX_WATCHED)
  const byAddress = Map.groupBy(
    await sumByDay(
      read,
      { accountId: owner.accountId, domainIds: [owner.domainId] },
      { from, to },
      addresses,
    ),
    ({ address }) => address,
  )
  const found = new Map<string, Failing>()
  for (const [sourceId, ofSource] of Map.groupBy(watched, ({ source }) => source.sourceId)) {
    const days = [...new Set(ofSource.map(({ sum }) => sum.address))].flatMap(
      (one) => byAddress.get(one) ?? [],
    )
    const failing = failingOf(days, ofSource[0]?.source.kind === 'ours')
    if (failing !== undefined) found.set(sourceId, failing)
  }
  return found
}

function rowOf(
  group: readonly Placed[],
  { groupBy }: AuthenticationQuery,
  { hosts }: SourceFacts,
  failing: ReadonlyMap<string, Failing>,
  delivered: ReadonlyMap<string, number>,
): AuthenticationRow {
  const sums = group.map(({ sum }) => sum)
  const source = groupBy.includes('source') ? (group[0] as Placed).source : undefined
  const first = sums[0] as DmarcSum
  const addresses = largest(sums, ({ address }) => address).filter((address) => address !== '')
  const days = sums.flatMap(({ first_day, last_day }) => [first_day, last_day]).sort()
  const [firstSeen, lastSeen] = [days[0] ?? '', days.at(-1) ?? '']
  const pass = total(sums, (sum) => sum.dkim_aligned === 1 || sum.spf_aligned === 1)
  const failed = source && failing.get(source.sourceId)
  const figures = {
    ...{ messages: total(sums), pass, failing: failed },
    dkimAligned: total(sums, ({ dkim_aligned }) => dkim_aligned === 1),
    spfAligned: total(sums, ({ spf_aligned }) => spf_aligned === 1),
  }
  const inRow = [...delivered].filter(([day]) => day >= firstSeen && day <= lastSeen)
  return {
    source: source
      ? {
          ...source,
          addresses: addresses.slice(0, MAX_ADDRESSES),
          host: addresses.map((address) => hosts.get(address)).find((host) => host !== undefined) ?? null,
        }
      : null,
    receiver: groupBy.includes('receiver') ? first.receiver : null,
    day: groupBy.includes('day') ? first.day : null,
    headerFrom: groupBy.includes('header_from') ? first.header_from : null,
    ...figures,
    dispositions: Object.fromEntries(
      [...Map.groupBy(sums, ({ disposition }) => disposition)].map(([name, some]) => [name, total(some)]),
    ),
    receivers: largest(sums, ({ receiver }) => receiver).slice(0, MAX_RECEIVERS),
    ...{ firstSeen, lastSeen },
    sentByUs:
      source?.kind === 'ours' && !groupBy.includes('receiver') && !groupBy.includes('header_from')
        ? inRow.reduce((all, [, count]) => all + count, 0)
        : null,
    advice: source && adviceOn(source, figures),
  }
}

/** Returns the different names of sums, most messages first. */
const largest = (sums: readonly DmarcSum[], nameOf: (sum: DmarcSum) => string): string[] =>
  [...Map.groupBy(sums, nameOf)]
    .map(([name, some]) => ({ name, messages: total(some) }))
    .sort((one, other) => other.messages - one.messages)
    .map(({ name }) => name)
