// Domains, their DNS records as last seen, and their DKIM keys.

import type { Read } from './dialect.ts'
import { type Database, insertRows, updateRows } from './dialect.ts'
import { markAccessChanged, markWorkspaceChanged } from './installation.ts'
import type { Tables } from './schema.ts'
import { firstStreams } from './streams.ts'

export type Domain = Tables['domains']
export type DomainRecord = Tables['domain_records']
export type DkimKey = Tables['dkim_keys']

/** A domain with all that belongs to it; false when the name is taken, by whichever account. */
export async function createDomain(
  db: Database,
  items: readonly {
    readonly domain: Domain
    readonly dkimKeys: readonly DkimKey[]
    readonly records: readonly DomainRecord[]
  }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { domain, dkimKeys, records } of items) {
    const rows = await db
      .insertInto('domains')
      .values(domain)
      .onConflict((on) => on.column('name').doNothing())
      .returning('id')
      .execute()
    if (rows.length > 0) {
      await insertRows(db, 'dkim_keys', dkimKeys)
      await insertRows(db, 'domain_records', records)
      await insertRows(db, 'streams', firstStreams(domain))
      await markAccessChanged(db, domain.created_at)
    }
    results.push(rows.length > 0)
  }
  return results
}

/** What a look at the DNS found: the domain's new state and that of each record. */
export async function recordDomainCheck(
  db: Database,
  items: readonly {
    readonly domain: Pick<Domain, 'id' | 'account_id' | 'status' | 'verified_at'>
    readonly records: readonly Pick<DomainRecord, 'domain_id' | 'purpose' | 'status' | 'found'>[]
    readonly now: number
  }[],
): Promise<true[]> {
  for (const { domain, records, now } of items) {
    await db
      .updateTable('domains')
      .set({ status: domain.status, verified_at: domain.verified_at, checked_at: now })
      .where('id', '=', domain.id)
      .where('account_id', '=', domain.account_id)
      .execute()
    await updateRows(db, 'domain_records', ['domain_id', 'purpose'], records)
    await markAccessChanged(db, now)
    // Whether a broadcast stream is open depends on the records.
    await markWorkspaceChanged(db, now)
  }
  return items.map(() => true)
}

export const listDomains = (read: Read, accountId: string): Promise<Domain[]> =>
  read.selectFrom('domains').selectAll().where('account_id', '=', accountId).orderBy('name').execute()

export const findDomain = (read: Read, accountId: string, name: string): Promise<Domain | undefined> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst()

export const findDomainById = (read: Read, accountId: string, id: string): Promise<Domain | undefined> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Whether any account has a domain of this name. */
export async function isDomainOfAnyAccount(read: Read, name: string): Promise<boolean> {
  const row = await read.selectFrom('domains').select('id').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

export const listDomainRecords = (read: Read, accountId: string, domainId: string): Promise<DomainRecord[]> =>
  read
    .selectFrom('domain_records')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .orderBy('purpose')
    .execute()

/** The keys that a domain signs with now, newest of each algorithm first. */
export const listDkimKeys = (read: Read, domainId: string): Promise<DkimKey[]> =>
  read.selectFrom('dkim_keys').selectAll().where('domain_id', '=', domainId).orderBy('id', 'desc').execute()

/** The records that this installation's domains ask for under this name. */
export const findRecordsByName = (read: Read, name: string): Promise<DomainRecord[]> =>
  read.selectFrom('domain_records').selectAll().where('name', '=', name).execute()
