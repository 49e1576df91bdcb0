// Streams have a look for their unsubscribe page, and nodes tell their load.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text } = COLUMN_TYPES[dialect]
  await sql`alter table streams add column brand ${text}`.execute(db)
  await sql`alter table nodes add column load ${text}`.execute(db)
}
