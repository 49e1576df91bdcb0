// Messages that are on their way leave the index of states: it was written four times for each of them.

import { type Kysely, sql } from 'kysely'

/** Makes the index anew without them; they are found by their waiting recipients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_by_status`.execute(db)
  await sql`
    create index messages_by_status on messages (domain_id, status, id)
    where status <> 'delivered' and status <> 'queued' and status <> 'sending'`.execute(db)
}
