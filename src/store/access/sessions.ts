// Sessions of people: opened at login, found by the hash of their token, gone when they are ended.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { OPERATING_ACCOUNT } from './operating-account.ts'

export type Session = Tables['sessions']

/** A session with what its user may do, as one row: enough to answer a request. */
export interface LiveSession extends Session {
  readonly email: string
  readonly user_name: string | null
  readonly role: Tables['users']['role']
  readonly account_name: string
  readonly account_status: Tables['accounts']['status']
  readonly sending_allowance: number | null
  readonly stored_bytes_limit: number | null
  /** The account whose owners operate the installation. */
  readonly operating_account_id: string | null
}

/** A new session, and which sessions are over by their age. */
export interface OpenSession {
  readonly session: Session
  /** Of the user as they have shown who they are: it has to be the one that they still have. */
  readonly passwordHash: string
  readonly seenBefore: number
  readonly madeBefore: number
}

/**
 * Opens sessions, and forgets those of all users that are over, with the addresses that they came from; false where the user
 * has got another password, which has ended all sessions, or is gone.
 */
export async function openSession(db: Database, items: readonly OpenSession[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { session, passwordHash, seenBefore, madeBefore } of items) {
    // Locks the row: a change of the password at the same time ends this session as well.
    const users = await db
      .updateTable('users')
      .set((eb) => ({ password_hash: eb.ref('password_hash') }))
      .where('id', '=', session.user_id)
      .where('password_hash', '=', passwordHash)
      .returning('id')
      .execute()
    results.push(users.length > 0)
    if (users.length === 0) continue
    await db
      .deleteFrom('sessions')
      .where((eb) => eb.or([eb('last_seen_at', '<=', seenBefore), eb('created_at', '<=', madeBefore)]))
      .execute()
    await insertRows(db, 'sessions', [session])
  }
  return results
}
openSession.auditTarget = ({ session }: { readonly session: { readonly id: string } }): string => session.id

/** A session and when it was last used, in Unix milliseconds. */
export interface SessionUse {
  readonly id: string
  readonly now: number
}

/** Notes when sessions were last used; a use that is written late does not replace a later one. */
export async function touchSession(db: Database, items: readonly SessionUse[]): Promise<true[]> {
  for (const { id, now } of items) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('id', '=', id)
      .where('last_seen_at', '<', now)
      .execute()
  }
  return items.map(() => true)
}
touchSession.unaudited = true

/** Sessions of a user to end: one, or all but one. */
export interface EndSessions {
  readonly userId: string
  readonly id?: string
  readonly except?: string
}

/** Ends sessions; answers how many there were. */
export async function endSessions(db: Database, items: readonly EndSessions[]): Promise<number[]> {
  const ended: number[] = []
  for (const { userId, id, except } of items) {
    let query = db.deleteFrom('sessions').where('user_id', '=', userId)
    if (id !== undefined) query = query.where('id', '=', id)
    if (except !== undefined) query = query.where('id', '!=', except)
    ended.push((await query.returning('id').execute()).length)
  }
  return ended
}
endSessions.auditTarget = ({ id }: EndSessions): string | undefined => id

/** The session with this hash, however old, with its user and account. */
export const findSession = (read: Read, hash: string): Promise<LiveSession | undefined> =>
  read
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .selectAll('sessions')
    .select(['users.email', 'users.name as user_name', 'users.role'])
    .select(['accounts.name as account_name', 'accounts.status as account_status'])
    .select(['accounts.sending_allowance', 'accounts.stored_bytes_limit'])
    .select(OPERATING_ACCOUNT.as('operating_account_id'))
    .where('sessions.hash', '=', hash)
    .executeTakeFirst()

export const listSessions = (read: Read, userId: string): Promise<Session[]> =>
  read.selectFrom('sessions').selectAll().where('user_id', '=', userId).orderBy('id', 'desc').execute()
