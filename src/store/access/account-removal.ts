// Deletes accounts: ends the domains, keys, users and lists of an account in one commit. The row of the account, its mail and its
// logs remain until their retention ends.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import type { Domain } from '../domains/domain-rows.ts'
import { endDomainsOf } from '../domains/domains.ts'
import { endKeys } from '../events/key-events.ts'
import { deleteInboxesOf } from '../inboxes/inboxes.ts'
import { wholeAccount } from '../messages/owner.ts'
import { markAccessChanged } from '../node/installation.ts'
import { cancelVerificationsOf } from '../verification/verifications.ts'
import { deleteWebhooksOf } from '../webhooks/webhooks.ts'
import { type ChangeAccount, findAccount, VERSION } from './accounts.ts'
import { operatingAccountId } from './operating-account.ts'
import { removeUser } from './people.ts'

/** Result of deleting an account, with the domains whose queued messages have to be cancelled. */
export type DeletedAccount =
  | { readonly kind: 'deleted'; readonly domains: readonly Domain[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'operating' }
  | { readonly kind: 'other_version' }

/**
 * Deletes accounts, except the account that operates the installation, and an account with another version than `seen`. The account is suspended from then on, so that
 * nothing of the account is sent or verified, and its external ID is free.
 */
export async function deleteAccount(
  db: Database,
  items: readonly Pick<ChangeAccount, 'id' | 'seen' | 'now'>[],
): Promise<DeletedAccount[]> {
  const results: DeletedAccount[] = []
  for (const item of items) results.push(await deleteOne(db, item))
  return results
}
deleteAccount.auditTarget = ({ id }: { readonly id: string }): string => id
deleteAccount.takesAccess = true

async function deleteOne(
  db: Database,
  { id, seen, now }: Pick<ChangeAccount, 'id' | 'seen' | 'now'>,
): Promise<DeletedAccount> {
  if ((await operatingAccountId(db)) === id) return { kind: 'operating' }
  const rows = await db
    .updateTable('accounts')
    .set({ status: 'suspended', suspended_at: sql<number>`coalesce(suspended_at, ${now})`, deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(seen !== undefined, (query) => query.where(VERSION, '=', seen as number))
    .returning('id')
    .execute()
  if (rows.length === 0) {
    return { kind: seen !== undefined && (await findAccount(db as Read, id)) ? 'other_version' : 'not_found' }
  }
  const domains = await endDomainsOf(db, id, now)
  await endKeys(db, { accountId: id, domainId: undefined }, 'account_deleted', now)
  const users = await db.selectFrom('users').select('id').where('account_id', '=', id).execute()
  for (const user of users) await removeUser(db, user.id)
  await db.deleteFrom('invitations').where('account_id', '=', id).execute()
  await deleteInboxesOf(db, id)
  await cancelVerificationsOf(db, id, now)
  await deleteWebhooksOf(db, wholeAccount(id).domainId, now)
  await markAccessChanged(db, now)
  return { kind: 'deleted', domains }
}
