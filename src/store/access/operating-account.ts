// The account that operates the installation is the account that was created first. The store records the ID of this
// account, because account IDs are ordered by the clocks of the creating nodes, and a clock may be slow.

import { type RawBuilder, sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { keepFact } from '../node/installation.ts'

const FACT = 'operating_account'

/** SQL expression for the ID of the operating account; null if there are no accounts. */
export const OPERATING_ACCOUNT: RawBuilder<string | null> = sql`(
  select value from installation where name = ${FACT})`

/** Returns the ID of the operating account; undefined if there are no accounts. */
export async function operatingAccountId(read: Read | Database): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`select ${OPERATING_ACCOUNT} as id`.execute(read)
  return rows[0]?.id ?? undefined
}

/**
 * Makes an account that is about to be created the operating account, unless there already is an operating account;
 * returns the ID of the operating account. Waits for another node that is creating the first account.
 */
export async function keepOperatingAccount(db: Database, id: string): Promise<string> {
  const value = (await operatingAccountId(db)) ?? id
  const [kept = value] = await keepFact(db, [{ name: FACT, value }])
  return kept
}
