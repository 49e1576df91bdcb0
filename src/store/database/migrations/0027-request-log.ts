// The log of requests that keys made of the API.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('request_log')
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('id', text as never, (column) => column.notNull())
    .addColumn('at', integer as never, (column) => column.notNull())
    .addColumn('key_id', text as never, (column) => column.notNull())
    .addColumn('domain_id', text as never)
    .addColumn('method', text as never, (column) => column.notNull())
    .addColumn('path', text as never, (column) => column.notNull())
    .addColumn('status', integer as never, (column) => column.notNull())
    .addColumn('code', text as never)
    .addColumn('duration_ms', integer as never, (column) => column.notNull())
    .addColumn('missed', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('request_log_key', ['account_id', 'id'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}
