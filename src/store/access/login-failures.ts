// Counts failed logins on all nodes, so that brute force is limited.

import type { Database } from '../database/dialect.ts'

/** A try, counted before it is known whether it succeeds. */
export interface LoginTry {
  readonly name: string
  readonly now: number
  /** After how many milliseconds counting begins anew. */
  readonly windowMs: number
}

/** Counts tries; answers how many there were in the window, this one among them, and when it began. */
export async function countLoginTry(
  db: Database,
  items: readonly LoginTry[],
): Promise<{ readonly tries: number; readonly since: number }[]> {
  const results: { tries: number; since: number }[] = []
  for (const { name, now, windowMs } of items) {
    await db
      .deleteFrom('login_failures')
      .where('since_at', '<=', now - windowMs)
      .execute()
    const row = await db
      .insertInto('login_failures')
      .values({ name, failures: 1, since_at: now })
      .onConflict((on) =>
        on.column('name').doUpdateSet((eb) => ({ failures: eb('login_failures.failures', '+', 1) })),
      )
      .returning(['failures', 'since_at'])
      .executeTakeFirstOrThrow()
    results.push({ tries: row.failures, since: row.since_at })
  }
  return results
}
countLoginTry.unaudited = true

/** Forgets the tries after a login that succeeded. */
export async function forgetLoginTries(
  db: Database,
  items: readonly { readonly name: string }[],
): Promise<true[]> {
  for (const { name } of items) await db.deleteFrom('login_failures').where('name', '=', name).execute()
  return items.map(() => true)
}
forgetLoginTries.unaudited = true
