// Everything about an address is found by index, in any case, in the tables that have a row for each address.

import { type Kysely, sql } from 'kysely'

const TABLES = ['suppressions', 'unsubscribe_links', 'verification_addresses']

/** Adds an index to each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES) {
    await sql`create index ${sql.id(`${table}_by_any_case`)} on ${sql.table(table)} (lower(email))`.execute(
      db,
    )
  }
}
