// The log of events that readers follow, one row for each commit, and how far each reader has come.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds both tables. What is derived from earlier events was written together with them. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('event_log')
    .addColumn('position', integer as never, (column) => column.primaryKey())
    .addColumn('written_at', integer as never, (column) => column.notNull())
    .addColumn('events', text as never, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('event_log_readers')
    .addColumn('name', text as never, (column) => column.primaryKey())
    .addColumn('position', integer as never, (column) => column.notNull())
    .execute()
  for (const name of ['figures', 'search']) {
    await sql`insert into event_log_readers (name, position) values (${sql.lit(name)}, 0)`.execute(db)
  }
}
