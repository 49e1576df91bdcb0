// Deliveries whose outcomes are not written yet are noted where a node that is gone with its disk has left them.

import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/** Adds the table. PostgreSQL writes no log for it, so that a note costs no sync. SQLite has no use for it. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const [unlogged, text, integer] =
    dialect === 'postgres'
      ? [sql`unlogged`, sql`text collate "C"`, sql`int8`]
      : [sql``, sql`text`, sql`integer`]
  await sql`create ${unlogged} table delivery_notes (
    message_id ${text} not null, position ${integer} not null, lease ${text} not null, attempt ${text} not null,
    at ${integer} not null, constraint delivery_notes_key primary key (message_id, position))`.execute(db)
}
