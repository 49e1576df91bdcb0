// Accounts and their users.

import type { Read } from './dialect.ts'
import { type Database, insertRows } from './dialect.ts'
import { markAccessChanged } from './installation.ts'
import type { Tables } from './schema.ts'

export type Account = Tables['accounts']
export type User = Tables['users']

export async function createAccount(db: Database, items: readonly Account[]): Promise<true[]> {
  await insertRows(db, 'accounts', items)
  return items.map(() => true)
}

/** Suspends an account or lets it send again; false when there is none with this ID. */
export async function setAccountStatus(
  db: Database,
  items: readonly { readonly id: string; readonly status: Account['status']; readonly now: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { id, status, now } of items) {
    const rows = await db
      .updateTable('accounts')
      .set({ status })
      .where('id', '=', id)
      .returning('id')
      .execute()
    await markAccessChanged(db, now)
    results.push(rows.length > 0)
  }
  return results
}

/** False when another user has this email. */
export async function createUser(db: Database, items: readonly User[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const user of items) {
    const rows = await db
      .insertInto('users')
      .values(user)
      .onConflict((on) => on.column('email').doNothing())
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}

export const listAccounts = (read: Read): Promise<Account[]> =>
  read.selectFrom('accounts').selectAll().orderBy('id').execute()

export const findUserByEmail = (read: Read, email: string): Promise<User | undefined> =>
  read.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

export const findUser = (read: Read, accountId: string, id: string): Promise<User | undefined> =>
  read
    .selectFrom('users')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findAccount = (read: Read, id: string): Promise<Account | undefined> =>
  read.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()

/** False when there is no such account. */
export async function renameAccount(
  db: Database,
  items: readonly { readonly id: string; readonly name: string }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { id, name } of items) {
    const rows = await db.updateTable('accounts').set({ name }).where('id', '=', id).returning('id').execute()
    results.push(rows.length > 0)
  }
  return results
}

/** Whether anybody can log in at all. */
export async function hasUsers(read: Read): Promise<boolean> {
  return (await read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}
