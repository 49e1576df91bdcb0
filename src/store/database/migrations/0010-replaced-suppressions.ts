// Suppressions that an unsubscription or a complaint has replaced, so that taking it back restores them.

import type { Kysely } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the column. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text } = COLUMN_TYPES[dialect]
  await db.schema
    .alterTable('suppressions')
    .addColumn('replaced', text as never)
    .execute()
}
