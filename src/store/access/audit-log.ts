// The audit log: who changed what, when and from where; append-only, by account.

import { beforeIdsOf } from '../../lib/ids.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { operatingAccountId } from './operating-account.ts'

export type AuditRow = Tables['audit_log']

/** An entry; an entry without an account belongs to the account that operates the installation. */
export type AuditEntry = Omit<AuditRow, 'account_id'> & { readonly account_id: string | null }

/** Writes entries. An entry without an account is dropped if there is no account at all. */
export async function recordAudit(db: Database, items: readonly AuditEntry[]): Promise<true[]> {
  for (const { account_id: given, ...entry } of items) {
    const account_id = given ?? (await operatingAccountId(db))
    if (account_id !== undefined) await insertRows(db, 'audit_log', [{ ...entry, account_id }])
  }
  return items.map(() => true)
}
recordAudit.unaudited = true

const WORDS_OF_CHANGE = new Set([
  ...['accepted', 'saved', 'created', 'deleted', 'archived', 'changed', 'done'],
  // An invitation that cannot be accepted is logged like any other, so that it cannot be told apart.
  'has_login',
])

/** True if the result of a write says that something changed, and is not a refusal. */
export function saysChanged(result: unknown): boolean {
  if (typeof result === 'string') return WORDS_OF_CHANGE.has(result)
  if (typeof result !== 'object' || result === null) return Boolean(result)
  if ('kind' in result) return WORDS_OF_CHANGE.has(String(result.kind))
  if ('removed' in result) return Number(result.removed) > 0
  if ('recipients' in result) return Number(result.recipients) > 0
  return !('usedBy' in result)
}

/** Filter of the log. */
export interface AuditFilter {
  /** ID of a user, or the actor's address. */
  readonly actor?: string | undefined
  /** An action such as `key.create`, or all actions on a noun such as `key`. */
  readonly action?: string | undefined
  /** Milliseconds since the epoch: at or after. */
  readonly after?: number | undefined
  /** Milliseconds since the epoch: before. */
  readonly before?: number | undefined
}

/** Returns the entries of an account, newest first. */
export function listAudit(
  read: Read,
  accountId: string,
  { actor, action, after, before }: AuditFilter,
  limit: number,
  cursor?: string,
): Promise<AuditRow[]> {
  let query = read.selectFrom('audit_log').selectAll().where('account_id', '=', accountId)
  if (actor !== undefined) {
    query = query.where((eb) => eb.or([eb('user_id', '=', actor), eb('actor', '=', actor)]))
  }
  if (action !== undefined) {
    // `/` is the character after `.`
    query = action.includes('.')
      ? query.where('action', '=', action)
      : query.where('action', '>=', `${action}.`).where('action', '<', `${action}/`)
  }
  if (after !== undefined) query = query.where('id', '>=', beforeIdsOf('aud', after))
  if (before !== undefined) query = query.where('id', '<', beforeIdsOf('aud', before))
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.orderBy('id', 'desc').limit(limit).execute()
}
