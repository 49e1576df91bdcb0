// Templates and layouts keep the model that they are previewed with.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text } = COLUMN_TYPES[dialect]
  await sql`alter table templates add column sample_model ${text}`.execute(db)
  await sql`alter table layouts add column sample_model ${text}`.execute(db)
}
