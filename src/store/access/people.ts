// Users of an account: roles, names, passwords and removal.

import { type Role, roleCovers } from '../../model/role.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Account, User } from './accounts.ts'
import { takeToken } from './one-time-tokens.ts'
import { keepOperatingAccount } from './operating-account.ts'
import { endSessions } from './sessions.ts'

/**
 * Result of changing a user. All values except `changed` are refusals; `owners_only` means that an admin may not make
 * the change.
 */
export type ChangedUser = 'changed' | 'not_found' | 'last_owner' | 'owners_only'

/** A change of a user: a new role, or removal. */
export interface ChangeUser {
  readonly accountId: string
  readonly id: string
  /** New role of the user; undefined to remove the user. */
  readonly role: Role | undefined
  /** Role of the user who makes the change. */
  readonly by: Role
}

/**
 * Changes the roles of users, or removes users. An account always keeps at least one owner, and only owners may change
 * or appoint owners.
 */
export async function changeUser(db: Database, items: readonly ChangeUser[]): Promise<ChangedUser[]> {
  const results: ChangedUser[] = []
  for (const item of items) results.push(await changeOne(db, item))
  return results
}
changeUser.auditTarget = ({ id }: { readonly id: string }): string => id

async function changeOne(db: Database, { accountId, id, role, by }: ChangeUser): Promise<ChangedUser> {
  // Each change of an account's users locks the account's row; otherwise two owners could remove each other at the same
  // time.
  await db
    .updateTable('accounts')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', accountId)
    .execute()
  const users = await db
    .selectFrom('users')
    .select(['id', 'role'])
    .where('account_id', '=', accountId)
    .execute()
  const user = users.find((one) => one.id === id)
  if (user === undefined) return 'not_found'
  if (by !== 'owner' && (user.role === 'owner' || role === 'owner')) return 'owners_only'
  const owners = users.filter((one) => one.role === 'owner').length
  if (user.role === 'owner' && role !== 'owner' && owners === 1) return 'last_owner'
  // A user's invitations are removed when the user is removed or loses rights.
  if (role === undefined || !roleCovers(role, user.role)) {
    await db.deleteFrom('invitations').where('invited_by', '=', id).execute()
  }
  if (role === undefined) await removeUser(db, id)
  else await db.updateTable('users').set({ role }).where('id', '=', id).execute()
  return 'changed'
}

/** Removes a user with their sessions and means of logging in. */
export async function removeUser(db: Database, id: string): Promise<void> {
  for (const table of ['sessions', 'user_totp', 'recovery_codes', 'passkeys', 'one_time_tokens'] as const) {
    await (db as Database).deleteFrom(table).where('user_id', '=', id).execute()
  }
  await db.deleteFrom('users').where('id', '=', id).execute()
}

export async function renameUser(
  db: Database,
  items: readonly { readonly id: string; readonly name: string | null }[],
): Promise<true[]> {
  for (const { id, name } of items) {
    await db.updateTable('users').set({ name }).where('id', '=', id).execute()
  }
  return items.map(() => true)
}
renameUser.auditTarget = ({ id }: { readonly id: string }): string => id

/** A new password, which ends all sessions of the user except `keepSession`. */
export interface SetPassword {
  readonly userId: string
  readonly passwordHash: string
  readonly keepSession: string | undefined
}

export async function setPassword(db: Database, items: readonly SetPassword[]): Promise<true[]> {
  for (const { userId, passwordHash, keepSession } of items) {
    await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
    await endSessions(db, [{ userId, ...(keepSession === undefined ? {} : { except: keepSession }) }])
    await db
      .deleteFrom('one_time_tokens')
      .where('user_id', '=', userId)
      .where('purpose', '=', 'password_reset')
      .execute()
  }
  return items.map(() => true)
}

/**
 * Sets the password of the user to whom a reset link belongs; the result is undefined if the link is no longer valid.
 */
export async function resetPassword(
  db: Database,
  items: readonly { readonly hash: string; readonly passwordHash: string; readonly now: number }[],
): Promise<(User | undefined)[]> {
  const results: (User | undefined)[] = []
  for (const { hash, passwordHash, now } of items) {
    const [token] = await takeToken(db, [{ hash, purpose: 'password_reset', now }])
    const userId = token?.userId ?? ''
    const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
    if (user !== undefined) await setPassword(db, [{ userId, passwordHash, keepSession: undefined }])
    results.push(user)
  }
  return results
}

/** The first user of an installation, and the account of this user. */
export interface FirstRun {
  readonly hash: string
  readonly now: number
  readonly account: Account
  readonly user: Omit<User, 'account_id'>
}

/** Name of the row of the table `installation` that is locked while the first user is created. */
const FIRST_RUN = 'first_run'

/**
 * Creates the first user with a link from the log; the result is undefined if the link is no longer valid or a user
 * exists already. The user becomes an owner of the operating account if the installation already has an account.
 */
export async function makeFirstUser(db: Database, items: readonly FirstRun[]): Promise<(User | undefined)[]> {
  const results: (User | undefined)[] = []
  for (const { hash, now, account, user } of items) {
    // Each node logs a different link. The use of a second link waits here until the use of the first link is
    // committed, and then finds the new user.
    await db
      .insertInto('installation')
      .values({ name: FIRST_RUN, value: user.id })
      .onConflict((on) => on.column('name').doUpdateSet({ value: user.id }))
      .execute()
    const [token] = await takeToken(db, [{ hash, purpose: 'first_run', now }])
    const anybody = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
    if (token === undefined || anybody !== undefined) {
      results.push(undefined)
      continue
    }
    await db.deleteFrom('one_time_tokens').where('purpose', '=', 'first_run').execute()
    const operating = await keepOperatingAccount(db, account.id)
    if (operating === account.id) await insertRows(db, 'accounts', [account])
    const made: User = { ...user, account_id: operating }
    await insertRows(db, 'users', [made])
    results.push(made)
  }
  return results
}

/** A user in the list of an account's users. */
export interface PersonListed extends Omit<User, 'password_hash'> {
  /** Time at which the second factor was set up; null without a second factor. */
  readonly totp_at: number | null
  readonly last_seen_at: number | null
}

/** Returns the mail addresses of the owners of an account, oldest first. */
export async function listOwners(read: Read, accountId: string): Promise<string[]> {
  const owners = await read
    .selectFrom('users')
    .select('email')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .orderBy('id')
    .execute()
  return owners.map(({ email }) => email)
}

/** Returns the users of an account, oldest first. */
export const listPeople = (read: Read, accountId: string): Promise<PersonListed[]> =>
  read
    .selectFrom('users')
    .leftJoin('user_totp', 'user_totp.user_id', 'users.id')
    .select(['users.id', 'users.account_id', 'users.email', 'users.name', 'users.role', 'users.created_at'])
    .select('user_totp.confirmed_at as totp_at')
    .select((eb) =>
      eb
        .selectFrom('sessions')
        .select((of) => of.fn.max('sessions.last_seen_at').as('seen'))
        .whereRef('sessions.user_id', '=', 'users.id')
        .as('last_seen_at'),
    )
    .where('users.account_id', '=', accountId)
    .orderBy('users.id')
    .execute()
