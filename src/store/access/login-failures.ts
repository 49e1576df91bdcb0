// Counts failed logins on all nodes, to limit brute-force attacks.

import type { Database } from '../database/dialect.ts'

/** A login attempt, counted before its result is known. */
export interface LoginTry {
  readonly name: string
  readonly now: number
  /** Length of the window in milliseconds; the count restarts after each window. */
  readonly windowMs: number
}

/**
 * Counts login attempts; returns the number of attempts in the current window, including this attempt, and the start of
 * the window.
 */
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

/** Removes the count of login attempts after a successful login. */
export async function forgetLoginTries(
  db: Database,
  items: readonly { readonly name: string }[],
): Promise<true[]> {
  for (const { name } of items) await db.deleteFrom('login_failures').where('name', '=', name).execute()
  return items.map(() => true)
}
forgetLoginTries.unaudited = true
