// The queue gets lanes, so that claiming costs the same however long it is, and remembers what went wrong before.

import { type Kysely, sql } from 'kysely'
import { COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the columns, sorts what waits into lanes, and replaces the index of the queue. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  const add = (table: string, name: string, type: typeof text, zero: boolean): Promise<void> =>
    db.schema
      .alterTable(table)
      .addColumn(name, type as never, (column) => (zero ? column.notNull().defaultTo(0) : column))
      .execute()
  await add('messages', 'expires_at', integer, false)
  await add('recipients', 'lane', text, false)
  await add('recipients', 'faults', integer, true)
  await add('recipients', 'possible_duplicate', integer, true)
  await sql`
    update recipients set lane = case when lease is null then 'waiting' else 'leased' end
    where next_attempt_at is not null`.execute(db)
  await db.schema.dropIndex('recipients_due').execute()
  // Rows that have nothing more to wait for leave these indexes.
  await db.schema
    .createIndex('recipients_by_lane')
    .on('recipients')
    .columns(['lane', 'next_attempt_at'])
    .where(sql.ref('lane'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('recipients_by_destination')
    .on('recipients')
    .column('destination')
    .where(sql.ref('lane'), 'is not', null)
    .execute()
}
