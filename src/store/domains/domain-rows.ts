// Rows of domains: their types, the lock and the history that every change of a domain needs, and reads.

import { newId } from '../../lib/ids.ts'
import type { AccountEventType } from '../../model/account-event.ts'
import type { DomainEventType } from '../../model/domain.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { lockWorkspace } from '../workspace/workspace-lock.ts'

export type Domain = Tables['domains']
export type DomainRecord = Tables['domain_records']
export type DomainEvent = Tables['domain_events']
export type DkimKey = Tables['dkim_keys']

/** Event of the account that an event of a domain is, with the details that each of its events has. */
const OF_ACCOUNT: Readonly<
  Partial<Record<DomainEventType, readonly [type: AccountEventType, detail: object]>>
> = {
  verified: ['domain.verified', { again: false }],
  recovered: ['domain.verified', { again: true }],
  flagged: ['domain.records_missing', { records: [] }],
  closed: ['domain.closed', { records: [] }],
  deleted: ['domain.deleted', { reason: 'deleted' }],
  lost: ['domain.deleted', { reason: 'lost' }],
}

/** Adds an event to a domain's history, and to the events of the account if the event concerns the account. */
export async function keepDomainEvent(
  db: Database,
  { id: domain_id, account_id }: Pick<Domain, 'id' | 'account_id'>,
  type: DomainEventType,
  at: number,
  detail: object = {},
): Promise<void> {
  await insertRows(db, 'domain_events', [
    { id: newId('evt', at), account_id, domain_id, type, at, detail: JSON.stringify(detail) },
  ])
  const [ofAccount, usual] = OF_ACCOUNT[type] ?? []
  if (ofAccount === undefined) return
  await keepAccountEvents(db, [
    {
      ...{ accountId: account_id, domainId: domain_id, type: ofAccount, at, objectId: domain_id },
      detail: { ...usual, ...detail },
    },
  ])
}

/** Locks a domain until the transaction ends, and returns the current row; undefined if the domain is deleted. */
export async function lockDomain(
  db: Database,
  { id, account_id }: Pick<Domain, 'id' | 'account_id'>,
): Promise<Domain | undefined> {
  await lockWorkspace(db, id)
  return db
    .selectFrom('domains')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Filter of a list of domains. */
export interface DomainFilter {
  readonly name?: string | undefined
  readonly status?: Domain['status'] | undefined
  /** IDs of the domains that the reader may work on; null for every domain of the account. */
  readonly within: ReadonlySet<string> | null
}

/** Returns domains of an account in the order of their names; with `cursor`, only domains with later names. */
export async function listDomainPage(
  read: Read,
  accountId: string,
  { name, status, within }: DomainFilter,
  limit: number,
  cursor: string | undefined,
): Promise<Domain[]> {
  if (within?.size === 0) return []
  let query = read
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .limit(limit)
  if (cursor !== undefined) query = query.where('name', '>', cursor)
  if (name !== undefined) query = query.where('name', '=', name)
  if (status !== undefined) query = query.where('status', '=', status)
  if (within !== null) query = query.where('id', 'in', [...within])
  return query.execute()
}

/** Returns an account's domains in the order of their names, without deleted domains. */
export const listDomains = (read: Read, accountId: string): Promise<Domain[]> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .execute()

/** A domain that may send. */
export type SendingDomain = Pick<Domain, 'id' | 'account_id' | 'name'>

/** Returns the domains of all accounts that may send. */
export const listSendingDomains = (read: Read): Promise<SendingDomain[]> =>
  read
    .selectFrom('domains')
    .select(['id', 'account_id', 'name'])
    .where('deleted_at', 'is', null)
    .where('status', '=', 'verified')
    .execute()

/** Returns the IDs of the account's domains, or only the given domain ID, without deleted domains. */
export async function listDomainIds(
  read: Read,
  accountId: string,
  domainId: string | undefined,
): Promise<string[]> {
  let query = read
    .selectFrom('domains')
    .select('id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
  if (domainId !== undefined) query = query.where('id', '=', domainId)
  return (await query.execute()).map(({ id }) => id)
}

/** Returns the names of domains of an account by ID, also of deleted domains. */
export async function namesOfDomains(
  read: Read,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await read
    .selectFrom('domains')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Returns the names of domains, in order of the names. */
export async function domainNames(read: Read, accountId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await read
    .selectFrom('domains')
    .select('name')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}

export const findDomain = (read: Read, accountId: string, name: string): Promise<Domain | undefined> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

export const findDomainById = (read: Read, accountId: string, id: string): Promise<Domain | undefined> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** True if any account has a domain of this name. */
export async function isDomainOfAnyAccount(read: Read, name: string): Promise<boolean> {
  const row = await read
    .selectFrom('domains')
    .select('id')
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns domains of all accounts whose last check was before `from` or after `to`, longest ago first. A check time
 * after `to` was recorded by a node whose clock was fast.
 */
export const listDomainsToCheck = (
  read: Read,
  { from, to }: { readonly from: number; readonly to: number },
  limit: number,
): Promise<Domain[]> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('checked_at', '<', from), eb('checked_at', '>', to)]))
    .orderBy('checked_at')
    .limit(limit)
    .execute()

export const listDomainRecords = (read: Read, accountId: string, domainId: string): Promise<DomainRecord[]> =>
  read
    .selectFrom('domain_records')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .orderBy('purpose')
    .execute()

/** Returns the latest events in the history of a domain, newest first. */
export const listDomainEvents = (
  read: Read,
  accountId: string,
  domainId: string,
  limit: number,
): Promise<DomainEvent[]> =>
  read
    .selectFrom('domain_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns the records with this name that domains of this installation require. */
export const findRecordsByName = (read: Read, name: string): Promise<DomainRecord[]> =>
  read.selectFrom('domain_records').selectAll().where('name', '=', name).execute()

/** True if copies of a domain's mail for one recipient carry an address for complaints (RFC 9477). */
export async function hasComplaintAddress(read: Read, domainId: string): Promise<boolean> {
  const row = await read.selectFrom('domains').select('cfbl').where('id', '=', domainId).executeTakeFirst()
  return Number(row?.cfbl ?? 0) === 1
}
