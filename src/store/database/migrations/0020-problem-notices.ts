// Notices sent to owners about the problems of their account.

import type { Kysely } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('problem_notices')
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('problem', text as never, (column) => column.notNull())
    .addColumn('title', text as never, (column) => column.notNull())
    .addColumn('seen_at', integer as never, (column) => column.notNull())
    .addColumn('told_at', integer as never)
    .addColumn('gone_at', integer as never)
    .addPrimaryKeyConstraint('problem_notices_key', ['account_id', 'problem'])
    .execute()
}
