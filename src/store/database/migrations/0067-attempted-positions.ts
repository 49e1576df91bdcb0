// How far ahead of its position a webhook's events have had attempts.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the column. Webhooks that have had attempts before look for them once. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .alterTable('webhooks')
    .addColumn('attempted_to', COLUMN_TYPES[dialect].integer as never, (column) =>
      column.notNull().defaultTo(sql.lit(0)),
    )
    .execute()
  await sql`update webhooks set attempted_to = position + 1`.execute(db)
}
