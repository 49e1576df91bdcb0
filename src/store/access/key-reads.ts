// Reads of API keys and SMTP credentials: by secret, in lists, and as the submitters of messages.

import { sql } from 'kysely'
import { isId } from '../../lib/ids.ts'
import type { KeyKind } from '../../model/key-kind.ts'
import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Key } from './keys.ts'
import { OPERATING_ACCOUNT } from './operating-account.ts'

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

/** Returns the lists of origins of all public keys that are not revoked, as JSON. */
export async function listPublicOrigins(read: Read): Promise<string[]> {
  const rows = await read
    .selectFrom('keys')
    .select('origins')
    .where('kind', '=', 'public')
    .where('revoked_at', 'is', null)
    .execute()
  return rows.flatMap(({ origins }) => origins ?? [])
}

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

/** Returns the condition for keys that work on no other domain; a key that verifies works on no domain. */
function isWithin(domainIds: readonly string[]) {
  if (domainIds.length === 0) return sql<boolean>`kind in ('verification', 'public')`
  const ids = sql.join(domainIds)
  return sql<boolean>`(kind in ('verification', 'public') or domain_id in (${ids}) or (
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
    .where('kind', 'not in', ['verification', 'public'])
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
