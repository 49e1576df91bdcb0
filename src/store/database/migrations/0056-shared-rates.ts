// Token buckets of the rates that nodes share.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table; on PostgreSQL without a log, since a crash may forget what was taken in the last minutes. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  const kind = dialect === 'postgres' ? sql`unlogged table` : sql`table`
  // Rows are updated five times a second: with room in their page that needs no new index entry.
  const room = dialect === 'postgres' ? sql`with (fillfactor = 30)` : sql``
  await sql`create ${kind} shared_rates (
    name ${text} not null primary key, full_at ${integer} not null, cost ${integer} not null) ${room}`.execute(
    db,
  )
}
