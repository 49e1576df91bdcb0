// How long domains and streams keep what is theirs, and how far the removal of old messages has come.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the columns, which inherit, and the two tables. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  for (const table of ['domains', 'streams']) {
    for (const kind of ['content', 'transcript', 'record']) {
      await db.schema
        .alterTable(table)
        .addColumn(`${kind}_retention_days`, integer as never)
        .execute()
    }
  }
  await db.schema
    .alterTable('streams')
    .addColumn('store_content', integer as never, (column) => column.notNull().defaultTo(sql.lit(1)))
    .execute()
  await sql`create index streams_without_content on streams (domain_id) where store_content = 0`.execute(db)
  const sweep = ['kind', 'domain_id', 'stream'] as const
  const addTable = (name: string, key: readonly string[]): Promise<void> => {
    let builder = db.schema.createTable(name)
    for (const column of [...sweep, 'message_id']) {
      builder = builder.addColumn(column, text as never, (made) => made.notNull())
    }
    return builder
      .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
      .modifyEnd(CLUSTERED[dialect])
      .execute()
  }
  await addTable('retention_marks', sweep)
  await addTable('retention_skipped', [...sweep, 'message_id'])
}
