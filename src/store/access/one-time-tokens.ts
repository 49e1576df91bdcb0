// Single-use tokens of links and challenges, valid for a limited time and stored only as hashes.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

type Token = Tables['one_time_tokens']

/** Stores tokens, and removes expired tokens. */
export async function keepToken(
  db: Database,
  items: readonly { readonly token: Token; readonly now: number }[],
): Promise<true[]> {
  for (const { token, now } of items) {
    await db.deleteFrom('one_time_tokens').where('expires_at', '<=', now).execute()
    await insertRows(db, 'one_time_tokens', [token])
  }
  return items.map(() => true)
}
keepToken.unaudited = true

/** Uses up tokens; the result is undefined if the token is unknown, used, expired or for another purpose. */
export async function takeToken(
  db: Database,
  items: readonly { readonly hash: string; readonly purpose: Token['purpose']; readonly now: number }[],
): Promise<({ readonly userId: string | null } | undefined)[]> {
  const results: ({ userId: string | null } | undefined)[] = []
  for (const { hash, purpose, now } of items) {
    const row = await db
      .deleteFrom('one_time_tokens')
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .returning(['user_id', 'expires_at'])
      .executeTakeFirst()
    results.push(row === undefined || row.expires_at <= now ? undefined : { userId: row.user_id })
  }
  return results
}
takeToken.unaudited = true

/** True if `takeToken` would accept the token. */
export async function isTokenGood(
  read: Read,
  { hash, purpose, now }: { readonly hash: string; readonly purpose: Token['purpose']; readonly now: number },
): Promise<boolean> {
  const row = await read
    .selectFrom('one_time_tokens')
    .select('hash')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Records the use of signed tokens, which are not stored when they are issued; the result is false for a token that was
 * used before.
 */
export async function spendToken(
  db: Database,
  items: readonly { readonly token: Token; readonly now: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { token, now } of items) {
    await db.deleteFrom('one_time_tokens').where('expires_at', '<=', now).execute()
    const rows = await db
      .insertInto('one_time_tokens')
      .values(token)
      .onConflict((on) => on.column('hash').doNothing())
      .returning('hash')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
spendToken.unaudited = true
