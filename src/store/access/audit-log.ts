// The append-only audit log of each account: the actor, object, time and client address of each change.

import { beforeIdsOf } from '../../lib/ids.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { operatingAccountId } from './operating-account.ts'

export type AuditRow = Tables['audit_log']

/** An entry of the audit log; an entry without an account belongs to the account that operates the installation. */
export type AuditEntry = Omit<AuditRow, 'account_id'> & { readonly account_id: string | null }

/** Writes entries of the audit log. An entry without an account is dropped if the installation has no accounts. */
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
  // An invitation to the address of another account's user is logged like any other invitation, so that the log does
  // not reveal that user.
  'has_login',
])

/** True if the result of a write means that data was changed; false for a refusal. */
export function saysChanged(result: unknown): boolean {
  if (typeof result === 'string') return WORDS_OF_CHANGE.has(result)
  if (typeof result !== 'object' || result === null) return Boolean(result)
  if ('kind' in result) return WORDS_OF_CHANGE.has(String(result.kind))
  if ('removed' in result) return Number(result.removed) > 0
  if ('recipients' in result) return Number(result.recipients) > 0
  return !('usedBy' in result)
}

/** Filter of the audit log. */
export interface AuditFilter {
  /** ID of a user, name of a key, or the text in the `actor` column, such as an email address. */
  readonly actor?: string | undefined
  /**
   * Name of an action, such as `key.create`, or a prefix such as `key` for all actions with names that begin with
   * `key.`.
   */
  readonly action?: string | undefined
  /** Start of the time range, inclusive, in milliseconds since the epoch. */
  readonly after?: number | undefined
  /** End of the time range, exclusive, in milliseconds since the epoch. */
  readonly before?: number | undefined
}

/** Returns the audit log entries of an account, newest first. */
export function listAudit(
  read: Read,
  accountId: string,
  { actor, action, after, before }: AuditFilter,
  limit: number,
  cursor?: string,
): Promise<AuditRow[]> {
  let query = read.selectFrom('audit_log').selectAll().where('account_id', '=', accountId)
  if (actor !== undefined) {
    // The actor of a key is `key NAME (…LAST4)`; the character after `(` in ASCII is `)`.
    query = query.where((eb) =>
      eb.or([
        eb('user_id', '=', actor),
        eb('actor', '=', actor),
        eb.and([eb('actor', '>=', `key ${actor} (`), eb('actor', '<', `key ${actor} )`)]),
      ]),
    )
  }
  if (action !== undefined) {
    // `/` follows `.` in ASCII, so the range from `key.` to `key/` contains all actions with the prefix `key.`.
    query = action.includes('.')
      ? query.where('action', '=', action)
      : query.where('action', '>=', `${action}.`).where('action', '<', `${action}/`)
  }
  if (after !== undefined) query = query.where('id', '>=', beforeIdsOf('aud', after))
  if (before !== undefined) query = query.where('id', '<', beforeIdsOf('aud', before))
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.orderBy('id', 'desc').limit(limit).execute()
}
