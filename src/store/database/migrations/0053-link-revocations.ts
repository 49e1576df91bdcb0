// Links that need no login can be revoked before they expire.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the table. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('link_revocations')
    .addColumn('subject', text as never, (column) => column.notNull())
    .addColumn('revoked_at', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('link_revocations_key', ['subject'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}
