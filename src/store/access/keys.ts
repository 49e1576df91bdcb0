// API keys and SMTP credentials, stored as hashes only.

import { sql, type UpdateObject } from 'kysely'
import { BY_COMMAND_LINE, BY_OPERATOR } from '../../model/key-kind.ts'
import { type Database, isPostgres } from '../database/dialect.ts'
import { insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { lockDomain } from '../domains/domain-rows.ts'
import { lockLimits } from '../domains/domains.ts'
import { keepKeyEvents, SHOWN_OF_KEY, type ShownKey } from '../events/key-events.ts'
import { markAccessChanged } from '../node/installation.ts'
import { type AuditEntry, recordAudit } from './audit-log.ts'
import { noteKey } from './key-notices.ts'

export type Key = Tables['keys']

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
export type CreatedKey = 'created' | 'no_domain' | 'no_inbox' | 'too_many' | 'limit'

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
    if (!(await hasInbox(db, key))) {
      results.push('no_inbox')
      continue
    }
    const wanted = domain_id === null ? domainIds : [domain_id]
    const has = await haveDomains(db, account_id, wanted)
    if (has) {
      await insertRows(db, 'keys', [key])
      await insertRows(db, 'key_domains', rowsOfDomains(key, domainIds))
      if (entry !== undefined) await recordAudit(db, [entry])
      await keepKeyEvents(db, [key], 'key.created', created_at, { created_by: key.created_by })
      if (key.kind === 'management' && key.created_by === BY_COMMAND_LINE) {
        await noteKey(db, key, { kind: 'created', occasion: '', at: created_at })
      }
      await markAccessChanged(db, created_at)
    }
    results.push(has ? 'created' : 'no_domain')
  }
  return results
}
createKey.auditTarget = ({ key }: { readonly key: { readonly id: string } }): string => key.id

/** Locks the test inbox of a key, if the key has one; returns false if the account has no such inbox. */
async function hasInbox(db: Database, { account_id, inbox_id }: Key): Promise<boolean> {
  if (inbox_id === null) return true
  let query = db
    .selectFrom('test_inboxes')
    .select('id')
    .where('id', '=', inbox_id)
    .where('account_id', '=', account_id)
  if (isPostgres(db)) query = query.forUpdate()
  return (await query.executeTakeFirst()) !== undefined
}

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
      | 'name'
      | 'rate'
      | 'expires_at'
      | 'scopes'
      | 'grants'
      | 'every_domain'
      | 'networks'
      | 'recipients'
      | 'origins'
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
    const changed = has && (await changeRow(db, item, { name: sql<string>`name`, ...changes })) !== undefined
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

/** Sets columns of a key; returns undefined for a key that is revoked or has other rights by now. */
async function changeRow(
  db: Database,
  { accountId, id, judged }: ChangedKey,
  set: UpdateObject<Tables, 'keys'>,
): Promise<ShownKey | undefined> {
  let query = db
    .updateTable('keys')
    .set(set)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
  for (const [column, value] of Object.entries(judged ?? {}) as [keyof JudgedRights, string | null][]) {
    query = query.where(column, value === null ? 'is' : '=', value)
  }
  return query.returning(SHOWN_OF_KEY).executeTakeFirst()
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
    if (changed !== undefined) {
      const previous_until = previousUntil === null ? null : new Date(previousUntil).toISOString()
      await keepKeyEvents(db, [changed], 'key.rotated', item.now, { previous_until })
      await markAccessChanged(db, item.now)
    }
    results.push(changed !== undefined)
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
      .returning(SHOWN_OF_KEY)
      .execute()
    await keepKeyEvents(db, rows, 'key.revoked', now, { reason: 'revoked' })
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
