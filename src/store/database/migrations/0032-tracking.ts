// Tracking of opens and clicks: settings of domains and streams, and the hits of each recipient's links.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the columns, off for domains and inherited by streams, and the table. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  for (const name of ['track_opens', 'track_links']) {
    await db.schema
      .alterTable('domains')
      .addColumn(name, integer as never, (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute()
    await db.schema
      .alterTable('streams')
      .addColumn(name, integer as never)
      .execute()
  }
  let table = db.schema.createTable('tracked_links')
  for (const [name, type] of [
    ['message_id', text],
    ['position', integer],
    ['link', integer],
    ['account_id', text],
    ['domain_id', text],
    ['hits', integer],
    ['machine_hits', integer],
    ['first_at', integer],
    ['last_at', integer],
  ] as const) {
    table = table.addColumn(name, type as never, (column) => column.notNull())
  }
  await table
    .addPrimaryKeyConstraint('tracked_links_key', ['message_id', 'position', 'link'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}
