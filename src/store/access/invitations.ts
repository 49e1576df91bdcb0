// Invitations to an account: an invitation is found by the hash of its token and accepted once. A new account is
// created together with the invitation of its owner.

import type { Role } from '../../model/role.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { type Account, createAccount, isExternalIdTaken, type User } from './accounts.ts'

export type Invitation = Tables['invitations']

/** Reason of a refusal; `owners_only` means that only an owner may change the invitation of an owner. */
type Refusal = 'not_found' | 'owners_only' | 'taken'

/**
 * Result of creating an invitation; `has_login` means that the invitation was stored but cannot be accepted, because a
 * user of another account has the address.
 */
type Created = 'created' | 'has_login' | Refusal

/** An invitation, and the role of the inviting user. */
export interface CreateInvitation {
  readonly invitation: Invitation
  readonly by: Role
  /** True if the inviting user may learn that an address belongs to a user of another account. */
  readonly seesLogins: boolean
}

/**
 * Stores an invitation in place of the account's earlier invitations to the same address. The result is `taken` if the
 * address belongs to a user whom the inviting user may know about.
 */
export async function createInvitation(db: Database, items: readonly CreateInvitation[]): Promise<Created[]> {
  const results: Created[] = []
  for (const { invitation, by, seesLogins } of items) {
    const { email, account_id } = invitation
    const user = await db
      .selectFrom('users')
      .select('account_id')
      .where('email', '=', email)
      .executeTakeFirst()
    if (user !== undefined && (seesLogins || user.account_id === account_id)) {
      results.push('taken')
      continue
    }
    const before = await db
      .selectFrom('invitations')
      .select(['id', 'role', 'expires_at'])
      .where('account_id', '=', account_id)
      .where('email', '=', email)
      .execute()
    if (before.some((one) => one.expires_at > invitation.created_at && !mayTouch(by, one.role))) {
      results.push('owners_only')
      continue
    }
    for (const { id } of before) await db.deleteFrom('invitations').where('id', '=', id).execute()
    await insertRows(db, 'invitations', [invitation])
    results.push(user === undefined ? 'created' : 'has_login')
  }
  return results
}
createInvitation.auditTarget = ({ invitation }: { readonly invitation: { readonly id: string } }): string =>
  invitation.id

/** A new account, and the invitation of its owner; an account without an invitation has no users. */
export interface OpenAccount {
  readonly account: Account
  readonly invitation: Invitation | undefined
}

/**
 * Result of creating an account: `taken` if a user already has the owner's address, and `external_id` if another account
 * has the external ID.
 */
export type OpenedAccount = 'created' | 'taken' | 'external_id'

/** Creates accounts and the invitations of their owners; no account is created if its invitation is refused. */
export async function openAccount(db: Database, items: readonly OpenAccount[]): Promise<OpenedAccount[]> {
  const results: OpenedAccount[] = []
  for (const { account, invitation } of items) {
    const { id, external_id: externalId } = account
    if (externalId !== null && (await isExternalIdTaken(db, externalId, id))) results.push('external_id')
    else if (invitation !== undefined && (await isLogin(db, invitation.email))) results.push('taken')
    else {
      await createAccount(db, [account])
      if (invitation !== undefined) await insertRows(db, 'invitations', [invitation])
      results.push('created')
    }
  }
  return results
}
openAccount.auditTarget = ({ account }: OpenAccount): string => account.id

async function isLogin(db: Database, email: string): Promise<boolean> {
  const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  return user !== undefined
}

export async function removeInvitation(
  db: Database,
  items: readonly { readonly accountId: string; readonly id: string; readonly by: Role }[],
): Promise<('done' | Refusal)[]> {
  const results: ('done' | Refusal)[] = []
  for (const { accountId, id, by } of items) {
    const found = await db
      .selectFrom('invitations')
      .select('role')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    const may = found !== undefined && mayTouch(by, found.role)
    const rows = may ? await db.deleteFrom('invitations').where('id', '=', id).returning('id').execute() : []
    results.push(rows.length > 0 ? 'done' : found === undefined || may ? 'not_found' : 'owners_only')
  }
  return results
}
removeInvitation.auditTarget = ({ id }: { readonly id: string }): string => id

const mayTouch = (by: Role, role: Role): boolean => by === 'owner' || role !== 'owner'

/** A new user created by an invitation, which determines the user's address, role and account. */
export interface AcceptInvitation {
  readonly hash: string
  readonly now: number
  readonly user: Omit<User, 'account_id' | 'email' | 'role'>
}

export type AcceptedInvitation =
  | { readonly kind: 'accepted'; readonly user: User }
  | { readonly kind: 'not_found' | 'taken' }

/**
 * Creates the user and removes the invitation. An invitation with the result `taken` remains, so that the list of
 * invitations does not reveal that the address has a login for another account.
 */
export async function acceptInvitation(
  db: Database,
  items: readonly AcceptInvitation[],
): Promise<AcceptedInvitation[]> {
  const results: AcceptedInvitation[] = []
  for (const { hash, now, user } of items) {
    const found = await db
      .deleteFrom('invitations')
      .where('hash', '=', hash)
      .returningAll()
      .executeTakeFirst()
    if (found === undefined || found.expires_at <= now) {
      results.push({ kind: 'not_found' })
      continue
    }
    const { account_id, email, role } = found
    const made: User = { ...user, account_id, email, role }
    const rows = await db
      .insertInto('users')
      .values(made)
      .onConflict((on) => on.column('email').doNothing())
      .returning('id')
      .execute()
    if (rows.length === 0) await insertRows(db, 'invitations', [found])
    results.push(rows.length > 0 ? { kind: 'accepted', user: made } : { kind: 'taken' })
  }
  return results
}

export const listInvitations = (read: Read, accountId: string): Promise<Invitation[]> =>
  read
    .selectFrom('invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .execute()

/** Returns the invitation whose token has this hash, and the name of the account. */
export const findInvitation = (
  read: Read,
  hash: string,
): Promise<(Invitation & { account_name: string }) | undefined> =>
  read
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .selectAll('invitations')
    .select('accounts.name as account_name')
    .where('invitations.hash', '=', hash)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
