// Mail to many: its rows, its content that is stored once, and the contents of messages that are deltas of it.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer, bytes } = COLUMN_TYPES[dialect]
  type Columns = Readonly<Record<string, typeof text>>
  const addTable = (name: string, key: readonly string[], columns: Columns, optional: Columns = {}) => {
    let builder = db.schema.createTable(name)
    for (const [column, type] of Object.entries(columns)) {
      builder = builder.addColumn(column, type as never, (made) => made.notNull())
    }
    for (const [column, type] of Object.entries(optional)) builder = builder.addColumn(column, type as never)
    return builder
      .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
      .modifyEnd(name === 'bulk_contents' ? sql`` : CLUSTERED[dialect])
      .execute()
  }
  const owner = { account_id: text, domain_id: text }
  await addTable(
    'bulks',
    ['account_id', 'id'],
    {
      ...{ id: text, ...owner, key_id: text, stream: text, status: text, retry_at: integer },
      ...{ total: integer, accepted: integer, refused: integer, contents: integer, created_at: integer },
    },
    {
      ...{ name: text, tag: text, template_id: text, subject: text, problem: text },
      ...{ lease: text, lease_until: integer, finished_at: integer },
    },
  )
  await addTable('bulk_contents', ['bulk_id'], { bulk_id: text, ...owner, source: bytes, base: bytes })
  await addTable(
    'bulk_rows',
    ['bulk_id', 'line'],
    { bulk_id: text, line: integer, ...owner, email: text },
    { data: text, message_id: text, refusal: text },
  )
  await sql`create index bulks_open on bulks (created_at) where finished_at is null`.execute(db)
  await sql`create index bulk_rows_by_any_case on bulk_rows (lower(email))`.execute(db)
  await sql`alter table message_contents add column bulk_id ${text}`.execute(db)
}
