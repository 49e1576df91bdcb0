// The index of messages by status has those that ended undelivered; those that wait are found in the queue. A message of one
// recipient is no longer written when it is put off or delivered.

import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'
import { MESSAGES_BY_ENDING, makeAtOnce, makeWhereEmpty } from '../late-indexes.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`update messages set status = 'queued'
    where (domain_id, id) in (select domain_id, message_id from queue where attempts > 0)
      and status = 'sending' and recipient_count = 1`.execute(db)
  // Of recipients that a version before 0015 held back when their time had come.
  await sql`update recipients set status = 'queued'
    where (message_id, position) in (select message_id, position from queue where state <> 'scheduled')
      and status = 'scheduled'`.execute(db)
  // Where nodes of the version before still write, it is made behind the start (`operator/table-upkeep.ts`).
  await (dialect === 'postgres' ? makeWhereEmpty : makeAtOnce)(db, MESSAGES_BY_ENDING)
  // Those under a lease are found by its end: what is delivered at once is never in this one.
  await sql`create index queue_by_status on queue (domain_id,
      (case when state = 'scheduled' then 'scheduled' when attempts > 0 then 'deferred' else 'queued' end), message_id)
    where lease_until is null`.execute(db)
  // Room for most outcomes beside their rows, where no index hears of them.
  if (dialect === 'postgres') await sql`alter table recipients set (fillfactor = 60)`.execute(db)
}
