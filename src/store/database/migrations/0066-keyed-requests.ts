// Requests under an Idempotency-Key that are under way: the lease of each, and what it has committed.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the tables. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await db.schema
    .createTable('keyed_requests')
    .addColumn('key_id', text as never, (column) => column.notNull())
    .addColumn('idempotency_key', text as never, (column) => column.notNull())
    .addColumn('lease', text as never)
    .addColumn('lease_until', integer as never)
    .addPrimaryKeyConstraint('keyed_requests_key', ['key_id', 'idempotency_key'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
  await db.schema
    .createTable('keyed_request_steps')
    .addColumn('key_id', text as never, (column) => column.notNull())
    .addColumn('idempotency_key', text as never, (column) => column.notNull())
    .addColumn('step', integer as never, (column) => column.notNull())
    .addColumn('sealed', text as never, (column) => column.notNull())
    .addPrimaryKeyConstraint('keyed_request_steps_key', ['key_id', 'idempotency_key', 'step'] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}
