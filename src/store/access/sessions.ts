// Sessions of users: opened at login, found by the hash of their token, removed when they end.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { OPERATING_ACCOUNT } from './operating-account.ts'

export type Session = Tables['sessions']

/** A session with the role of its user and the status of the account, so that one query authorizes a request. */
export interface LiveSession extends Session {
  readonly email: string
  readonly user_name: string | null
  readonly role: Tables['users']['role']
  readonly account_name: string
  readonly account_status: Tables['accounts']['status']
  readonly sending_allowance: number | null
  readonly stored_bytes_limit: number | null
  /** ID of the account whose owners operate the installation. */
  readonly operating_account_id: string | null
}

/** A new session, and two times: sessions that were last used, or created, before the respective time have expired. */
export interface OpenSession {
  readonly session: Session
  /** Password hash that the login was checked against; no session is opened if the password has changed since. */
  readonly passwordHash: string
  readonly seenBefore: number
  readonly madeBefore: number
}

/**
 * Opens sessions, and removes the expired sessions of all users with their client addresses. The result is false if the
 * user was removed or has changed the password since the login was checked.
 */
export async function openSession(db: Database, items: readonly OpenSession[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { session, passwordHash, seenBefore, madeBefore } of items) {
    // Locks the user's row, so that a concurrent change of the password ends this session as well.
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

/** A session and the time of its last use in Unix milliseconds. */
export interface SessionUse {
  readonly id: string
  readonly now: number
}

/** Records the last use of sessions; a delayed write does not replace a more recent use. */
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

/** Selection of a user's sessions to end: all sessions, only the session `id`, or all sessions except `except`. */
export interface EndSessions {
  readonly userId: string
  readonly id?: string
  readonly except?: string
}

/** Ends sessions, and returns the number of ended sessions. */
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

/** Returns the session whose token has this hash, with its user and account, even if the session has expired. */
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
