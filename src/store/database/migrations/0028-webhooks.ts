// Webhooks, and their deliveries.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the tables. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('webhooks')
    .addColumn('id', text as never, (column) => column.primaryKey())
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('domain_id', text as never, (column) => column.notNull())
    .addColumn('name', text as never, (column) => column.notNull())
    .addColumn('url', text as never, (column) => column.notNull())
    .addColumn('format', text as never, (column) => column.notNull())
    .addColumn('event_types', text as never, (column) => column.notNull())
    .addColumn('streams', text as never, (column) => column.notNull())
    .addColumn('tags', text as never, (column) => column.notNull())
    .addColumn('batch', integer as never, (column) => column.notNull())
    .addColumn('secrets', text as never, (column) => column.notNull())
    .addColumn('status', text as never, (column) => column.notNull())
    .addColumn('disabled_reason', text as never)
    .addColumn('disabled_at', integer as never)
    .addColumn('position', integer as never, (column) => column.notNull())
    .addColumn('replay_position', integer as never)
    .addColumn('replay_until', integer as never)
    .addColumn('due_at', integer as never)
    .addColumn('resume_at', integer as never)
    .addColumn('failures', integer as never, (column) => column.notNull())
    .addColumn('failing_since', integer as never)
    .addColumn('lease', text as never)
    .addColumn('lease_until', integer as never)
    .addColumn('created_at', integer as never, (column) => column.notNull())
    .addColumn('updated_at', integer as never, (column) => column.notNull())
    .execute()
  await sql`create index webhooks_by_domain on webhooks (domain_id, id)`.execute(db)
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('webhook_id', text as never, (column) => column.notNull())
    .addColumn('id', text as never, (column) => column.notNull())
    .addColumn('account_id', text as never, (column) => column.notNull())
    .addColumn('domain_id', text as never, (column) => column.notNull())
    .addColumn('event_id', text as never, (column) => column.notNull())
    .addColumn('event_type', text as never, (column) => column.notNull())
    .addColumn('message_id', text as never, (column) => column.notNull())
    .addColumn('positions', text as never, (column) => column.notNull())
    .addColumn('status', text as never, (column) => column.notNull())
    .addColumn('attempts', integer as never, (column) => column.notNull())
    .addColumn('log', text as never, (column) => column.notNull())
    .addColumn('due_at', integer as never)
    .addPrimaryKeyConstraint('webhook_deliveries_key', ['webhook_id', 'id'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await sql`
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at)
    where due_at is not null`.execute(db)
}
