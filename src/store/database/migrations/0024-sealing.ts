// The key that secrets of the store are sealed with.

import type { Kysely } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('sealing')
    .addColumn('id', text as never, (column) => column.primaryKey().notNull())
    .addColumn('fingerprint', text as never, (column) => column.notNull())
    .addColumn('data_key', text as never, (column) => column.notNull())
    .addColumn('begun_at', integer as never, (column) => column.notNull())
    .addColumn('sealed_at', integer as never)
    .execute()
}
