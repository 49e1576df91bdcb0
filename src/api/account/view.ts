// Views of the caller's account.

import type { Clock } from '../../lib/clock.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { allowanceLeft, givenAllowance, renewalOf } from '../../model/allowance.ts'
import { Problem } from '../../model/problem.ts'
import { findAccount } from '../../store/access/accounts.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { readStoredBytes } from '../../store/messages/stored-bytes.ts'
import type { AccountView } from '../contract/account.ts'

/** Services that show an account. */
export interface AccountShowing {
  readonly read: Read
  readonly clock: Clock
  /** Maximum size of the messages of an account without a limit of its own, in bytes; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
}

export async function accountView(
  { read, clock, storedBytesPerAccount }: AccountShowing,
  id: string,
): Promise<AccountView> {
  const [account, storedBytes] = await reading(
    Promise.all([findAccount(read, id), readStoredBytes(read, id)]),
  )
  if (account === undefined) throw new Problem('not_found', 'The account no longer exists.')
  return {
    account_id: account.id,
    name: account.name,
    status: account.status,
    sending_allowance: givenAllowance(account),
    allowance_renews: renewalOf(account),
    sending_allowance_left: allowanceLeft(account, clock.now()),
    stored_bytes: storedBytes,
    stored_bytes_limit: account.stored_bytes_limit ?? storedBytesPerAccount ?? null,
    verification_credits: account.verification_credits,
    created_at: formatTime(account.created_at),
    changed_at: formatTime(account.changed_at),
  }
}
