// Verification: what became of credits, and lists of addresses that are verified one by one.

import type { Kysely } from 'kysely'
import { newId } from '../../../lib/ids.ts'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  /** A table in the order of its key; columns after a `?` may be null. */
  const table = (name: string, key: readonly string[], texts: string, integers: string): Promise<void> => {
    let builder = db.schema.createTable(name)
    for (const [type, columns] of [
      [text, texts],
      [integer, integers],
    ] as const) {
      for (const column of columns.split(' ')) {
        const name = column.replace('?', '')
        builder = builder.addColumn(name, type as never, (it) => (name === column ? it.notNull() : it))
      }
    }
    return builder
      .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
      .modifyEnd(CLUSTERED[dialect])
      .execute()
  }
  await table('credit_grants', ['account_id', 'id'], 'account_id id ?note', 'credits granted_at')
  await table('credit_uses', ['account_id', 'day'], 'account_id day', 'credits')
  await table(
    'verifications',
    ['account_id', 'id'],
    'account_id id key_id status ?lease',
    'total duplicates deliverable undeliverable risky unknown created_at ?lease_until ?finished_at',
  )
  await table(
    'verification_addresses',
    ['verification_id', 'position'],
    'verification_id account_id email ?answer',
    'position',
  )
  // Index for the evidence that an account's mail gives about an address.
  await db.schema.createIndex('domains_by_account').on('domains').column('account_id').execute()
  await db.schema
    .createIndex('suppressions_by_address')
    .on('suppressions')
    .columns(['account_id', 'email'])
    .execute()
  await openBalances(db as Kysely<Balances>)
}

interface Balances {
  accounts: { id: string; verification_credits: number; created_at: number }
  credit_grants: { account_id: string; id: string; credits: number; note: string; granted_at: number }
}

/** Records the credits that accounts had before there was a history, so that it adds up. */
async function openBalances(db: Kysely<Balances>): Promise<void> {
  const accounts = await db.selectFrom('accounts').selectAll().where('verification_credits', '>', 0).execute()
  for (const { id: account_id, verification_credits: credits, created_at: granted_at } of accounts) {
    const grant = { account_id, id: newId('grt', granted_at), credits, note: 'Opening balance', granted_at }
    await db.insertInto('credit_grants').values(grant).execute()
  }
}
