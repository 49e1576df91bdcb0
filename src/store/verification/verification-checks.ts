// Verifications of single addresses with their results, by account; kept as long as verifications of lists.

import { beforeIdsOf } from '../../lib/ids.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { ResultName } from './verifications.ts'

export type VerificationCheck = Tables['verification_checks']

/**
 * Stores the results of single addresses. Writing the same result twice is allowed, because the response to the first
 * commit may have been lost.
 */
export async function recordChecks(
  db: Database,
  items: readonly { readonly checks: readonly VerificationCheck[] }[],
): Promise<true[]> {
  await insertRows(
    db,
    'verification_checks',
    items.flatMap(({ checks }) => checks),
    'on conflict do nothing',
  )
  return items.map(() => true)
}
recordChecks.unaudited = true
recordChecks.isJson = true

/** Removes up to `limit` checks that one account made before a time; returns whether older checks may remain. */
export async function forgetChecks(
  db: Database,
  items: readonly { readonly before: number; readonly limit: number }[],
): Promise<boolean[]> {
  const more: boolean[] = []
  for (const { before, limit } of items) {
    const end = beforeIdsOf('chk', Math.max(0, before))
    const account = await db
      .selectFrom('accounts')
      .select('id')
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('verification_checks')
            .select('verification_checks.id')
            .whereRef('verification_checks.account_id', '=', 'accounts.id')
            .where('verification_checks.id', '<', end),
        ),
      )
      .limit(1)
      .executeTakeFirst()
    if (account !== undefined) await forgetOldest(db, account.id, end, limit)
    more.push(account !== undefined)
  }
  return more
}

async function forgetOldest(db: Database, accountId: string, end: string, limit: number): Promise<void> {
  const oldest = db
    .selectFrom('verification_checks')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '<', end)
    .orderBy('id')
    .limit(limit)
  await db
    .deleteFrom('verification_checks')
    .where('account_id', '=', accountId)
    .where('id', 'in', oldest)
    .execute()
}

/** A check with the name of its API key or the email address of its user, if the key or user still exists. */
export interface NamedCheck extends VerificationCheck {
  readonly key_name: string | null
  readonly user_email: string | null
}

/** Returns the checks of an account, newest first; with `cursor`, only checks with smaller IDs. */
export function listChecks(
  read: Read,
  accountId: string,
  result: ResultName | undefined,
  limit: number,
  cursor?: string,
): Promise<NamedCheck[]> {
  return read
    .selectFrom('verification_checks as checked')
    .leftJoin('keys', 'keys.id', 'checked.key_id')
    .leftJoin('users', 'users.id', 'checked.user_id')
    .selectAll('checked')
    .select(['keys.name as key_name', 'users.email as user_email'])
    .where('checked.account_id', '=', accountId)
    .$if(cursor !== undefined, (query) => query.where('checked.id', '<', cursor ?? ''))
    .$if(result !== undefined, (query) => query.where('checked.result', '=', result as ResultName))
    .orderBy('checked.id', 'desc')
    .limit(limit)
    .execute()
}
