// The account that operates the installation: the first one that was created. The store records its ID, since the IDs
// of accounts follow the clocks of the nodes that created them, and a clock may be behind.

import { type RawBuilder, sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { keepFact } from '../node/installation.ts'

const FACT = 'operating_account'

/** ID of the operating account as part of a query; null without accounts. */
export const OPERATING_ACCOUNT: RawBuilder<string | null> = sql`(
  select value from installation where name = ${FACT})`

/** Returns the ID of the operating account; undefined without accounts. */
export async function operatingAccountId(read: Read | Database): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`select ${OPERATING_ACCOUNT} as id`.execute(read)
  return rows[0]?.id ?? undefined
}

/**
 * Records an account that is about to be created as the operating one, unless there is one; returns the ID of the
 * operating account. Waits for another node that is just creating the first account.
 */
export async function keepOperatingAccount(db: Database, id: string): Promise<string> {
  const value = (await operatingAccountId(db)) ?? id
  const [kept = value] = await keepFact(db, [{ name: FACT, value }])
  return kept
}
