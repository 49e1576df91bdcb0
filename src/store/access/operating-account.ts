// The account that operates the installation: the first one that was made. The store keeps which one that is, since the
// IDs of accounts follow the clocks of the nodes that made them, and one of those may be behind.

import { type RawBuilder, sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { keepFact } from '../node/installation.ts'

const FACT = 'operating_account'

/** Its ID, as part of a query; null while there is no account. */
export const OPERATING_ACCOUNT: RawBuilder<string | null> = sql`(
  select value from installation where name = ${FACT})`

/** Its ID; undefined while there is no account. */
export async function operatingAccountId(read: Read | Database): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`select ${OPERATING_ACCOUNT} as id`.execute(read)
  return rows[0]?.id ?? undefined
}

/**
 * Keeps an account that is about to be made as the operating one, unless there is one; answers the operating one. Waits for
 * another node that is just making the first account.
 */
export async function keepOperatingAccount(db: Database, id: string): Promise<string> {
  const value = (await operatingAccountId(db)) ?? id
  const [kept = value] = await keepFact(db, [{ name: FACT, value }])
  return kept
}
