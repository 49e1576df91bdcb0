// The first tables: accounts, domains, keys, messages with their queue and history, the playground's mailbox.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Makes the tables. The schema is not typed here: a migration describes its own moment. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer, bytes } = COLUMN_TYPES[dialect]
  const table = async (
    name: string,
    columns: Record<string, string>,
    key?: readonly string[],
  ): Promise<void> => {
    const types: Record<string, unknown> = { text, integer, bytes }
    let builder = db.schema.createTable(name)
    for (const [column, description] of Object.entries(columns)) {
      const [type = '', ...marks] = description.split(' ')
      builder = builder.addColumn(column, types[type] as typeof text, (made) => {
        let one = marks.includes('null') ? made : made.notNull()
        if (marks.includes('unique')) one = one.unique()
        return marks.includes('key') ? one.primaryKey() : one
      })
    }
    if (key !== undefined) {
      builder = builder
        .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
        .modifyEnd(CLUSTERED[dialect])
    }
    await builder.execute()
  }
  /** A table that is kept in the order of a key of several columns. */
  const tableByKey = (name: string, key: readonly string[], columns: Record<string, string>): Promise<void> =>
    table(name, columns, key)

  await table('installation', { name: 'text key', value: 'text' })
  await table('accounts', {
    id: 'text key',
    name: 'text',
    status: 'text',
    sending_allowance: 'integer null',
    verification_credits: 'integer',
    created_at: 'integer',
  })
  await table('users', {
    id: 'text key',
    account_id: 'text',
    email: 'text unique',
    name: 'text null',
    role: 'text',
    password_hash: 'text',
    created_at: 'integer',
  })
  await table('domains', {
    id: 'text key',
    account_id: 'text',
    name: 'text unique',
    status: 'text',
    created_at: 'integer',
    verified_at: 'integer null',
    checked_at: 'integer null',
  })
  await tableByKey('domain_records', ['domain_id', 'purpose'], {
    domain_id: 'text',
    account_id: 'text',
    purpose: 'text',
    type: 'text',
    name: 'text',
    value: 'text',
    required: 'integer',
    status: 'text',
    found: 'text',
  })
  await tableByKey('dkim_keys', ['domain_id', 'selector'], {
    id: 'text',
    account_id: 'text',
    domain_id: 'text',
    selector: 'text',
    algorithm: 'text',
    private_key: 'text',
    public_key: 'text',
    created_at: 'integer',
  })
  await table('keys', {
    id: 'text key',
    account_id: 'text',
    domain_id: 'text null',
    kind: 'text',
    name: 'text',
    hash: 'text unique',
    last4: 'text',
    rate: 'text null',
    created_at: 'integer',
    last_used_at: 'integer null',
    expires_at: 'integer null',
    revoked_at: 'integer null',
  })
  await tableByKey('messages', ['domain_id', 'id'], {
    id: 'text',
    account_id: 'text',
    domain_id: 'text',
    key_id: 'text',
    status: 'text',
    stream: 'text',
    from_email: 'text',
    from_name: 'text null',
    subject: 'text',
    tag: 'text null',
    metadata: 'text null',
    size: 'integer',
    recipient_count: 'integer',
    created_at: 'integer',
    updated_at: 'integer',
  })
  await table('message_contents', {
    message_id: 'text key',
    account_id: 'text',
    domain_id: 'text',
    format: 'text',
    content: 'bytes',
  })
  await tableByKey('recipients', ['message_id', 'position'], {
    message_id: 'text',
    position: 'integer',
    account_id: 'text',
    domain_id: 'text',
    role: 'text',
    email: 'text',
    name: 'text null',
    destination: 'text',
    status: 'text',
    next_attempt_at: 'integer null',
    lease: 'text null',
    attempts: 'integer',
    last_event_at: 'integer',
    smtp_code: 'integer null',
    smtp_response: 'text null',
    mx: 'text null',
  })
  // The queue: rows that have nothing more to wait for leave this index.
  await db.schema
    .createIndex('recipients_due')
    .on('recipients')
    .column('next_attempt_at')
    .where(sql.ref('next_attempt_at'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('recipients_by_email')
    .on('recipients')
    .columns(['domain_id', 'email', 'message_id'])
    .execute()
  await tableByKey('attempts', ['message_id', 'position', 'number'], {
    message_id: 'text',
    position: 'integer',
    number: 'integer',
    account_id: 'text',
    domain_id: 'text',
    started_at: 'integer',
    duration_ms: 'integer',
    status: 'text',
    reason: 'text',
    mx: 'text null',
    address: 'text null',
    tls: 'text null',
    smtp_code: 'integer null',
    smtp_enhanced: 'text null',
    smtp_response: 'text null',
    transcript: 'text',
  })
  await tableByKey('events', ['message_id', 'id'], {
    id: 'text',
    message_id: 'text',
    account_id: 'text',
    domain_id: 'text',
    type: 'text',
    at: 'integer',
    email: 'text',
    detail: 'text',
  })
  await tableByKey('idempotency_keys', ['key_id', 'idempotency_key'], {
    key_id: 'text',
    idempotency_key: 'text',
    body_hash: 'text',
    message_id: 'text',
    response: 'text',
    created_at: 'integer',
  })
  await db.schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('created_at').execute()
  await tableByKey('queue_pauses', ['kind', 'value'], { kind: 'text', value: 'text', created_at: 'integer' })
  await table('mailbox_mails', {
    id: 'text key',
    received_at: 'integer',
    mail_from: 'text',
    rcpt_to: 'text',
    tls: 'text null',
    raw: 'bytes',
  })
}
