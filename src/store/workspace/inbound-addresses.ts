// Addresses of inbound streams: stores addresses, finds the stream of an address, and adapts the DNS records of a
// domain.

import { sql } from 'kysely'
import type { Address } from '../../model/address.ts'
import { domainsAbove, type InboundAddress, inboundLocals } from '../../model/inbound-address.ts'
import { type InboundMtaSts, type InboundMx, inboundRecords } from '../../model/inbound-policy.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'

/** The addresses that a stream is to have. */
export interface SetInboundAddresses extends Owner {
  readonly alias: string
  readonly addresses: readonly InboundAddress[]
}

/**
 * Sets the addresses of a stream. Returns an address and changes nothing if another stream of the domain has this
 * address.
 */
export async function setInboundAddresses(
  db: Database,
  { accountId, domainId, alias, addresses }: SetInboundAddresses,
): Promise<InboundAddress | undefined> {
  const others = await db
    .selectFrom('inbound_addresses')
    .select(['host', 'local'])
    .where('domain_id', '=', domainId)
    .where('stream', '!=', alias)
    .execute()
  const taken = addresses.find((one) =>
    others.some(({ host, local }) => host === one.host && local === one.local),
  )
  if (taken !== undefined) return taken
  await db
    .deleteFrom('inbound_addresses')
    .where('domain_id', '=', domainId)
    .where('stream', '=', alias)
    .execute()
  await insertRows(
    db,
    'inbound_addresses',
    addresses.map(({ host, local }) => ({
      ...{ host, local, account_id: accountId, domain_id: domainId, stream: alias },
    })),
  )
  return undefined
}

/** Returns the addresses of all streams of a domain, sorted by host and local part. */
export const listInboundAddresses = (
  read: Read | Database,
  { accountId, domainId }: Owner,
): Promise<{ readonly stream: string; readonly host: string; readonly local: string }[]> =>
  (read as Read)
    .selectFrom('inbound_addresses')
    .select(['stream', 'host', 'local'])
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .orderBy('host')
    .orderBy('local')
    .execute()

/**
 * Adapts the records that a domain needs for inbound mail to the hosts of its open inbound streams, and to its mode of
 * MTA-STS.
 */
export async function fitInboundRecords(
  db: Database,
  { accountId, domainId }: Owner,
  mx: InboundMx,
): Promise<void> {
  const rows = await db
    .selectFrom('inbound_addresses')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.domain_id', '=', 'inbound_addresses.domain_id')
        .onRef('streams.alias', '=', 'inbound_addresses.stream'),
    )
    .select('host')
    .where('inbound_addresses.domain_id', '=', domainId)
    .where('streams.archived_at', 'is', null)
    .distinct()
    .orderBy('host')
    .execute()
  const domain = await db
    .selectFrom('domains')
    .select('mta_sts')
    .where('id', '=', domainId)
    .executeTakeFirst()
  const records = rows.flatMap(({ host }) =>
    inboundRecords(host, domain?.mta_sts ?? 'off', mx).map((record) => ({ host, ...record })),
  )
  const wanted = records.map(({ host, kind, type, name, value }): Tables['domain_records'] => ({
    ...{ domain_id: domainId, account_id: accountId, purpose: `${kind}:${host}`, type, name, value },
    ...{ required: 0, found: '[]', note: null, found_since: null },
    status: kind === 'inbound_mx' && mx.isPublished ? 'found' : 'pending',
  }))
  await db
    .deleteFrom('domain_records')
    .where('domain_id', '=', domainId)
    // Only the records of inbound hosts have a purpose with a host name.
    .where(sql<boolean>`purpose like '%:%'`)
    .$if(wanted.length > 0, (query) =>
      query.where(
        'purpose',
        'not in',
        wanted.map(({ purpose }) => purpose),
      ),
    )
    .execute()
  await insertRows(
    db,
    'domain_records',
    wanted,
    // A record with another value has to be found anew.
    `on conflict (domain_id, purpose) do update set value = excluded.value,
      status = case when domain_records.value = excluded.value then domain_records.status else excluded.status end,
      note = case when domain_records.value = excluded.value then domain_records.note end`,
  )
}

/**
 * Returns the mode of MTA-STS of a host that receives mail for an open inbound stream; undefined for any other host. The
 * nearest verified domain decides, as for the addresses of the host.
 */
export async function findInboundMtaSts(read: Read, host: string): Promise<InboundMtaSts | undefined> {
  const names = domainsAbove(host)
  if (names.length === 0) return undefined
  const domains = await read
    .selectFrom('domains')
    .select(['id', 'name', 'mta_sts'])
    .where('name', 'in', names)
    .where('deleted_at', 'is', null)
    .where('claim_token', 'is', null)
    .where('verified_at', 'is not', null)
    .execute()
  const [nearest] = domains.toSorted((one, other) => other.name.length - one.name.length)
  if (nearest === undefined || nearest.mta_sts === 'off') return undefined
  const address = await read
    .selectFrom('inbound_addresses as address')
    .innerJoin('streams', (join) =>
      join.onRef('streams.domain_id', '=', 'address.domain_id').onRef('streams.alias', '=', 'address.stream'),
    )
    .select('address.host')
    .where('address.host', '=', host)
    .where('address.domain_id', '=', nearest.id)
    .where('streams.archived_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return address && nearest.mta_sts
}

/** True if an open stream of any domain receives mail for addresses at this host. */
export async function isInboundHost(read: Read, host: string): Promise<boolean> {
  const row = await read
    .selectFrom('inbound_addresses as address')
    .innerJoin('streams', (join) =>
      join.onRef('streams.domain_id', '=', 'address.domain_id').onRef('streams.alias', '=', 'address.stream'),
    )
    .select('address.host')
    .where('address.host', '=', host)
    .where('streams.archived_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Stream of an address, with the statuses of the domain and the account, which decide whether the stream may receive
 * mail.
 */
export interface InboundTarget extends Owner {
  readonly domainName: string
  readonly domainStatus: Tables['domains']['status']
  readonly accountStatus: Tables['accounts']['status']
  readonly stream: string
}

/**
 * Finds the open stream for an address; undefined if no stream qualifies. Verified domains that are equal to the host
 * of the address, or a parent domain of the host, are considered, and the stream must belong to the nearest of these
 * domains. An account therefore cannot receive mail for a name that belongs to another account.
 */
export async function findInboundTarget(
  read: Read,
  address: Pick<Address, 'local' | 'domain'>,
): Promise<InboundTarget | undefined> {
  const rows = await read
    .selectFrom('inbound_addresses as address')
    .innerJoin('streams', (join) =>
      join.onRef('streams.domain_id', '=', 'address.domain_id').onRef('streams.alias', '=', 'address.stream'),
    )
    .select(['address.domain_id', 'address.local', 'address.stream'])
    .where('address.host', '=', address.domain)
    .where('address.local', 'in', inboundLocals(address))
    .where('streams.archived_at', 'is', null)
    .execute()
  if (rows.length === 0) return undefined
  const domains = await read
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .select(['domains.id', 'domains.account_id', 'domains.name', 'domains.status'])
    .select('accounts.status as accountStatus')
    .where('domains.name', 'in', domainsAbove(address.domain))
    .where('domains.deleted_at', 'is', null)
    .where('domains.claim_token', 'is', null)
    .where('domains.verified_at', 'is not', null)
    .execute()
  const [nearest] = domains.toSorted((one, other) => other.name.length - one.name.length)
  if (nearest === undefined) return undefined
  const own = rows.filter(({ domain_id }) => domain_id === nearest.id)
  const found = inboundLocals(address)
    .map((local) => own.find((row) => row.local === local))
    .find((row) => row !== undefined)
  return (
    found && {
      ...{ accountId: nearest.account_id, domainId: nearest.id, domainName: nearest.name },
      ...{ domainStatus: nearest.status, accountStatus: nearest.accountStatus, stream: found.stream },
    }
  )
}
