// The hosts of domains for tracked links: where their records point, and which of them are in use.

import { sql } from 'kysely'
import { trackingHost } from '../../model/tracking-link.ts'
import type { Database, Read } from '../database/dialect.ts'

import type { DomainRecord } from './domains.ts'

/** Target of the CNAME of all tracking hosts; `isFound`: in the playground, whose DNS has every record. */
export interface PointTracking {
  readonly target: string
  readonly isFound: boolean
}

/**
 * Gives every domain the record of its tracking host, with the target that the installation has now: stores of earlier
 * versions have none, and the public URL may change.
 */
export async function pointTracking(db: Database, items: readonly PointTracking[]): Promise<undefined[]> {
  for (const { target, isFound } of items) {
    const status = isFound ? 'found' : 'pending'
    await sql`insert into domain_records
      (domain_id, account_id, purpose, type, name, value, required, status, found, note)
      select id, account_id, 'tracking', 'CNAME', ${sql.lit(TRACKING_LABEL)} || name, cast(${target} as text), 0, ${sql.lit(status)}, '[]', null
      from domains where deleted_at is null and not exists
      (select 1 from domain_records where domain_id = domains.id and purpose = 'tracking')
      on conflict do nothing`.execute(db)
    if (isFound) continue
    await db
      .updateTable('domain_records')
      .set({ value: target, status: 'pending', found: '[]', note: null })
      .where('purpose', '=', 'tracking')
      .where('value', '!=', target)
      .execute()
  }
  return items.map(() => undefined)
}
pointTracking.unaudited = true

const TRACKING_LABEL = trackingHost('')

/** The CNAME of a domain's tracking host as it was last seen; undefined for a domain of before there was one. */
export const findTrackingRecord = (
  read: Read,
  domainId: string,
): Promise<Pick<DomainRecord, 'name' | 'value' | 'status'> | undefined> =>
  read
    .selectFrom('domain_records')
    .select(['name', 'value', 'status'])
    .where('domain_id', '=', domainId)
    .where('purpose', '=', 'tracking')
    .executeTakeFirst()

/** Tracking hosts of which a certificate is ordered. */
const MAX_TRACKING_HOSTS = 1_000

/** Tracking hosts of all domains that lead to this installation, by name. */
export async function listTrackingHosts(read: Read): Promise<string[]> {
  const rows = await read
    .selectFrom('domain_records')
    .innerJoin('domains', 'domains.id', 'domain_records.domain_id')
    .select('domain_records.name')
    .where('domain_records.purpose', '=', 'tracking')
    .where('domain_records.status', '=', 'found')
    .where('domains.deleted_at', 'is', null)
    .where('domains.claim_token', 'is', null)
    .orderBy('domain_records.name')
    .limit(MAX_TRACKING_HOSTS)
    .execute()
  return rows.map(({ name }) => name)
}
