// Suppressions of addresses that were erased: a hash of each, so that the address is not sent to and not known either.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('erased_suppressions')
    .addColumn('domain_id', text as never, (column) => column.notNull())
    .addColumn('stream', text as never, (column) => column.notNull())
    .addColumn('hash', text as never, (column) => column.notNull())
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('reason', text as never, (column) => column.notNull())
    .addColumn('created_at', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('erased_suppressions_key', ['domain_id', 'stream', 'hash'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}
