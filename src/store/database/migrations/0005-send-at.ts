// Scheduled time of a message.

import type { Kysely } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema.alterTable('messages').addColumn('send_at', COLUMN_TYPES[dialect].integer).execute()
}
