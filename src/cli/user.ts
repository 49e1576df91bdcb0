// postrider user: make and list the people who log in to the dashboard.

import { createUser } from '../access/accounts.ts'
import { randomBase62 } from '../lib/ids.ts'
import { listUsers, type User } from '../store/accounts.ts'
import type { Answer, Context } from './command.ts'
import { withAccount } from './open.ts'
import { fields, table } from './text.ts'
import { shortTime, time } from './times.ts'

const userDocument = (user: User): object => ({
  user_id: user.id,
  account_id: user.account_id,
  email: user.email,
  name: user.name,
  role: user.role,
  created_at: time(user.created_at),
})

/** What `user create` was given. */
export interface NewUser {
  readonly email: string
  readonly name: string | undefined
  readonly role: User['role'] | undefined
  /** `-` reads it from standard input. */
  readonly password: string | undefined
  readonly account: string | undefined
}

export async function create(context: Context, given: NewUser): Promise<Answer> {
  const generated = given.password === undefined ? randomBase62(20) : undefined
  const password =
    generated ?? (given.password === '-' ? firstLine(await context.readInput()) : (given.password as string))
  return withAccount(context, given.account, async ({ store, clock, account }) => {
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
      ...(generated === undefined ? [] : ['', 'The password is shown this once only.']),
    ]
    return {
      document: { ...userDocument(user), ...(generated === undefined ? {} : { password: generated }) },
      text: text.join('\n'),
    }
  })
}

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0] ?? ''

export function list(
  context: Context,
  { account }: { readonly account: string | undefined },
): Promise<Answer> {
  return withAccount(context, account, async (opened) => {
    const users = await listUsers(opened.store.read, opened.account.id)
    const rows = users.map((one) => [one.id, one.email, one.name ?? '-', one.role, shortTime(one.created_at)])
    return {
      document: { data: users.map(userDocument) },
      text: table(
        ['user', 'email', 'name', 'role', 'created'],
        rows,
        'There is no user yet; make one with: postrider user create you@example.com',
      ),
    }
  })
}
