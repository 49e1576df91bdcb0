// Times of change that a start of an earlier version had set to the end of time: the message's last event tells them.

import { type Kysely, sql } from 'kysely'

/** Beyond it no date is valid (ECMA-262 §21.4.1.1). */
const MAX_TIME = 8_640_000_000_000_000

/** Sets them right. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update messages
    set updated_at = coalesce(
      (select max(last_event_at) from recipients where recipients.message_id = messages.id), created_at)
    where updated_at > ${MAX_TIME}`.execute(db)
}
