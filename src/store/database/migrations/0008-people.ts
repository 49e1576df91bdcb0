// People who log in: their sessions, second factors, passkeys, invitations, and the log of what they did.

import type { Kysely } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

type Columns = Readonly<Record<string, string>>

/** Makes the tables. A column is its type, then `null` or `unique`. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const types: Readonly<Record<string, unknown>> = { ...COLUMN_TYPES[dialect] }
  const table = (name: string, key: readonly string[], columns: Columns): Promise<void> => {
    let builder = db.schema.createTable(name)
    for (const [column, description] of Object.entries(columns)) {
      const [type = '', ...marks] = description.split(' ')
      builder = builder.addColumn(column, types[type] as never, (made) => {
        const one = marks.includes('null') ? made : made.notNull()
        return marks.includes('unique') ? one.unique() : one
      })
    }
    return builder
      .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
      .modifyEnd(CLUSTERED[dialect])
      .execute()
  }
  const index = (name: string, on: string, columns: readonly string[]): Promise<void> =>
    db.schema
      .createIndex(name)
      .on(on)
      .columns([...columns])
      .execute()
  const whose = { user_id: 'text', account_id: 'text' }

  await table('sessions', ['id'], {
    id: 'text',
    ...whose,
    hash: 'text unique',
    address: 'text',
    user_agent: 'text',
    created_at: 'integer',
    last_seen_at: 'integer',
  })
  await index('sessions_by_user', 'sessions', ['user_id'])
  await table('user_totp', ['user_id'], {
    ...whose,
    secret: 'text',
    created_at: 'integer',
    confirmed_at: 'integer null',
    last_step: 'integer null',
  })
  await table('recovery_codes', ['user_id', 'hash'], { ...whose, hash: 'text' })
  await table('passkeys', ['id'], {
    id: 'text',
    ...whose,
    credential_id: 'text unique',
    public_key: 'bytes',
    counter: 'integer',
    transports: 'text',
    name: 'text',
    created_at: 'integer',
    last_used_at: 'integer null',
  })
  await index('passkeys_by_user', 'passkeys', ['user_id'])
  await table('one_time_tokens', ['hash'], {
    hash: 'text',
    purpose: 'text',
    user_id: 'text null',
    expires_at: 'integer',
  })
  await index('one_time_tokens_by_age', 'one_time_tokens', ['expires_at'])
  await table('invitations', ['account_id', 'id'], {
    id: 'text',
    account_id: 'text',
    email: 'text',
    role: 'text',
    hash: 'text unique',
    invited_by: 'text',
    created_at: 'integer',
    expires_at: 'integer',
  })
  await table('login_failures', ['name'], {
    name: 'text',
    failures: 'integer',
    since_at: 'integer',
  })
  await index('login_failures_by_age', 'login_failures', ['since_at'])
  await table('audit_log', ['account_id', 'id'], {
    id: 'text',
    account_id: 'text',
    at: 'integer',
    user_id: 'text null',
    actor: 'text',
    action: 'text',
    target: 'text null',
    address: 'text null',
    detail: 'text',
  })
  await index('audit_log_by_action', 'audit_log', ['account_id', 'action', 'id'])
  await index('users_by_account', 'users', ['account_id'])
}
