// Accounts and their users.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { markAccessChanged } from '../node/installation.ts'
import { keepOperatingAccount, operatingAccountId } from './operating-account.ts'

export type Account = Tables['accounts']
export type User = Tables['users']

/** Adds accounts; the first account of an installation becomes the operating account. */
export async function createAccount(db: Database, items: readonly Account[]): Promise<true[]> {
  const [first] = items
  if (first !== undefined) await keepOperatingAccount(db, first.id)
  await insertRows(db, 'accounts', items)
  return items.map(() => true)
}
createAccount.auditTarget = ({ id }: { readonly id: string }): string => id

/** Suspends or reactivates an account; the result is false if no account has this ID. */
export async function setAccountStatus(
  db: Database,
  items: readonly { readonly id: string; readonly status: Account['status']; readonly now: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { id, status, now } of items) {
    const rows = await db
      .updateTable('accounts')
      .set({ status, suspended_at: suspendedAt(status, now) })
      .where('id', '=', id)
      .returning('id')
      .execute()
    await markAccessChanged(db, now)
    results.push(rows.length > 0)
  }
  return results
}
setAccountStatus.auditTarget = ({ id }: { readonly id: string }): string => id
setAccountStatus.takesAccess = true

/** Returns the value of `suspended_at` after a change of the status; a repeated suspension keeps the earlier time. */
const suspendedAt = (status: Account['status'], now: number) =>
  status === 'suspended' ? sql<number>`coalesce(suspended_at, ${now})` : null

/** Changes that an operator makes to an account. */
export interface ChangeAccount {
  readonly id: string
  readonly changes: Partial<Pick<Account, 'status' | 'sending_allowance' | 'stored_bytes_limit'>>
  readonly now: number
}

/** Changes accounts; the result is undefined if no account has this ID. */
export async function changeAccount(
  db: Database,
  items: readonly ChangeAccount[],
): Promise<(Account | undefined)[]> {
  const results: (Account | undefined)[] = []
  for (const { id, changes, now } of items) {
    const row = await db
      .updateTable('accounts')
      .set(
        changes.status === undefined
          ? changes
          : { ...changes, suspended_at: suspendedAt(changes.status, now) },
      )
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined) await markAccessChanged(db, now)
    results.push(row)
  }
  return results
}
changeAccount.auditTarget = ({ id }: { readonly id: string }): string => id
changeAccount.takesAccess = true

/** Adds users; the result is false if another user has this email address. */
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
createUser.auditTarget = ({ id }: { readonly id: string }): string => id

export const listAccounts = (read: Read): Promise<Account[]> =>
  read.selectFrom('accounts').selectAll().orderBy('id').execute()

/** An account in the operator's list. */
export interface AccountListed extends Account {
  readonly users: number
  readonly domains: number
  /** Bytes of the account's stored messages; null without stored messages. */
  readonly stored_bytes: number | null
  /**
   * Numbers of recipients with an `accepted` event and with a `bounced` event since a given time; null without such
   * events.
   */
  readonly recent: number | null
  readonly recent_bounced: number | null
}

/** Returns the accounts with IDs below `cursor`, newest first; `since` is in milliseconds since the epoch. */
export const pageOfAccounts = (
  read: Read,
  limit: number,
  cursor: string | undefined,
  since: number,
): Promise<AccountListed[]> =>
  read
    .selectFrom('accounts')
    .selectAll('accounts')
    .select(({ selectFrom }) => [
      selectFrom('users')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('users.account_id', '=', 'accounts.id')
        .$asScalar()
        .$notNull()
        .as('users'),
      selectFrom('domains')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('domains.account_id', '=', 'accounts.id')
        .where('domains.deleted_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('domains'),
      selectFrom('stored_bytes')
        .select('bytes')
        .whereRef('stored_bytes.account_id', '=', 'accounts.id')
        .as('stored_bytes'),
      ...(['accepted', 'bounced'] as const).map((event) =>
        selectFrom('message_counts')
          .select(({ fn }) => fn.sum<number>(event).as('sum'))
          .whereRef('message_counts.account_id', '=', 'accounts.id')
          .where('hour_at', '>=', since)
          .as(event === 'accepted' ? 'recent' : 'recent_bounced'),
      ),
    ])
    .where('accounts.id', '<', cursor ?? '~')
    .orderBy('accounts.id', 'desc')
    .limit(limit)
    .execute()

/** Number of the domains of an account, and of its keys that are neither revoked nor expired. */
export interface CountedObjects {
  readonly domains: number
  readonly keys: number
}

export async function countObjects(read: Read, accountId: string, now: number): Promise<CountedObjects> {
  const { rows } = await sql<Record<keyof CountedObjects, number | string>>`select
    (select count(*) from domains where account_id = ${accountId} and deleted_at is null) as domains,
    (select count(*) from keys where account_id = ${accountId} and revoked_at is null
      and (expires_at is null or expires_at > ${now})) as keys`.execute(read)
  return { domains: Number(rows[0]?.domains ?? 0), keys: Number(rows[0]?.keys ?? 0) }
}

/** Returns the account that operates the installation; undefined if there are no accounts. */
export async function findOperatingAccount(read: Read): Promise<Account | undefined> {
  const id = await operatingAccountId(read)
  return id === undefined ? undefined : findAccount(read, id)
}

/** True if the installation has at most one account. */
export async function isOnlyAccount(read: Read): Promise<boolean> {
  return (await read.selectFrom('accounts').select('id').limit(2).execute()).length < 2
}

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

/** Renames accounts; the result is false if no account has this ID. */
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
renameAccount.auditTarget = ({ id }: { readonly id: string }): string => id

/** True if the installation has any users. */
export async function hasUsers(read: Read): Promise<boolean> {
  return (await read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}
