// Address lists keep their name and the columns that came with the addresses.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text } = COLUMN_TYPES[dialect]
  await sql`alter table verifications add column name ${text}`.execute(db)
  await sql`alter table verifications add column columns ${text}`.execute(db)
  await sql`alter table verification_addresses add column cells ${text}`.execute(db)
}
