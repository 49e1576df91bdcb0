// postrider user: creates, invites, lists and removes dashboard users, and resets passwords and second factors.

import { createUser, loginAddress } from '../access/accounts.ts'
import { describeAuditAction } from '../access/audit.ts'
import { changePassword } from '../access/passwords.ts'
import type { InvitationMade, UserList } from '../api/contract/person.ts'
import { randomBase62 } from '../lib/ids.ts'
import { formatTime } from '../lib/rfc3339.ts'
import { Problem } from '../model/problem.ts'
import { notifyFromCommandLine } from '../node/login-notices.ts'
import { findUserByEmail, type User } from '../store/access/accounts.ts'
import { removeTotp } from '../store/access/second-factors.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { type Opened, withAccount, withApi, withStore } from './open.ts'
import { fields, table } from './text.ts'
import { shortDate } from './times.ts'

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
  return withApi(context, account, async (api) => {
    const { data: users } = await api.get<UserList>('/v1/people')
    const rows = users.map((one) => [
      one.user_id,
      one.email,
      one.name ?? '-',
      one.role,
      one.totp ? 'password and code' : 'password',
      shortDate(one.created_at),
      shortDate(one.last_seen_at),
    ])
    return {
      document: { data: users },
      text: table(
        ['user', 'email', 'name', 'role', 'login', 'created', 'last seen'],
        rows,
        'There is no user yet; create one with: postrider user create you@example.com',
      ),
    }
  })
}

/** Invites a user, who chooses a password. */
export function invite(
  context: Context,
  given: {
    readonly email: string
    readonly role: User['role'] | undefined
    readonly account: string | undefined
  },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const { email, role = 'developer' } = given
    const invited = await api.post<InvitationMade>('/v1/invitations', { email, role })
    const link =
      invited.url == null ? [] : ['', 'The link for the user, who chooses a password:', invited.url]
    const sentence = invited.mailed
      ? `An invitation was sent to ${invited.email}.`
      : `${invited.email} is invited; no domain can send the mail, so pass the link on.`
    return { document: invited, text: [sentence, ...link].join('\n') }
  })
}

/** Inputs of commands about one user; no account is needed, because login addresses are unique. */
export interface OneUser {
  readonly email: string
}

/** Returns the user with this address. Throws `not_found`. */
async function chooseUser({ store }: Opened, email: string): Promise<User> {
  const user = await findUserByEmail(store.read, loginAddress(email))
  if (user === undefined) throw noSuchUser(email)
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
export async function remove(
  context: Context,
  { email, account }: OneUser & { readonly account: string | undefined },
): Promise<Answer> {
  const named = account ?? (context.remote === undefined ? await accountOf(context, email) : undefined)
  return withApi(context, named, async (api) => {
    const wanted = loginAddress(email)
    const { data: users } = await api.get<UserList>('/v1/people')
    const user = users.find((one) => one.email === wanted)
    if (user === undefined) throw noSuchUser(email)
    await api.delete(pathOf`/v1/people/${user.user_id}`)
    return { document: user, text: `${user.email} is removed, and logged out everywhere.` }
  })
}

/** Returns the ID of the account of a user: on the machine no account has to be named, because addresses are unique. */
const accountOf = (context: Context, email: string): Promise<string> =>
  withStore(context, async (opened) => (await chooseUser(opened, email)).account_id)

const noSuchUser = (email: string): Problem =>
  new Problem(
    'not_found',
    `There is no user ${JSON.stringify(email)}; \`postrider user list\` shows the users of an account.`,
  )
