// A lock of PostgreSQL that one session holds: for work that outlives every lease, since it ends with that session alone.

import { type Kysely, sql } from 'kysely'
import type { Tables } from './schema.ts'

/**
 * Runs work on a session that holds the lock of this name, unless another one holds it: then answers false at once. Also
 * what a session still does whose node has died, or has not waited for it, is done under its lock.
 */
export const ifUnlocked = (
  db: Kysely<Tables>,
  name: string,
  work: (session: Kysely<Tables>) => Promise<void>,
): Promise<boolean> =>
  db.connection().execute(async (session) => {
    const key = sql`hashtextextended(${`postrider ${name}`}, 0)`
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${key}) as held`.execute(
      session,
    )
    if (rows[0]?.held !== true) return false
    try {
      await work(session)
    } finally {
      // A connection that broke has ended its session, or will.
      await sql`select pg_advisory_unlock(${key})`.execute(session).catch(() => {})
    }
    return true
  })
