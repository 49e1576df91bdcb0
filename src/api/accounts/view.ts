// Views of accounts for operators and platforms.

import { formatTime } from '../../lib/rfc3339.ts'
import { allowanceLeft, givenAllowance, renewalOf } from '../../model/allowance.ts'
import { Problem } from '../../model/problem.ts'
import { type Account, findAccount, versionOf } from '../../store/access/accounts.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { OperatedAccount } from '../contract/accounts.ts'
import type { Present } from '../route.ts'

export const operatedAccount = (account: Account, now: number): OperatedAccount => ({
  account_id: account.id,
  name: account.name,
  external_id: account.external_id,
  status: account.status,
  reason: account.reason,
  sending_allowance: givenAllowance(account),
  allowance_renews: renewalOf(account),
  sending_allowance_left: allowanceLeft(account, now),
  stored_bytes_limit: account.stored_bytes_limit,
  domains_limit: account.domains_limit,
  keys_limit: account.keys_limit,
  verification_credits: account.verification_credits,
  created_at: formatTime(account.created_at),
  changed_at: formatTime(account.changed_at),
})

/** Returns an account by its ID. Throws `not_found`. */
export async function accountById(read: Read, id: string): Promise<Account> {
  const account = id.includes('\0') ? undefined : await reading(findAccount(read, id))
  if (account === undefined) throw noSuchAccount()
  return account
}

/** Returns an account with its version for `If-Match`. Throws `not_found`. */
export async function presentAccount(read: Read, id: string, now: number): Promise<Present> {
  const account = await accountById(read, id)
  return { shown: operatedAccount(account, now), seen: versionOf(account) }
}

export const noSuchAccount = (): Problem => new Problem('not_found', 'There is no such account.')

/** Returns what the version of an account consists of; counters such as the credits do not change the version. */
export const versionOfAccount = (account: object): object => {
  const { account_id, created_at, changed_at } = account as OperatedAccount
  return { account_id, created_at, changed_at }
}
