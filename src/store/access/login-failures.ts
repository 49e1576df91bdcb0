// Counts failed logins on all nodes, to limit brute-force attacks.

import type { Database } from '../database/dialect.ts'

/** Counter of the login attempts of one client or of all clients, with the maximum number in a window. */
export interface TryCounter {
  readonly name: string
  readonly max: number
}

/** A login attempt, counted before its result is known. */
export interface LoginTry {
  /** Counters in the order in which they count; a counter above its maximum ends the counting. */
  readonly counters: readonly TryCounter[]
  readonly now: number
  /** Length of the window in milliseconds; the count restarts after each window. */
  readonly windowMs: number
}

/**
 * Counts login attempts; returns the start of the window of the first counter that is above its maximum, or null if none
 * is.
 */
export async function countLoginTry(db: Database, items: readonly LoginTry[]): Promise<(number | null)[]> {
  const results: (number | null)[] = []
  for (const item of items) results.push(await countOne(db, item))
  return results
}
countLoginTry.unaudited = true

async function countOne(db: Database, { counters, now, windowMs }: LoginTry): Promise<number | null> {
  await db
    .deleteFrom('login_failures')
    .where('since_at', '<=', now - windowMs)
    .execute()
  for (const { name, max } of counters) {
    const row = await db
      .insertInto('login_failures')
      .values({ name, failures: 1, since_at: now })
      .onConflict((on) =>
        on.column('name').doUpdateSet((eb) => ({ failures: eb('login_failures.failures', '+', 1) })),
      )
      .returning(['failures', 'since_at'])
      .executeTakeFirstOrThrow()
    if (row.failures > max) return row.since_at
  }
  return null
}

/** Removes the count of login attempts after a successful login. */
export async function forgetLoginTries(
  db: Database,
  items: readonly { readonly name: string }[],
): Promise<true[]> {
  for (const { name } of items) await db.deleteFrom('login_failures').where('name', '=', name).execute()
  return items.map(() => true)
}
forgetLoginTries.unaudited = true
