// TLS reports to recipient domains (RFC 8460): the domains and results of a day, and the state of each report.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { TlsResult } from './tls-results.ts'

export type TlsReportRow = Tables['tls_reports']

/** Stores the state of reports in place of earlier states. */
export async function keepTlsReports(
  db: Database,
  items: readonly { readonly rows: readonly TlsReportRow[] }[],
): Promise<true[]> {
  for (const { rows } of items) {
    await insertRows(
      db,
      'tls_reports',
      rows,
      `on conflict (day, domain, address) do update set state = excluded.state, tries = excluded.tries,
        next_at = excluded.next_at, detail = excluded.detail`,
    )
  }
  return items.map(() => true)
}
keepTlsReports.unaudited = true

/** Gives up the unsent reports of days before `firstDay`, and removes the reports of days before `oldestDay`. */
export async function endTlsReports(
  db: Database,
  items: readonly { readonly firstDay: string; readonly oldestDay: string }[],
): Promise<true[]> {
  for (const { firstDay, oldestDay } of items) {
    await db.deleteFrom('tls_reports').where('day', '<', oldestDay).execute()
    await db
      .updateTable('tls_reports')
      .set({ state: 'given_up' })
      .where('state', '=', 'due')
      .where('day', '<', firstDay)
      .execute()
  }
  return items.map(() => true)
}
endTlsReports.unaudited = true

/** Returns domains with TLS results of a day for which no report is planned, in order of their names. */
export async function domainsWithoutTlsReport(read: Read, day: string, limit: number): Promise<string[]> {
  const rows = await read
    .selectFrom('tls_results as result')
    .select('policy_domain')
    .distinct()
    .where('day', '=', day)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tls_reports as report')
            .select('report.domain')
            .where('report.day', '=', day)
            .where('report.address', '=', '')
            .whereRef('report.domain', '=', 'result.policy_domain'),
        ),
      ),
    )
    .orderBy('policy_domain')
    .limit(limit)
    .execute()
  return rows.map(({ policy_domain }) => policy_domain)
}

/** Returns the number of domains for which a report of a day is planned or was sent. */
export async function countReportedDomains(read: Read, day: string): Promise<number> {
  const row = await read
    .selectFrom('tls_reports')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('day', '=', day)
    .where('address', '=', '')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Returns reports of a day that are due, the longest due first. */
export const dueTlsReports = (
  read: Read,
  { day, now }: { readonly day: string; readonly now: number },
  limit: number,
): Promise<TlsReportRow[]> =>
  read
    .selectFrom('tls_reports')
    .selectAll()
    .where('state', '=', 'due')
    .where('day', '=', day)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('domain')
    .orderBy('address')
    .limit(limit)
    .execute()

/** Returns the results of a domain and day, the results with the most sessions first. */
export const tlsResultsOf = (read: Read, day: string, domain: string, limit: number): Promise<TlsResult[]> =>
  read
    .selectFrom('tls_results')
    .selectAll()
    .where('day', '=', day)
    .where('policy_domain', '=', domain)
    .orderBy('sessions', 'desc')
    .orderBy('policy_type')
    .orderBy('mx')
    .orderBy('result')
    .limit(limit)
    .execute()

/** Facts about an address for reports that decide whether the address gets another report. */
export interface ReportAddressFacts {
  /** Number of reports of the day that were sent to the address, or are to be sent. */
  readonly ofDay: number
  /** True if the address has refused a report since the day `since`. */
  readonly hasRefused: boolean
}

/** Returns the facts about an address; `day` is the day of the next report. */
export async function reportAddressFacts(
  read: Read,
  address: string,
  { day, since }: { readonly day: string; readonly since: string },
): Promise<ReportAddressFacts> {
  const row = await read
    .selectFrom('tls_reports')
    .select([
      sql<number>`coalesce(sum(case when day = ${day} and state in ('due', 'sent') then 1 else 0 end), 0)`.as(
        'of_day',
      ),
      sql<number>`coalesce(sum(case when state = 'refused' then 1 else 0 end), 0)`.as('refused'),
    ])
    .where('address', '=', address)
    .where('day', '>=', since)
    .executeTakeFirstOrThrow()
  return { ofDay: Number(row.of_day), hasRefused: Number(row.refused) > 0 }
}
