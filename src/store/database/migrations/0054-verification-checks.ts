// Verifications of single addresses are kept, as those of lists are.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table, in which everything about an address is found by index, in any case. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('verification_checks')
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('id', text as never, (column) => column.notNull())
    .addColumn('email', text as never, (column) => column.notNull())
    .addColumn('result', text as never, (column) => column.notNull())
    .addColumn('answer', text as never, (column) => column.notNull())
    .addColumn('key_id', text as never)
    .addColumn('user_id', text as never)
    .addColumn('checked_at', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('verification_checks_key', ['account_id', 'id'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await sql`create index verification_checks_by_any_case on verification_checks (lower(email))`.execute(db)
}
