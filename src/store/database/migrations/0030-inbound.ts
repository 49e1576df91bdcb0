// Inbound messages: the addresses of streams, what came for them, and the bytes of it by account.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds the tables. The raw message and what was read of it are rows of their own, so that neither is rewritten. */
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
      .modifyEnd(name === 'inbound_contents' ? sql`` : CLUSTERED[dialect])
      .execute()
  }
  const owner = { account_id: text, domain_id: text, stream: text }
  await addTable('inbound_addresses', ['host', 'local', 'domain_id'], { host: text, local: text, ...owner })
  await addTable(
    'inbound_messages',
    ['id'],
    {
      ...{ id: text, ...owner, kind: text, state: text, tries: integer, received_at: integer },
      ...{ mail_from: text, rcpt_to: text, client_address: text, helo: text },
      ...{ from_email: text, subject: text, size: integer, flags: text },
    },
    ...[
      { tls: text, from_name: text, header_message_id: text, authentication: text, claimed_until: integer },
    ],
  )
  await addTable('inbound_contents', ['inbound_id'], { inbound_id: text, ...owner, raw: bytes })
  await addTable('inbound_parsed', ['inbound_id'], { inbound_id: text, ...owner, parsed: text })
  await sql`create index inbound_addresses_domain on inbound_addresses (domain_id, stream)`.execute(db)
  await sql`create index inbound_messages_domain on inbound_messages (domain_id, id)`.execute(db)
  await sql`create index inbound_messages_received on inbound_messages (id) where state = 'received'`.execute(
    db,
  )
  await sql`create index inbound_contents_domain on inbound_contents (domain_id, inbound_id)`.execute(db)
  await db.schema
    .alterTable('stored_bytes')
    .addColumn('inbound_bytes', integer as never, (column) => column.notNull().defaultTo(sql.lit(0)))
    .execute()
}
