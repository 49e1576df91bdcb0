// API keys and SMTP credentials, stored as hashes only.

import { isId } from '../../lib/ids.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { lockDomain } from '../domains/domains.ts'
import { markAccessChanged } from '../node/installation.ts'

export type Key = Tables['keys']

/** A key with the status and limits of its account and domain, so that one query authorizes a request. */
export interface Credential extends Key {
  readonly account_status: Tables['accounts']['status']
  readonly sending_allowance: number | null
  readonly stored_bytes_limit: number | null
  /** Name of the key's domain; null for a Verification key. */
  readonly domain_name: string | null
  readonly domain_status: Tables['domains']['status'] | null
  readonly domain_deleted_at: number | null
}

/**
 * Adds keys; the result is false for a key whose domain is deleted. The domain is locked, so that no key is created
 * while the domain is being deleted.
 */
export async function createKey(db: Database, items: readonly Key[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const key of items) {
    const { domain_id: id, account_id } = key
    const has = id === null || (await lockDomain(db, { id, account_id })) !== undefined
    if (has) {
      await insertRows(db, 'keys', [key])
      await markAccessChanged(db, key.created_at)
    }
    results.push(has)
  }
  return results
}
createKey.auditTarget = ({ id }: { readonly id: string }): string => id

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
    await markAccessChanged(db, now)
    results.push(rows.length > 0)
  }
  return results
}
revokeKey.auditTarget = ({ id }: { readonly id: string }): string => id
revokeKey.takesAccess = true

/** Records the last use of keys; uses are collected in memory and written in batches. */
export async function recordKeyUse(
  db: Database,
  items: readonly { readonly id: string; readonly account_id: string; readonly last_used_at: number }[],
): Promise<true[]> {
  await updateRows(db, 'keys', ['id', 'account_id'], items)
  return items.map(() => true)
}
recordKeyUse.unaudited = true

/** Returns the key whose secret has this hash, with the account and domain of the key; the key may be in any state. */
export const findCredential = (read: Read, hash: string): Promise<Credential | undefined> =>
  read
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .leftJoin('domains', 'domains.id', 'keys.domain_id')
    .selectAll('keys')
    .select([
      'accounts.status as account_status',
      'accounts.sending_allowance',
      'accounts.stored_bytes_limit',
    ])
    .select(['domains.name as domain_name', 'domains.status as domain_status'])
    .select('domains.deleted_at as domain_deleted_at')
    .where('keys.hash', '=', hash)
    .executeTakeFirst()

export const listKeys = (read: Read, accountId: string, kinds: readonly Key['kind'][]): Promise<Key[]> =>
  read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', 'in', kinds)
    .orderBy('id', 'desc')
    .execute()

/** The key, the SMTP credential or the user that submitted a message. */
export interface Submitter {
  readonly id: string
  /** Name of the key or the user; null for a user without a name. */
  readonly name: string | null
  readonly kind: 'sending' | 'smtp' | 'user'
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
    .$narrowType<{ kind: 'sending' | 'smtp' }>()
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
