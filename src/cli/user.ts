// postrider user: creates, lists and removes dashboard users, and resets passwords and second factors.

import { createUser, loginAddress } from '../access/accounts.ts'
import { describeAuditAction } from '../access/audit.ts'
import { changePassword } from '../access/passwords.ts'
import { randomBase62 } from '../lib/ids.ts'
import { formatTime } from '../lib/rfc3339.ts'
import { Problem } from '../model/problem.ts'
import { notifyFromCommandLine } from '../node/login-notices.ts'
import { findUserByEmail, type User } from '../store/access/accounts.ts'
import { changeUser, listPeople } from '../store/access/people.ts'
import { removeTotp } from '../store/access/second-factors.ts'
import type { Answer, Context } from './command.ts'
import { type Opened, withAccount, withStore } from './open.ts'
import { fields, table } from './text.ts'
import { shortTime } from './times.ts'

const userDocument = (user: Omit<User, 'password_hash'>): object => ({
  user_id: user.id,
  account_id: user.account_id,
  email: user.email,
  name: user.name,
  role: user.role,
  created_at: formatTime(user.created_at),
})

/** Inputs of `user create`. */
export interface NewUser {
  readonly email: string
  readonly name: string | undefined
  readonly role: User['role'] | undefined
  /** Password of the user; `-` reads the password from standard input. */
  readonly password: string | undefined
  readonly account: string | undefined
}

/** Returns the given password, or a generated password that the command must show. */
async function passwordOf(
  context: Context,
  given: string | undefined,
): Promise<{ readonly password: string; readonly generated: string | undefined }> {
  if (given === undefined) {
    const generated = randomBase62(20)
    return { password: generated, generated }
  }
  return { password: given === '-' ? await context.readLine('Password') : given, generated: undefined }
}

export async function create(context: Context, given: NewUser): Promise<Answer> {
  const { password, generated } = await passwordOf(context, given.password)
  return withAccount(context, given.account, async ({ store, clock, account }) => {
    describeAuditAction({ detail: { email: given.email, role: given.role ?? 'owner' } })
    const user = await createUser(
      { store, clock },
      {
        account_id: account.id,
        email: given.email,
        name: given.name ?? null,
        role: given.role ?? 'owner',
        password,
      },
    )
    const text = [
      `The user ${user.email} may log in to the dashboard as ${user.role} of ${account.name}.`,
      '',
      fields([
        ['User', user.id],
        ['Email', user.email],
        ['Role', user.role],
        ...(generated === undefined ? [] : [['Password', generated] as const]),
      ]),
      ...(generated === undefined ? [] : ['', 'The password is shown only once.']),
    ]
    return {
      document: { ...userDocument(user), ...(generated === undefined ? {} : { password: generated }) },
      text: text.join('\n'),
    }
  })
}

export function list(
  context: Context,
  { account }: { readonly account: string | undefined },
): Promise<Answer> {
  return withAccount(context, account, async (opened) => {
    const users = await listPeople(opened.store.read, opened.account.id)
    const rows = users.map((one) => [
      one.id,
      one.email,
      one.name ?? '-',
      one.role,
      one.totp_at === null ? 'password' : 'password and code',
      shortTime(one.created_at),
      shortTime(one.last_seen_at),
    ])
    return {
      document: {
        data: users.map((one) => ({
          ...userDocument(one),
          totp: one.totp_at !== null,
          last_seen_at: formatTime(one.last_seen_at),
        })),
      },
      text: table(
        ['user', 'email', 'name', 'role', 'login', 'created', 'last seen'],
        rows,
        'There is no user yet; create one with: postrider user create you@example.com',
      ),
    }
  })
}

/** Inputs of commands about one user; no account is needed, because login addresses are unique. */
export interface OneUser {
  readonly email: string
}

/** Returns the user with this address. Throws `not_found`. */
async function chooseUser({ store }: Opened, email: string): Promise<User> {
  const user = await findUserByEmail(store.read, loginAddress(email))
  if (user === undefined) {
    const detail = `There is no user ${JSON.stringify(email)}; \`postrider user list\` shows the users of an account.`
    throw new Problem('not_found', detail)
  }
  describeAuditAction({ accountId: user.account_id, target: user.id, detail: { email: user.email } })
  return user
}

/** Sets a new password, and ends the sessions of the user. */
export async function resetPassword(
  context: Context,
  given: OneUser & { readonly password: string | undefined },
): Promise<Answer> {
  const { password, generated } = await passwordOf(context, given.password)
  return withStore(context, async (opened) => {
    const user = await chooseUser(opened, given.email)
    await changePassword(opened.store, user.id, password, undefined)
    await notifyFromCommandLine(opened, user, 'password')
    const shown =
      generated === undefined
        ? []
        : ['', fields([['Password', generated]]), '', 'The password is shown only once.']
    return {
      document: { ...userDocument(user), ...(generated === undefined ? {} : { password: generated }) },
      text: [`${user.email} has a new password; all sessions are ended.`, ...shown].join('\n'),
    }
  })
}

/** Removes the second factor of a user who has lost the authenticator app. */
export function disableTotp(context: Context, { email }: OneUser): Promise<Answer> {
  return withStore(context, async (opened) => {
    const user = await chooseUser(opened, email)
    const removed = await opened.store.write(removeTotp, { userId: user.id })
    if (removed) await notifyFromCommandLine(opened, user, 'totp_off')
    return {
      document: { ...userDocument(user), totp: false },
      text: removed
        ? `${user.email} now logs in with only the password.`
        : `${user.email} had no authenticator app.`,
    }
  })
}

/** Removes a user and ends the user's sessions at once; the last owner of an account cannot be removed. */
export function remove(context: Context, { email }: OneUser): Promise<Answer> {
  return withStore(context, async (opened) => {
    const user = await chooseUser(opened, email)
    const change = { accountId: user.account_id, id: user.id, role: undefined, by: 'owner' } as const
    if ((await opened.store.write(changeUser, change)) === 'last_owner') {
      throw new Problem(
        'conflict',
        `${user.email} is the last owner of the account; make another user an owner first.`,
      )
    }
    return { document: userDocument(user), text: `${user.email} is removed, and logged out everywhere.` }
  })
}
