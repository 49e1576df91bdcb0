// Accounts and their users.

import { sql } from 'kysely'
import {
  type Allowance,
  changedAllowance,
  givenAllowance,
  NO_ALLOWANCE,
  type WantedAllowance,
} from '../../model/allowance.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows, laterThan } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { markAccessChanged, setFact } from '../node/installation.ts'
import { keepOperatingAccount, operatingAccountId } from './operating-account.ts'

export type Account = Tables['accounts']
export type User = Tables['users']

/** Columns of a new account without limits, credits and users. */
export const WITHOUT_LIMITS = {
  ...NO_ALLOWANCE,
  ...{ allowance_total: null, allowance_told: 0, low_credits: 0 },
  status: 'active',
  stored_bytes_limit: null,
  domains_limit: null,
  keys_limit: null,
  verification_credits: 0,
  external_id: null,
  reason: null,
  suspended_at: null,
  changed_at: null,
  deleted_at: null,
} as const satisfies Omit<Account, 'id' | 'name' | 'created_at'>

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
    results.push((await changeOne(db, { id, changes: { status, reason: null }, now })) !== undefined)
  }
  return results
}
setAccountStatus.auditTarget = ({ id }: { readonly id: string }): string => id
setAccountStatus.takesAccess = true

/** Version of an account: the time of its last change, which is later with every change. */
export const VERSION = sql<number>`coalesce(changed_at, created_at)`

/** Returns the version of an account; see `VERSION`. */
export const versionOf = ({ changed_at, created_at }: Pick<Account, 'changed_at' | 'created_at'>): number =>
  changed_at ?? created_at

/** Changes that an operator makes to an account; an undefined property stays. */
interface AccountChanges extends WantedAllowance {
  readonly name?: string | undefined
  readonly status?: Account['status'] | undefined
  readonly stored_bytes_limit?: number | null | undefined
  readonly domains_limit?: number | null | undefined
  readonly keys_limit?: number | null | undefined
  readonly external_id?: string | null | undefined
  /** Reason of the suspension; an account that is resumed has none unless a reason is given. */
  readonly reason?: string | null | undefined
}

export interface ChangeAccount {
  readonly id: string
  readonly changes: AccountChanges
  /** The only version to change; any version if undefined. */
  readonly seen?: number | undefined
  readonly now: number
}

/**
 * Result of changing an account: the account, `taken` if another account has the external ID, `no_amount` if an
 * allowance without a number is to renew, `other_version` if the account has another version than `seen`, and undefined
 * if no account has this ID.
 */
export type ChangedAccount = Account | 'taken' | 'no_amount' | 'other_version' | undefined

/** Changes accounts. */
export async function changeAccount(
  db: Database,
  items: readonly ChangeAccount[],
): Promise<ChangedAccount[]> {
  const results: ChangedAccount[] = []
  for (const item of items) results.push(await changeOne(db, item))
  return results
}
changeAccount.auditTarget = ({ id }: { readonly id: string }): string => id
changeAccount.takesAccess = true

async function changeOne(db: Database, { id, changes, seen, now }: ChangeAccount): Promise<ChangedAccount> {
  const { external_id: externalId } = changes
  if (externalId != null && (await isExternalIdTaken(db, externalId, id))) return 'taken'
  // The row is locked before it is read, because messages change the allowance at the same time.
  const present = await db
    .updateTable('accounts')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (present === undefined) return undefined
  if (seen !== undefined && versionOf(present) !== seen) return 'other_version'
  const allowance = changedAllowance(present, changes, now)
  if (allowance === undefined) return 'no_amount'
  const { status = present.status } = changes
  const kept = status === 'suspended' ? present.reason : null
  const of = <Name extends keyof AccountChanges & keyof Account>(name: Name): Account[Name] =>
    (changes[name] === undefined ? present[name] : changes[name]) as Account[Name]
  const changed: Account = {
    ...present,
    ...allowance,
    name: of('name'),
    status,
    stored_bytes_limit: of('stored_bytes_limit'),
    domains_limit: of('domains_limit'),
    keys_limit: of('keys_limit'),
    external_id: of('external_id'),
    reason: changes.reason === undefined ? kept : changes.reason,
    suspended_at: status === 'suspended' ? (present.suspended_at ?? now) : null,
    changed_at: Math.max(now, versionOf(present) + 1),
    // A changed allowance notifies of its use again.
    ...(isAllowanceAnew(present, allowance, changes)
      ? { allowance_total: givenAllowance(allowance), allowance_told: 0 }
      : {}),
  }
  const { id: _, created_at: __, verification_credits: ___, deleted_at: ____, ...columns } = changed
  await db.updateTable('accounts').set(columns).where('id', '=', id).execute()
  if (status !== present.status) {
    const type = status === 'suspended' ? 'account.suspended' : 'account.resumed'
    await keepAccountEvents(db, [{ accountId: id, objectId: id, type, at: now }])
  }
  await markAccessChanged(db, now)
  return changed
}

/** True if a change gives or renews an allowance, even with the same number. */
const isAllowanceAnew = (present: Account, allowance: Allowance, wanted: WantedAllowance): boolean =>
  wanted.sending_allowance !== undefined ||
  wanted.allowance_renews !== undefined ||
  allowance.allowance_renews_at !== present.allowance_renews_at

/** Name of the row of the table `installation` that is locked while an external ID is given to an account. */
const EXTERNAL_IDS = 'external_ids'

/** True if another account has the external ID; no other transaction gives an external ID until this one ends. */
export async function isExternalIdTaken(db: Database, externalId: string, id: string): Promise<boolean> {
  await setFact(db, [{ name: EXTERNAL_IDS, value: id }])
  const other = await findAccountByExternalId(db as Read, externalId)
  return other !== undefined && other.id !== id
}

/** Returns the account with this external ID. */
export const findAccountByExternalId = (
  read: Read,
  externalId: string,
): Promise<Pick<Account, 'id'> | undefined> =>
  read
    .selectFrom('accounts')
    .select('id')
    .where('external_id', '=', externalId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

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
  read.selectFrom('accounts').selectAll().where('deleted_at', 'is', null).orderBy('id').execute()

/** An account in the operator's list. */
export interface AccountListed extends Account {
  readonly users: number
  readonly domains: number
  /** Bytes of the account's stored messages, and of the mails in its test inboxes; null without any. */
  readonly stored_bytes: number | null
  readonly test_bytes: number | null
  /**
   * Numbers of recipients with an `accepted` event and with a `bounced` event since a given time; null without such
   * events.
   */
  readonly recent: number | null
  readonly recent_bounced: number | null
}

/** Filter of the list of accounts; each value is a whole value. */
export interface AccountFilter {
  readonly name?: string | undefined
  readonly status?: Account['status'] | undefined
  readonly externalId?: string | undefined
}

/** Returns the accounts with IDs below `cursor`, newest first; `since` is in milliseconds since the epoch. */
export function pageOfAccounts(
  read: Read,
  { name, status, externalId }: AccountFilter,
  limit: number,
  cursor: string | undefined,
  since: number,
): Promise<AccountListed[]> {
  let query = read
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
      selectFrom('test_mails')
        .select(({ fn }) => fn.sum<number>('size').as('sum'))
        .whereRef('test_mails.account_id', '=', 'accounts.id')
        .as('test_bytes'),
      ...(['accepted', 'bounced'] as const).map((event) =>
        selectFrom('message_counts')
          .select(({ fn }) => fn.sum<number>(event).as('sum'))
          .whereRef('message_counts.account_id', '=', 'accounts.id')
          .where('hour_at', '>=', since)
          .as(event === 'accepted' ? 'recent' : 'recent_bounced'),
      ),
    ])
    .where('accounts.id', '<', cursor ?? '~')
    .where('accounts.deleted_at', 'is', null)
    .orderBy('accounts.id', 'desc')
    .limit(limit)
  if (name !== undefined) query = query.where('accounts.name', '=', name)
  if (status !== undefined) query = query.where('accounts.status', '=', status)
  if (externalId !== undefined) query = query.where('accounts.external_id', '=', externalId)
  return query.execute()
}

/**
 * Number of the domains of an account, and of its keys that are neither revoked nor expired. The keys that the operator
 * creates for the account do not count.
 */
export interface CountedObjects {
  readonly domains: number
  readonly keys: number
}

export async function countObjects(read: Read, accountId: string, now: number): Promise<CountedObjects> {
  const { rows } = await sql<Record<keyof CountedObjects, number | string>>`select
    (select count(*) from domains where account_id = ${accountId} and deleted_at is null) as domains,
    (select count(*) from keys where account_id = ${accountId} and revoked_at is null
      and (expires_at is null or expires_at > ${now})
      and (created_by is null or created_by <> 'operator')) as keys`.execute(read)
  return { domains: Number(rows[0]?.domains ?? 0), keys: Number(rows[0]?.keys ?? 0) }
}

/** Returns the account that operates the installation; undefined if there are no accounts. */
export async function findOperatingAccount(read: Read): Promise<Account | undefined> {
  const id = await operatingAccountId(read)
  return id === undefined ? undefined : findAccount(read, id)
}

/** True if the installation has at most one account. */
export async function isOnlyAccount(read: Read): Promise<boolean> {
  const some = await read
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', 'is', null)
    .limit(2)
    .execute()
  return some.length < 2
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
  read
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** Renames accounts; the result is false if no account has this ID, or if it has another version than `seen`. */
export async function renameAccount(
  db: Database,
  items: readonly (Pick<ChangeAccount, 'id' | 'seen' | 'now'> & { readonly name: string })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { id, name, seen, now } of items) {
    const rows = await db
      .updateTable('accounts')
      .set({ name, changed_at: laterThan(VERSION, now) })
      .where('id', '=', id)
      .$if(seen !== undefined, (query) => query.where(VERSION, '=', seen as number))
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
renameAccount.auditTarget = ({ id }: { readonly id: string }): string => id

/** True if the installation has any users. */
export async function hasUsers(read: Read): Promise<boolean> {
  return (await read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}
