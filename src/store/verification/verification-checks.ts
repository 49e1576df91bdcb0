// Verifications of single addresses with their results, by account; kept as long as verifications of lists.

import { sql } from 'kysely'
import { beforeIdsOf } from '../../lib/ids.ts'
import { inAnyCase } from '../../model/address.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
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

/** Selection of checks; an empty filter selects all checks. */
export interface CheckFilter {
  readonly result?: ResultName | undefined
  /** Part of the address, in any case. */
  readonly text?: string | undefined
}

/** Maximum number of checks that one statement reads, so that other reads can run between two statements. */
const STRETCH = 10_000

/**
 * Returns the checks of an account, newest first; with `cursor`, only checks with smaller IDs. A filtered search reads
 * one range of checks at a time, because few of many checks may match.
 */
export async function listChecks(
  read: Read,
  accountId: string,
  { result, text }: CheckFilter,
  limit: number,
  cursor?: string,
): Promise<NamedCheck[]> {
  const some = read
    .selectFrom('verification_checks as checked')
    .leftJoin('keys', 'keys.id', 'checked.key_id')
    .leftJoin('users', 'users.id', 'checked.user_id')
    .selectAll('checked')
    .select(['keys.name as key_name', 'users.email as user_email'])
    .where('checked.account_id', '=', accountId)
    .$if(result !== undefined, (query) => query.where('checked.result', '=', result as ResultName))
    .$if(text !== undefined, (query) => query.where(contains(read, text ?? '')))
    .orderBy('checked.id', 'desc')
  const isFiltered = result !== undefined || text !== undefined
  const found: NamedCheck[] = []
  for (let before = cursor; ; ) {
    const end = isFiltered ? await endOfStretch(read, accountId, before) : undefined
    const stretch = some
      .$if(before !== undefined, (query) => query.where('checked.id', '<', before ?? ''))
      .$if(end !== undefined, (query) => query.where('checked.id', '>=', end ?? ''))
    found.push(...(await stretch.limit(limit - found.length).execute()))
    if (end === undefined || found.length >= limit) return found
    before = end
  }
}

/** Returns the ID of the last check of a stretch; undefined if fewer checks remain. */
async function endOfStretch(
  read: Read,
  accountId: string,
  before: string | undefined,
): Promise<string | undefined> {
  const last = await read
    .selectFrom('verification_checks')
    .select('id')
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .offset(STRETCH - 1)
    .limit(1)
    .executeTakeFirst()
  return last?.id
}

const contains = (read: Read, text: string) =>
  sql<boolean>`${sql.raw(isPostgres(read) ? 'strpos' : 'instr')}(lower(checked.email), ${inAnyCase(text)}) > 0`
