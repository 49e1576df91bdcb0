// Sums of the rows of DMARC reports by source, and the sources that the customer has named.

import { sql } from 'kysely'
import { hourOf } from '../../lib/rfc3339.ts'
import { providerOfReporter } from '../../model/esp.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'

/** Columns by which sums may be taken in addition to the source. */
export type SummedBy = 'day' | 'receiver' | 'header_from'

/** Messages with the same source address, results and further columns. */
export type DmarcSum = Pick<
  Tables['dmarc_rows'],
  | 'address'
  | 'own_key'
  | 'own_path'
  | 'service'
  | 'dkim_aligned'
  | 'spf_aligned'
  | 'disposition'
  | 'reason'
  | 'messages'
> &
  Readonly<Record<SummedBy, string>> & { readonly first_day: string; readonly last_day: string }

/** Days in UTC, such as `2026-01-31`; both inclusive. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/** Maximum number of sums of one query: a domain with more sources shows the largest ones. */
const MAX_SUMS = 50_000

/** Returns the sums of the rows of a domain, largest first. */
export async function sumDmarcRows(
  read: Read,
  { accountId, domainId }: Owner,
  { from, to }: DayRange,
  by: readonly SummedBy[],
): Promise<DmarcSum[]> {
  const columns = [
    ...(['address', 'own_key', 'own_path', 'service', 'dkim_aligned', 'spf_aligned'] as const),
    ...(['disposition', 'reason'] as const),
    ...by,
  ]
  const rows = await read
    .selectFrom('dmarc_rows')
    .select(columns)
    .select(({ fn }) => [
      fn.sum<number>('messages').as('messages'),
      fn.min('day').as('first_day'),
      fn.max('day').as('last_day'),
    ])
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy(columns)
    .orderBy('messages', 'desc')
    .limit(MAX_SUMS)
    .execute()
  return rows.map((row) => ({
    ...{ day: '', receiver: '', header_from: '' },
    ...row,
    ...{ own_path: Number(row.own_path), messages: Number(row.messages) },
    ...{ dkim_aligned: Number(row.dkim_aligned), spf_aligned: Number(row.spf_aligned) },
  }))
}

/** Messages of one day, source address and receiver, with those whose result is aligned. */
export interface DaySum {
  readonly day: string
  readonly address: string
  readonly receiver: string
  readonly messages: number
  readonly dkim: number
  readonly spf: number
  readonly either: number
}

/**
 * Returns the sums by day of these addresses, oldest first, without the rows of unauthenticated reports and without rows that
 * carry only a key of this installation from elsewhere.
 */
export async function sumByDay(
  read: Read,
  { accountId, domainIds }: { readonly accountId: string; readonly domainIds: readonly string[] },
  { from, to }: DayRange,
  addresses: readonly string[],
): Promise<DaySum[]> {
  if (addresses.length === 0 || domainIds.length === 0) return []
  const aligned = (condition: string) =>
    sql<number>`sum(case when ${sql.raw(condition)} then dmarc_rows.messages else 0 end)`
  const rows = await read
    .selectFrom('dmarc_rows')
    .innerJoin('reports', 'reports.id', 'dmarc_rows.report_id')
    .select(['dmarc_rows.day', 'dmarc_rows.address', 'dmarc_rows.receiver'])
    .select(({ fn }) => [
      fn.sum<number>('dmarc_rows.messages').as('messages'),
      aligned('dkim_aligned = 1').as('dkim'),
      aligned('spf_aligned = 1').as('spf'),
      aligned('dkim_aligned = 1 or spf_aligned = 1').as('either'),
    ])
    .where('dmarc_rows.domain_id', 'in', domainIds)
    .where('dmarc_rows.account_id', '=', accountId)
    .where('dmarc_rows.day', '>=', from)
    .where('dmarc_rows.day', '<=', to)
    .where('dmarc_rows.address', 'in', addresses)
    .where((eb) => eb.or([eb('reports.authenticated', 'is', null), eb('reports.authenticated', '=', 1)]))
    .groupBy(['dmarc_rows.day', 'dmarc_rows.address', 'dmarc_rows.receiver'])
    .orderBy('dmarc_rows.day')
    .execute()
  return rows.map(({ messages, dkim, spf, either, ...row }) => ({
    ...row,
    ...{ messages: Number(messages), dkim: Number(dkim), spf: Number(spf), either: Number(either) },
  }))
}

/** Returns the host names of addresses, without the addresses that have none. */
export async function hostsOf(
  read: Read,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const hosts = new Map<string, string>()
  for (let start = 0; start < addresses.length; start += 500) {
    const rows = await read
      .selectFrom('report_addresses')
      .select(['address', 'host'])
      .where('address', 'in', addresses.slice(start, start + 500))
      .where('host', '!=', '')
      .execute()
    for (const { address, host } of rows) hosts.set(address, host)
  }
  return hosts
}

/** Returns addresses that were not looked up yet. */
export async function addressesToLookUp(read: Read, limit: number): Promise<string[]> {
  const rows = await read
    .selectFrom('report_addresses')
    .select('address')
    .where('looked_at', 'is', null)
    .orderBy('address')
    .limit(limit)
    .execute()
  return rows.map(({ address }) => address)
}

/** Keeps the host name of an address; an empty name if it has none. */
export async function keepHost(
  db: Database,
  items: readonly { readonly address: string; readonly host: string; readonly now: number }[],
): Promise<true[]> {
  for (const { address, host, now } of items) {
    await db
      .updateTable('report_addresses')
      .set({ host, looked_at: now })
      .where('address', '=', address)
      .execute()
  }
  return items.map(() => true)
}
keepHost.unaudited = true

/** Returns the own addresses from which attempts were made. */
export async function usedAddresses(read: Read, accountId: string, since: number): Promise<string[]> {
  const rows = await read
    .selectFrom('reply_hours')
    .select('source')
    .distinct()
    .where('domain_id', 'in', (eb) =>
      eb.selectFrom('domains').select('id').where('account_id', '=', accountId),
    )
    .where('at', '>=', hourOf(since))
    .where('source', '!=', '')
    .execute()
  return rows.map(({ source }) => source)
}

/** Own mail in the reports of a provider: messages with aligned results, and the last reported day in UTC. */
export type ReportedMail = Pick<DaySum, 'messages' | 'dkim' | 'spf' | 'either'> & { readonly lastDay: string }

/**
 * Returns what the reports of each provider say about mail of these domains from own addresses, by provider.
 *
 * @param used own addresses from which attempts were made in the period, if they are known
 */
export async function ownMailByProvider(
  read: Read,
  of: { readonly accountId: string; readonly domainIds: readonly string[] },
  range: DayRange,
  used?: readonly string[],
): Promise<ReadonlyMap<string, ReportedMail>> {
  const addresses = used ?? (await usedAddresses(read, of.accountId, Date.parse(range.from)))
  const found = new Map<string, ReportedMail>()
  // The sums are in the order of the days.
  for (const { receiver, day, messages, dkim, spf, either } of await sumByDay(read, of, range, addresses)) {
    const provider = providerOfReporter(receiver)
    if (provider === undefined) continue
    const sum = found.get(provider) ?? { messages: 0, dkim: 0, spf: 0, either: 0, lastDay: day }
    found.set(provider, {
      ...{ messages: sum.messages + messages, dkim: sum.dkim + dkim, spf: sum.spf + spf },
      ...{ either: sum.either + either, lastDay: day },
    })
  }
  return found
}

/** Returns the numbers of delivered recipients of a domain by day in UTC; `from` and `to` as in `DayRange`. */
export async function deliveredByDay(
  read: Read,
  { accountId, domainId }: Owner,
  { from, to }: DayRange,
): Promise<ReadonlyMap<string, number>> {
  const rows = await read
    .selectFrom('message_counts')
    .select('hour_at')
    .select(({ fn }) => fn.sum<number>('delivered').as('delivered'))
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .where('hour_at', '>=', Date.parse(from))
    .where('hour_at', '<', Date.parse(to) + 86_400_000)
    .groupBy('hour_at')
    .execute()
  const days = new Map<string, number>()
  for (const { hour_at: at, delivered } of rows) {
    const day = new Date(Number(at)).toISOString().slice(0, 10)
    days.set(day, (days.get(day) ?? 0) + Number(delivered))
  }
  return days
}

export type NamedSource = Tables['report_sources']

/** Returns the sources that the customer has named. */
export const listNamedSources = (read: Read, { accountId, domainId }: Owner): Promise<NamedSource[]> =>
  read
    .selectFrom('report_sources')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .execute()

/** Names sources, or renames them. */
export async function nameSource(db: Database, items: readonly NamedSource[]): Promise<true[]> {
  for (const item of items) {
    await insertRows(
      db,
      'report_sources',
      [item],
      'on conflict (domain_id, source_id) do update set kind=excluded.kind,name=excluded.name,changed_at=excluded.changed_at',
    )
  }
  return items.map(() => true)
}
nameSource.auditTarget = ({ source_id }: NamedSource): string => source_id

/** Domain to whose address for reports a mail was sent. */
export interface ReportedDomain extends Owner {
  readonly domainName: string
}

/** Returns a domain that is not deleted by its ID, whatever its account. */
export async function findReportedDomain(read: Read, domainId: string): Promise<ReportedDomain | undefined> {
  const row = await read
    .selectFrom('domains')
    .select(['id', 'account_id', 'name'])
    .where('id', '=', domainId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && { accountId: row.account_id, domainId: row.id, domainName: row.name }
}
