// Bytes of messages that each account stores, and an account's own limit of them.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/**
 * Adds both, and counts the messages that are there. Their events, read or not, name no size in the event log, so that
 * its reader adds later messages only.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('stored_bytes')
    .addColumn('account_id', text as never, (column) => column.primaryKey())
    .addColumn('bytes', integer as never, (column) => column.notNull())
    .execute()
  await sql`
    insert into stored_bytes (account_id, bytes)
    select account_id, sum(size) from messages group by account_id`.execute(db)
  await db.schema
    .alterTable('accounts')
    .addColumn('stored_bytes_limit', integer as never)
    .execute()
}
