// Recipients are found by their address in any case: the index by address holds it in lower case.

import { type Kysely, sql } from 'kysely'

/** Replaces the index; what asks for one spelling finds it by the same one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index recipients_by_any_case on recipients (domain_id, lower(email), message_id)`.execute(
    db,
  )
  await sql`drop index recipients_by_email`.execute(db)
}
