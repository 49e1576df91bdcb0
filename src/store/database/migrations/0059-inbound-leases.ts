// Claims of inbound messages name their holder, which takes them back when it is started again.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Without a default, so that no row is rewritten. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`alter table inbound_messages add column lease ${COLUMN_TYPES[dialect].text}`.execute(db)
}
