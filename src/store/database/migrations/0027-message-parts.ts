// Figures by tag, by receiving provider and by category of bounces, beside those of whole streams.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

const FIGURES = [
  ...['accepted', 'delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'cancelled'],
  ...['complained', 'unsubscribed', 'opened', 'clicked'],
  ...Array.from({ length: 25 }, (_, index) => `took_${index}`),
]
const KEY = ['account_id', 'hour_at', 'domain_id', 'stream', 'kind', 'name'] as const

/** Adds the table; it is filled from the events to come. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  let table = db.schema.createTable('message_parts')
  for (const column of KEY) {
    const type = column === 'hour_at' ? integer : text
    table = table.addColumn(column, type as never, (made) => made.notNull())
  }
  for (const column of FIGURES) table = table.addColumn(column, integer as never, (made) => made.notNull())
  await table
    .addPrimaryKeyConstraint('message_parts_key', [...KEY] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}
