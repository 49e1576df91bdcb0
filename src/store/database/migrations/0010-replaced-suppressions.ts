// What an unsubscribing or a complaint has taken the place of, so that taking it back brings that back.

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
