// Creates the first user of an installation through a one-time link that only readers of the log know.

import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { type Account, findOperatingAccount, hasUsers, type User } from '../store/access/accounts.ts'
import { isTokenGood, keepToken } from '../store/access/one-time-tokens.ts'
import { makeFirstUser as insertFirstUser } from '../store/access/people.ts'
import { type Read, reading, type Store } from '../store/database/store.ts'
import { formProblems, newAccount } from './accounts.ts'
import { NEW_STRANGER } from './hash-queue.ts'
import { hashPassword, hashSecret } from './secrets.ts'

const VALID_MS = 86_400_000

/** Input of the form that creates the first user. */
export interface FirstUser {
  readonly token: string
  /** Name of the first account; undefined if an account already exists. */
  readonly account_name?: string | undefined
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Returns the path and query of a link that creates the first user, valid for a day; undefined if users exist. */
export async function firstRunLink(store: Store, clock: Clock): Promise<string | undefined> {
  if (await reading(hasUsers(store.read))) return undefined
  const token = randomBase62(43)
  const now = clock.now()
  const kept = { hash: hashSecret(token), purpose: 'first_run', user_id: null } as const
  await store.write(keepToken, { token: { ...kept, expires_at: now + VALID_MS }, now })
  return `/first-run?token=${token}`
}

const gone = (): Problem =>
  new Problem('not_found', 'This link was used or has expired; each start of the service logs a new link.')

/**
 * Checks a link for the first user without consuming the link. Returns the account that the user will join; undefined
 * if the user creates the first account. Throws `not_found` when the link is invalid or users exist.
 */
export async function checkFirstRunLink(
  read: Read,
  clock: Clock,
  token: string,
): Promise<Account | undefined> {
  const wanted = { hash: hashSecret(token), purpose: 'first_run', now: clock.now() } as const
  if ((await reading(hasUsers(read))) || !(await reading(isTokenGood(read, wanted)))) throw gone()
  return reading(findOperatingAccount(read))
}

/**
 * Creates the owner of the operating account, and the account if there is none. Throws `validation_failed` when the
 * account needs a name, and `not_found` when the link is no longer valid or users exist.
 */
export async function makeFirstUser(store: Store, clock: Clock, given: FirstUser): Promise<User> {
  const address = parseAddress(given.email.trim())
  const joined = await checkFirstRunLink(store.read, clock, given.token)
  const accountName = joined?.name ?? given.account_name?.trim() ?? ''
  const problems = formProblems({ ...given, account_name: accountName })
  if (!isAddress(address) || problems.length > 0) throw invalidFields(problems)
  const now = clock.now()
  const user = await store.write(insertFirstUser, {
    hash: hashSecret(given.token),
    now,
    account: newAccount(accountName, now),
    user: {
      id: newId('usr', now),
      email: address.email.toLowerCase(),
      name: given.name.trim(),
      role: 'owner',
      password_hash: await hashPassword(given.password, NEW_STRANGER),
      created_at: now,
    },
  })
  if (user !== undefined) return user
  throw gone()
}
