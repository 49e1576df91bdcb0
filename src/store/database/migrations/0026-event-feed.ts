// The feed: every event in the order in which it is followed.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/**
 * Adds the tables and the reader that fills them, from the end of the log on: what an earlier version logged has no IDs
 * of events. Earlier events remain with their messages.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('event_feed')
    .addColumn('domain_id', text as never, (column) => column.notNull())
    .addColumn('position', integer as never, (column) => column.notNull())
    .addColumn('type', text as never, (column) => column.notNull())
    .addColumn('message_id', text as never, (column) => column.notNull())
    .addColumn('event_id', text as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('event_feed_key', ['domain_id', 'position'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await db.schema
    .createTable('event_feed_ends')
    .addColumn('domain_id', text as never, (column) => column.primaryKey())
    .addColumn('position', integer as never, (column) => column.notNull())
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await sql`create index event_feed_ends_by_position on event_feed_ends (position)`.execute(db)
  await sql`
    insert into event_log_readers (name, position)
    select 'feed', coalesce(max(position), 0) from event_log_readers`.execute(db)
}
