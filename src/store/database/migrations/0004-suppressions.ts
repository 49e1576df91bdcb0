// Suppressions, and returned mail that an operator has to look at.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the two tables. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer, bytes } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('suppressions')
    .addColumn('id', text as never, (column) => column.notNull())
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('domain_id', text as never, (column) => column.notNull())
    .addColumn('stream', text as never, (column) => column.notNull())
    .addColumn('email', text as never, (column) => column.notNull())
    .addColumn('reason', text as never, (column) => column.notNull())
    .addColumn('message_id', text as never)
    .addColumn('created_at', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('suppressions_key', ['domain_id', 'stream', 'email'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await db.schema
    .createIndex('suppressions_by_id')
    .on('suppressions')
    .columns(['domain_id', 'id'])
    .unique()
    .execute()
  await db.schema
    .createTable('inbox_mails')
    .addColumn('id', text as never, (column) => column.primaryKey().notNull())
    .addColumn('received_at', integer as never, (column) => column.notNull())
    .addColumn('mail_from', text as never, (column) => column.notNull())
    .addColumn('rcpt_to', text as never, (column) => column.notNull())
    .addColumn('subject', text as never, (column) => column.notNull())
    .addColumn('size', integer as never, (column) => column.notNull())
    .addColumn('raw', bytes as never, (column) => column.notNull())
    .execute()
}
