// Creates accounts and users.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import {
  type Account,
  createAccount as insertAccount,
  createUser as insertUser,
  type User,
  WITHOUT_LIMITS,
} from '../store/access/accounts.ts'
import type { Store } from '../store/database/store.ts'
import { hashPassword } from './secrets.ts'

/** Store and clock for the functions that create accounts, users and keys. */
export interface Resources {
  readonly store: Store
  readonly clock: Clock
}

/**
 * Returns a new active account without credits, which is not stored yet and has no limits unless they are given. Throws
 * `validation_failed` for an invalid name.
 */
export const newAccount = (name: string, now: number, limits: Partial<Account> = {}): Account => ({
  ...WITHOUT_LIMITS,
  ...limits,
  id: newId('acc', now),
  name: requireName(name),
  created_at: now,
})

/** Creates an account. Throws `validation_failed` for an invalid name. */
export async function createAccount({ store, clock }: Resources, name: string): Promise<Account> {
  const account = newAccount(name, clock.now())
  await store.write(insertAccount, account)
  return account
}

/**
 * Creates a user who can log in to the dashboard. Throws `validation_failed` for an invalid address or a password under
 * 10 characters, or `conflict` when the address is taken.
 */
export async function createUser(
  { store, clock }: Resources,
  user: Pick<User, 'account_id' | 'email' | 'name' | 'role'> & { readonly password: string },
): Promise<User> {
  const address = parseAddress(user.email)
  const errors = [...emailProblems(user.email), ...passwordProblems(user.password)]
  if (!isAddress(address) || errors.length > 0) {
    throw new Problem('validation_failed', 'The user cannot be created.', { errors })
  }
  const made: User = {
    id: newId('usr', clock.now()),
    account_id: user.account_id,
    email: address.email.toLowerCase(),
    name: user.name,
    role: user.role,
    password_hash: await hashPassword(user.password),
    created_at: clock.now(),
  }
  if (!(await store.write(insertUser, made))) {
    throw new Problem('conflict', `A user with the address ${made.email} already exists.`)
  }
  return made
}

/** Returns the stored form of a login address; the given address may have a Unicode domain. */
export function loginAddress(written: string): string {
  const address = parseAddress(written.trim())
  return (isAddress(address) ? address.email : written.trim()).toLowerCase()
}

/** Returns the validation problems of the email address of a new login. */
export function emailProblems(email: string, path = 'email'): FieldProblem[] {
  const address = parseAddress(email)
  if (isAddress(address)) return []
  return [{ path, code: 'invalid_email', message: `The address ${address.problem}.` }]
}

/** Returns the validation problems of a new password. */
export function passwordProblems(password: string): FieldProblem[] {
  if (password.length >= 10) return []
  return [{ path: 'password', code: 'too_short', message: 'A password has at least 10 characters.' }]
}

/** Requires a name of 1 to 100 characters without control characters. Throws `validation_failed`. */
export function requireName(name: string): string {
  const errors = nameProblems(name)
  if (errors.length === 0) return name
  throw new Problem('validation_failed', 'A name has 1 to 100 characters and no line breaks.', { errors })
}

/** Returns the validation problems of the name of a user, an account or a key. */
export function nameProblems(name: string, path = 'name'): FieldProblem[] {
  if (name.length > 0 && name.length <= 100 && !/\p{Cc}/u.test(name)) return []
  return [{ path, code: 'invalid_name', message: 'Give a name of 1 to 100 characters.' }]
}

/** Fields of the forms for new users and accounts; each form has a subset of these fields. */
interface FormFields {
  readonly account_name?: string
  readonly name?: string
  readonly email?: string
  readonly owner_email?: string
  readonly password?: string
}

/** Returns all validation problems of the given form fields. */
export const formProblems = ({
  account_name,
  name,
  email,
  owner_email,
  password,
}: FormFields): FieldProblem[] => [
  ...(account_name === undefined ? [] : nameProblems(account_name.trim(), 'account_name')),
  ...(name === undefined ? [] : nameProblems(name.trim())),
  ...(email === undefined ? [] : emailProblems(email.trim())),
  ...(owner_email === undefined ? [] : emailProblems(owner_email.trim(), 'owner_email')),
  ...(password === undefined ? [] : passwordProblems(password)),
]
