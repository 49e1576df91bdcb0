// Templates with their versions, layouts, streams, and the links by which people unsubscribe.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the tables, and gives every domain its first two streams. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  const table = (name: string, key: readonly string[], columns: Record<string, string>): Promise<void> => {
    let builder = db.schema.createTable(name)
    for (const [column, description] of Object.entries(columns)) {
      const type = (description.startsWith('text') ? text : integer) as never
      builder = builder.addColumn(column, type, (made) =>
        description.endsWith('null') ? made : made.notNull(),
      )
    }
    return builder
      .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
      .modifyEnd(CLUSTERED[dialect])
      .execute()
  }
  const uniqueAlias = (name: string): Promise<void> =>
    db.schema.createIndex(`${name}_by_alias`).on(name).columns(['domain_id', 'alias']).unique().execute()
  const owner = { account_id: 'text', domain_id: 'text' }
  const times = { created_at: 'integer', updated_at: 'integer' }

  await table('layouts', ['domain_id', 'id'], {
    id: 'text',
    ...owner,
    alias: 'text null',
    name: 'text',
    html: 'text null',
    text: 'text null',
    version: 'integer',
    ...times,
  })
  await uniqueAlias('layouts')
  await table('templates', ['domain_id', 'id'], {
    id: 'text',
    ...owner,
    alias: 'text null',
    name: 'text',
    subject: 'text null',
    html: 'text null',
    text: 'text null',
    layout_id: 'text null',
    required_paths: 'text',
    inline_css: 'integer',
    version: 'integer',
    ...times,
  })
  await uniqueAlias('templates')
  await db.schema
    .createIndex('templates_by_layout')
    .on('templates')
    .columns(['domain_id', 'layout_id'])
    .execute()
  await table('template_versions', ['template_id', 'version'], {
    template_id: 'text',
    version: 'integer',
    ...owner,
    saved_by: 'text',
    snapshot: 'text',
    created_at: 'integer',
  })
  await table('streams', ['domain_id', 'alias'], {
    alias: 'text',
    ...owner,
    name: 'text',
    kind: 'text',
    rate: 'text null',
    retry_for_ms: 'integer null',
    sending_allowance: 'integer null',
    headers: 'text',
    used: 'integer',
    archived_at: 'integer null',
    ...times,
  })
  await table('unsubscribe_links', ['token'], {
    token: 'text',
    ...owner,
    stream: 'text',
    email: 'text',
    message_id: 'text',
    position: 'integer',
    created_at: 'integer',
  })
  for (const [alias, name] of [
    ['transactional', 'Transactional'],
    ['broadcast', 'Broadcast'],
  ]) {
    await sql`
      insert into streams (alias, account_id, domain_id, name, kind, headers, used, created_at, updated_at)
      select ${sql.lit(alias)}, account_id, id, ${sql.lit(name)}, ${sql.lit(alias)}, '{}', 1, created_at, created_at
      from domains`.execute(db)
  }
}
