// Removes entries of the audit log, entries of the request log and message counts that exceed their retention.

import { beforeIdsOf } from '../../lib/ids.ts'
import type { Database, Read } from '../database/dialect.ts'

/** Earliest times that are kept, for each kind of data, in milliseconds since the epoch. */
export interface KeptSince {
  readonly audit: number
  readonly figures: number
  readonly requests: number
}

const HOUR_MS = 3_600_000
/** Number of rows of message counts that a busy account has per hour. */
const ROWS_OF_AN_HOUR = 40

/** Returns the accounts with entries older than these times, found by the first rows of each account. */
export async function findAccountsWithHistory(
  read: Read,
  { audit, figures, requests }: KeptSince,
): Promise<string[]> {
  const rows = await read
    .selectFrom('accounts')
    .select('id')
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('audit_log')
            .select('audit_log.id')
            .whereRef('audit_log.account_id', '=', 'accounts.id')
            .where('audit_log.id', '<', beforeIdsOf('aud', audit)),
        ),
        exists(
          selectFrom('request_log')
            .select('request_log.id')
            .whereRef('request_log.account_id', '=', 'accounts.id')
            .where('request_log.id', '<', beforeIdsOf('rql', requests)),
        ),
        exists(
          selectFrom('message_counts')
            .select('hour_at')
            .whereRef('message_counts.account_id', '=', 'accounts.id')
            .where('hour_at', '<', figures),
        ),
      ]),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Removes the oldest entries of an account, about `limit` rows of each kind; the result is false if no entry was left
 * to remove.
 */
export async function forgetHistory(
  db: Database,
  items: readonly (KeptSince & { readonly accountId: string; readonly limit: number })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, audit, figures, requests, limit } of items) {
    const audited = await forgetEntries(db, 'audit_log', accountId, beforeIdsOf('aud', audit), limit)
    const counted = await forgetFigures(db, accountId, figures, limit)
    const logged = await forgetEntries(db, 'request_log', accountId, beforeIdsOf('rql', requests), limit)
    results.push(audited || counted || logged)
  }
  return results
}

async function forgetEntries(
  db: Database,
  log: 'audit_log' | 'request_log',
  accountId: string,
  before: string,
  limit: number,
): Promise<boolean> {
  const oldest = await db
    .selectFrom(log)
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = oldest.at(-1)
  if (last === undefined) return false
  await db.deleteFrom(log).where('account_id', '=', accountId).where('id', '<=', last.id).execute()
  if (log === 'request_log') {
    await db
      .deleteFrom('refused_recipients')
      .where('account_id', '=', accountId)
      .where('request_id', '<=', last.id)
      .execute()
  }
  return true
}

async function forgetFigures(
  db: Database,
  accountId: string,
  before: number,
  limit: number,
): Promise<boolean> {
  const oldest = await db
    .selectFrom('message_counts')
    .select('hour_at')
    .where('account_id', '=', accountId)
    .where('hour_at', '<', before)
    .orderBy('hour_at')
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return false
  const hours = Math.ceil(limit / ROWS_OF_AN_HOUR)
  // Every hour in `message_parts` also occurs in `message_counts`.
  for (const table of ['message_parts', 'message_counts'] as const) {
    await db
      .deleteFrom(table)
      .where('account_id', '=', accountId)
      .where('hour_at', '<', Math.min(before, Number(oldest.hour_at) + hours * HOUR_MS))
      .execute()
  }
  return true
}
