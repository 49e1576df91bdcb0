// API keys and SMTP credentials, stored as hashes only.

import { sql, type UpdateObject } from 'kysely'
import { isId } from '../../lib/ids.ts'
import { BY_OPERATOR, type KeyKind } from '../../model/key-kind.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { lockDomain, lockLimits } from '../domains/domains.ts'
import { markAccessChanged } from '../node/installation.ts'
import { type AuditEntry, recordAudit } from './audit-log.ts'
import { OPERATING_ACCOUNT } from './operating-account.ts'

export type Key = Tables['keys']

/** A domain that a key may work on. */
export type KeyDomain = Pick<Tables['domains'], 'id' | 'name' | 'status'>

/** A key with the status and limits of its account and domain, so that few queries authorize a request. */
export interface StoredCredential extends Key {
  readonly account_name: string
  readonly account_status: Tables['accounts']['status']
  readonly sending_allowance: number | null
  readonly stored_bytes_limit: number | null
  /** ID of the account that operates the installation; null if there is none. */
  readonly operating_account_id: string | null
  /** Name of the key's domain; null for a key without a domain of its own. */
  readonly domain_name: string | null
  readonly domain_status: Tables['domains']['status'] | null
  readonly domain_deleted_at: number | null
  /** Domains of a management key by name; empty for any other key. */
  readonly managed: readonly KeyDomain[]
}

/** A new key; `domainIds` lists the domains of a management key that works on some domains only. */
export interface NewKeyRow {
  readonly key: Key
  readonly domainIds: readonly string[]
  /** Entry in the audit log of the key's account, for a key that the operator creates for the account. */
  readonly entry?: AuditEntry | undefined
}

/**
 * Result of creating a key: a domain of the key may be deleted, or the account may have no more keys: `limit` means that
 * the operator permits no more, and `too_many` that the account has the maximum number of keys.
 */
export type CreatedKey = 'created' | 'no_domain' | 'too_many' | 'limit'

/** Maximum number of keys of an account that are neither revoked nor expired. */
export const MAX_KEYS = 1_000

/**
 * Adds keys. The domains of a key are locked, so that no key is created while one of its domains is being deleted. The
 * limit is not exact for keys that are created at the same time.
 */
export async function createKey(db: Database, items: readonly NewKeyRow[]): Promise<CreatedKey[]> {
  const results: CreatedKey[] = []
  for (const { key, domainIds, entry } of items) {
    const { account_id, domain_id, created_at } = key
    const refusal = await refusalOfMore(db, key)
    if (refusal !== undefined) {
      results.push(refusal)
      continue
    }
    const wanted = domain_id === null ? domainIds : [domain_id]
    const has = await haveDomains(db, account_id, wanted)
    if (has) {
      await insertRows(db, 'keys', [key])
      await insertRows(db, 'key_domains', rowsOfDomains(key, domainIds))
      if (entry !== undefined) await recordAudit(db, [entry])
      await markAccessChanged(db, created_at)
    }
    results.push(has ? 'created' : 'no_domain')
  }
  return results
}
createKey.auditTarget = ({ key }: { readonly key: { readonly id: string } }): string => key.id

/**
 * Returns the reason why the account of a key gets no further key; undefined if there is none. Keys that the operator
 * creates do not count towards the limit that the operator sets.
 */
async function refusalOfMore(
  db: Database,
  { account_id, created_at: now, created_by: maker }: Key,
): Promise<'too_many' | 'limit' | undefined> {
  const { keys: limit, isDeleted } = await lockLimits(db, account_id)
  const row = await db
    .selectFrom('keys')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.countAll<number>().filterWhere('created_by', '=', BY_OPERATOR).as('minted'),
    ])
    .where('account_id', '=', account_id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
  const count = Number(row?.count ?? 0)
  const isOver = limit !== null && maker !== BY_OPERATOR && count - Number(row?.minted ?? 0) >= limit
  if (isDeleted || isOver) return 'limit'
  return count >= MAX_KEYS ? 'too_many' : undefined
}

/** Locks domains in the same order on all nodes; returns false if one of the domains is deleted. */
async function haveDomains(db: Database, account_id: string, ids: readonly string[]): Promise<boolean> {
  for (const id of ids.toSorted()) if ((await lockDomain(db, { id, account_id })) === undefined) return false
  return true
}

/** Rights of a key by which a change or a rotation was judged. */
export type JudgedRights = Pick<Key, 'scopes' | 'grants' | 'every_domain' | 'networks' | 'recipients'>

/** A key that is not revoked and, if `judged` is given, still has the rights by which its change was judged. */
interface ChangedKey {
  readonly accountId: string
  readonly id: string
  readonly now: number
  readonly judged?: JudgedRights | undefined
}

/** Change of a key, given by the columns to change. */
export interface ChangeKey extends ChangedKey {
  readonly changes: Partial<
    Pick<
      Key,
      'name' | 'rate' | 'expires_at' | 'scopes' | 'grants' | 'every_domain' | 'networks' | 'recipients'
    >
  >
  /** New list of the domains of a management key; undefined for no change. */
  readonly domainIds?: readonly string[] | undefined
}

/**
 * Changes keys; the result is false for a key that is revoked or has other rights by now, and for a new domain that is
 * deleted.
 */
export async function changeKey(db: Database, items: readonly ChangeKey[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) {
    const { accountId: account_id, id, now, changes, domainIds } = item
    const has = await haveDomains(db, account_id, domainIds ?? [])
    // A change of the domains alone sets no other column.
    const changed = has && (await changeRow(db, item, { name: sql<string>`name`, ...changes }))
    if (changed && domainIds !== undefined) {
      await db.deleteFrom('key_domains').where('key_id', '=', id).execute()
      await insertRows(db, 'key_domains', rowsOfDomains({ id, account_id }, domainIds))
    }
    if (changed) await markAccessChanged(db, now)
    results.push(changed)
  }
  return results
}
changeKey.auditTarget = ({ id }: { readonly id: string }): string => id
// A change may take scopes, domains or networks from a key.
changeKey.takesAccess = true

/** Sets columns of a key; returns false for a key that is revoked or has other rights by now. */
async function changeRow(
  db: Database,
  { accountId, id, judged }: ChangedKey,
  set: UpdateObject<Tables, 'keys'>,
): Promise<boolean> {
  let query = db
    .updateTable('keys')
    .set(set)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
  for (const [column, value] of Object.entries(judged ?? {}) as [keyof JudgedRights, string | null][]) {
    query = query.where(column, value === null ? 'is' : '=', value)
  }
  return (await query.returning('id').execute()).length > 0
}

const rowsOfDomains = ({ id, account_id }: Pick<Key, 'id' | 'account_id'>, domainIds: readonly string[]) =>
  domainIds.map((domain_id) => ({ key_id: id, account_id, domain_id }))

/** New secret of a key; the secret before stays valid until `previousUntil`, or ends now if it is null. */
export interface RotateKey extends ChangedKey {
  readonly hash: string
  readonly last4: string
  readonly previousUntil: number | null
}

/** Gives keys a new secret; the result is false for a key that is revoked or has other rights by now. */
export async function rotateKey(db: Database, items: readonly RotateKey[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) {
    const { hash, last4, previousUntil } = item
    const changed = await changeRow(db, item, {
      ...{ hash, last4, previous_until: previousUntil },
      previous_hash: previousUntil === null ? null : sql<string>`hash`,
    })
    if (changed) await markAccessChanged(db, item.now)
    results.push(changed)
  }
  return results
}
rotateKey.auditTarget = ({ id }: { readonly id: string }): string => id
rotateKey.takesAccess = true

/** Revokes a key permanently; the result is false if the account has no such key or the key was already revoked. */
export async function revokeKey(
  db: Database,
  items: readonly { readonly accountId: string; readonly id: string; readonly now: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, id, now } of items) {
    const rows = await db
      .updateTable('keys')
      .set({ revoked_at: now })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute()
    // The invitations of a key end with the key, as those of a user do.
    if (rows.length > 0) {
      await db
        .deleteFrom('invitations')
        .where('account_id', '=', accountId)
        .where('invited_by', '=', id)
        .execute()
    }
    await markAccessChanged(db, now)
    results.push(rows.length > 0)
  }
  return results
}
revokeKey.auditTarget = ({ id }: { readonly id: string }): string => id
revokeKey.takesAccess = true

/** Last use of a key, with the network of the client. */
export type KeyUse = Pick<Key, 'id' | 'account_id' | 'last_used_from'> & { readonly last_used_at: number }

/** Records the last use of keys; uses are collected in memory and written in batches. */
export async function recordKeyUse(db: Database, items: readonly KeyUse[]): Promise<true[]> {
  await updateRows(db, 'keys', ['id', 'account_id'], items)
  return items.map(() => true)
}
recordKeyUse.unaudited = true

/**
 * Returns the key whose secret, or whose secret before the last rotation, has this hash, with the account and domains
 * of the key; the key may be in any state.
 */
export async function findCredential(read: Read, hash: string): Promise<StoredCredential | undefined> {
  const found = await read
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .leftJoin('domains', 'domains.id', 'keys.domain_id')
    .selectAll('keys')
    .select(['accounts.name as account_name', 'accounts.status as account_status'])
    .select(['accounts.sending_allowance', 'accounts.stored_bytes_limit'])
    .select(OPERATING_ACCOUNT.as('operating_account_id'))
    .select(['domains.name as domain_name', 'domains.status as domain_status'])
    .select('domains.deleted_at as domain_deleted_at')
    .where((eb) => eb.or([eb('keys.hash', '=', hash), eb('keys.previous_hash', '=', hash)]))
    .executeTakeFirst()
  return found && { ...found, managed: await managedDomains(read, found) }
}

/** Returns the domains that a management key works on, by name, without deleted domains. */
async function managedDomains(
  read: Read,
  { id, account_id, kind, every_domain }: Pick<Key, 'id' | 'account_id' | 'kind' | 'every_domain'>,
): Promise<KeyDomain[]> {
  if (kind !== 'management') return []
  let query = read
    .selectFrom('domains')
    .select(['domains.id', 'domains.name', 'domains.status'])
    .where('domains.account_id', '=', account_id)
    .where('domains.deleted_at', 'is', null)
    .orderBy('domains.name')
  if (every_domain === 0) {
    query = query.where('domains.id', 'in', (eb) =>
      eb.selectFrom('key_domains').select('domain_id').where('key_id', '=', id),
    )
  }
  return query.execute()
}

export const listKeys = (read: Read, accountId: string, kinds: readonly KeyKind[]): Promise<Key[]> =>
  read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', 'in', kinds)
    .orderBy('id', 'desc')
    .execute()

export const findKey = (read: Read, accountId: string, id: string): Promise<Key | undefined> =>
  read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Filter of a list of keys. */
export interface KeyFilter {
  readonly kinds: readonly KeyKind[]
  /** ID of a domain of the keys: their own domain, or one of the listed domains of a management key. */
  readonly domainId?: string | undefined
  readonly name?: string | undefined
  /** State of the keys at the time `now`, in milliseconds since the epoch. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined
  readonly now: number
  /** IDs of the domains that the reader may work on; null for every domain of the account. */
  readonly within: ReadonlySet<string> | null
}

/** Returns keys of an account, newest first; with `cursor`, only keys with smaller IDs. */
export function listKeyPage(
  read: Read,
  accountId: string,
  { kinds, domainId, name, status, now, within }: KeyFilter,
  limit: number,
  cursor: string | undefined,
): Promise<Key[]> {
  let query = read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', 'in', kinds)
    .orderBy('id', 'desc')
    .limit(limit)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  if (name !== undefined) query = query.where('name', '=', name)
  if (domainId !== undefined) query = query.where(worksOn([domainId]))
  if (within !== null) query = query.where(isWithin([...within]))
  if (status === 'revoked') return query.where('revoked_at', 'is not', null).execute()
  if (status !== undefined) query = query.where('revoked_at', 'is', null)
  if (status === 'expired') query = query.where('expires_at', '<=', now)
  if (status === 'active') {
    query = query.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
  }
  return query.execute()
}

/** Returns the condition for keys that belong to, or list, one of these domains. */
const worksOn = (
  domainIds: readonly string[],
) => sql<boolean>`(domain_id in (${sql.join(domainIds)}) or exists (
  select 1 from key_domains where key_id = keys.id and key_domains.domain_id in (${sql.join(domainIds)})))`

/** Returns the condition for keys that work on no other domain; a Verification key works on no domain. */
function isWithin(domainIds: readonly string[]) {
  if (domainIds.length === 0) return sql<boolean>`kind = 'verification'`
  const ids = sql.join(domainIds)
  return sql<boolean>`(kind = 'verification' or domain_id in (${ids}) or (
    kind = 'management' and every_domain = 0 and not exists (
      select 1 from key_domains where key_id = keys.id and key_domains.domain_id not in (${ids}))))`
}

/** A domain that a key lists; a deleted domain has the time of its deletion. */
export type ListedDomain = Pick<Tables['domains'], 'id' | 'name' | 'deleted_at'>

/**
 * Returns the domains of keys by the ID of the key: the domain of a Sending key or an SMTP credential, and the listed
 * domains of a management key by name.
 */
export async function domainsOfKeys(
  read: Read,
  accountId: string,
  keyIds: readonly string[],
): Promise<Map<string, ListedDomain[]>> {
  if (keyIds.length === 0) return new Map()
  const { rows } = await sql<ListedDomain & { readonly key_id: string }>`
    select keys.id as key_id, domains.id, domains.name, domains.deleted_at from keys
    join domains on domains.id = keys.domain_id
    where keys.account_id = ${accountId} and keys.id in (${sql.join(keyIds)})
    union all
    select key_domains.key_id, domains.id, domains.name, domains.deleted_at from key_domains
    join domains on domains.id = key_domains.domain_id
    where key_domains.account_id = ${accountId} and key_domains.key_id in (${sql.join(keyIds)})
    order by name`.execute(read)
  return Map.groupBy(rows, ({ key_id }) => key_id)
}

/** Returns the keys and users among these IDs that still exist in the account: keys that are not revoked. */
export async function livingMakers(
  read: Read,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const [keys, users] = await Promise.all([
    read
      .selectFrom('keys')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', 'in', ids)
      .where('revoked_at', 'is', null)
      .execute(),
    read
      .selectFrom('users')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', 'in', ids)
      .execute(),
  ])
  return new Set([...keys, ...users].map(({ id }) => id))
}

/** The key, the SMTP credential or the user that submitted a message. */
export interface Submitter {
  readonly id: string
  /** Name of the key or the user; null for a user without a name. */
  readonly name: string | null
  readonly kind: 'sending' | 'smtp' | 'management' | 'user'
}

/**
 * Returns the submitter of a message, found by the `key_id` of the message; undefined for the service's own mail and
 * for a removed user.
 */
export async function findSubmitter(
  read: Read,
  accountId: string,
  id: string,
): Promise<Submitter | undefined> {
  if (isId('usr', id)) {
    const user = await read
      .selectFrom('users')
      .select(['id', 'name'])
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    return user && { ...user, kind: 'user' }
  }
  return read
    .selectFrom('keys')
    .select(['id', 'name', 'kind'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('kind', '!=', 'verification')
    .$narrowType<{ kind: 'sending' | 'smtp' | 'management' }>()
    .executeTakeFirst()
}

/** Maximum number of recent API keys in the result of `namedKeys`, in addition to the requested keys. */
const MAX_NEWEST = 200

/** Returns the newest API keys of an account and the keys with these IDs, newest first. */
export async function namedKeys(read: Read, accountId: string, ids: readonly string[]): Promise<Key[]> {
  const ofAccount = read.selectFrom('keys').selectAll().where('account_id', '=', accountId)
  const [newest, named] = await Promise.all([
    ofAccount.where('kind', '!=', 'smtp').orderBy('id', 'desc').limit(MAX_NEWEST).execute(),
    ids.length === 0 ? [] : ofAccount.where('id', 'in', ids).execute(),
  ])
  const byId = new Map([...newest, ...named].map((key) => [key.id, key]))
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
}
