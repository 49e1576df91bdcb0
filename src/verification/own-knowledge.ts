// What an account's own mail has shown of an address. Nobody else's is looked at.

import { findLastDelivery } from '../store/delivery-history.ts'
import type { Read } from '../store/store.ts'
import { hasNegativeSuppression } from '../store/suppressions.ts'
import type { OwnFinding } from './verdict.ts'

/** Mailboxes come and go: what was seen longer ago does not count. */
const COUNTS_FOR_MS = 30 * 24 * 3_600_000

/** What the mail of this account says of an address (in its canonical form). */
export async function ownFinding(
  read: Read,
  accountId: string,
  email: string,
  now: number,
): Promise<OwnFinding | undefined> {
  const last = await findLastDelivery(read, accountId, email, now - COUNTS_FOR_MS)
  if (last?.status === 'bounced') {
    const { hard, category } = last
    if (hard && (category === 'mailbox_not_found' || category === 'mailbox_disabled')) return category
  }
  if (await hasNegativeSuppression(read, accountId, email)) return 'suppressed'
  return last?.status === 'delivered' ? 'accepted' : undefined
}
