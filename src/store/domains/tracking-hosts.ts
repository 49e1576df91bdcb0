// Hosts of domains that lead to this installation, for tracked links and for MTA-STS policies: the targets of their CNAME
// records, and the hosts that get a certificate.

import { sql } from 'kysely'
import { Shares } from '../../lib/shares.ts'
import type { Database, Read } from '../database/dialect.ts'
import { CERTIFICATE_OF } from '../node/secret-facts.ts'
import type { DomainRecord } from './domain-rows.ts'

/**
 * Sets the target of the records of tracking hosts and policy hosts to the current tracking target of the installation,
 * because the public URL may have changed.
 */
export async function pointTracking(
  db: Database,
  items: readonly { readonly target: string }[],
): Promise<undefined[]> {
  for (const { target } of items) {
    await db
      .updateTable('domain_records')
      .set({ value: target, status: 'pending', found: '[]', note: null, found_since: null })
      .where(({ or, eb }) => or([eb('purpose', '=', 'tracking'), eb('purpose', 'like', 'mta_sts_host:%')]))
      .where('value', '!=', target)
      .execute()
  }
  return items.map(() => undefined)
}
pointTracking.unaudited = true

/**
 * Returns the CNAME record of a domain's tracking host as last checked; undefined for a domain without a tracking host.
 */
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

/** Maximum number of hosts with certificates. A single account gets up to half of these certificates. */
const MAX_HOSTS = 2_000

/** A tracking host or policy host that has a certificate or gets one. */
export interface HostToCertify {
  readonly name: string
  /**
   * True if the last DNS check found that the host points to this installation; such a host gets a certificate and
   * renewals.
   */
  readonly leadsHere: boolean
}

interface FoundHost extends HostToCertify {
  readonly accountId: string
  readonly isCertified: boolean
}

/**
 * Returns the tracking hosts and policy hosts that point to this installation and get a certificate, in the order of
 * issuance. A host keeps a valid certificate even if its DNS record is no longer found, because links in delivered mail
 * point to the host: the record may be missing temporarily, or may point to an earlier name of the installation. The
 * other hosts share the remaining certificates: an account gets at most as many certificates as remain free, and accounts take
 * turns. The hosts of one account come in this order: hosts of domains that track opens or clicks first, then the
 * oldest hosts.
 */
export async function listHostsToCertify(read: Read, most: number = MAX_HOSTS): Promise<HostToCertify[]> {
  const shares = new Shares(most)
  const hosts = await foundHosts(read, most)
  return hosts
    .filter(({ accountId, isCertified, leadsHere }) => !leadsHere || shares.take(accountId, 1) || isCertified)
    .map(({ name, leadsHere }) => ({ name, leadsHere }))
}

/**
 * Returns the hosts with a certificate, and up to `limit` other hosts: the first host of each account, then the second
 * host of each account, and so on.
 */
async function foundHosts(read: Read, limit: number): Promise<readonly FoundHost[]> {
  const { rows } = await sql<{ name: string; account_id: string; certified: number; found: number }>`
    select name, account_id, certified, found from (
      select tracking.*,
        row_number() over (partition by account_id order by certified desc, tracks desc, created_at, name) as turn,
        row_number() over (partition by certified order by created_at, name) as age
      from (
        select record.name, domains.account_id, domains.created_at,
          case when record.status = 'found' then 1 else 0 end as found,
          case when exists (select 1 from installation where installation.name = ${CERTIFICATE_OF} || record.name)
            then 1 else 0 end as certified,
          case when domains.track_opens = 1 or domains.track_links = 1 or exists (
            select 1 from streams where streams.domain_id = domains.id and archived_at is null
              and (streams.track_opens = 1 or streams.track_links = 1)) then 1 else 0 end as tracks
        from domain_records record join domains on domains.id = record.domain_id
        where (record.purpose = 'tracking' or record.purpose like 'mta_sts_host:%') and domains.deleted_at is null and domains.claim_token is null
      ) tracking
      where found = 1 or certified = 1
    ) ranked
    order by certified desc, turn, age
    limit ${limit} + (select count(*) from installation where name like ${`${CERTIFICATE_OF}%`})`.execute(
    read,
  )
  return rows.map(({ name, account_id: accountId, certified, found }) => ({
    ...{ name, accountId },
    isCertified: Number(certified) === 1,
    leadsHere: Number(found) === 1,
  }))
}
