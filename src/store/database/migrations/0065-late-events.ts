// Events that stand late in the feed, and the end of a replay by the time of its events.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('late_events')
    .addColumn('at_minute', integer as never, (column) => column.notNull())
    .addColumn('position_minute', integer as never, (column) => column.notNull())
    .addColumn('first_position', integer as never, (column) => column.notNull())
    .addColumn('last_position', integer as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('late_events_key', ['at_minute', 'position_minute'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await db.schema.createIndex('late_events_by_position').on('late_events').column('last_position').execute()
  await db.schema
    .alterTable('webhooks')
    .addColumn('replay_before', integer as never)
    .execute()
}
