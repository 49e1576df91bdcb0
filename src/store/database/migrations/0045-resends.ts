// Messages know the one whose content they send again.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`alter table messages add column resend_of ${COLUMN_TYPES[dialect].text}`.execute(db)
  // Few messages are one.
  await sql`create index messages_by_original on messages (domain_id, resend_of, id)
    where resend_of is not null`.execute(db)
}
