// The heartbeat of a shared store, by which an outage is known when it is over.

import type { Kysely } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table, which has one row at most. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('store_heartbeat')
    .addColumn('id', integer as never, (column) => column.notNull())
    .addColumn('beat_at', integer as never, (column) => column.notNull())
    .addColumn('steady_since', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('store_heartbeat_key', ['id'])
    .execute()
}
