// Events of keys in the feed of their account, and the end of the keys of a deleted domain or account.

import type { AccountEventType } from '../../model/account-event.ts'
import type { Database } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from './account-events.ts'

type Key = Tables['keys']

/** Columns of a key that its events show. */
export const SHOWN_OF_KEY = ['id', 'account_id', 'domain_id', 'kind', 'name', 'last4'] as const
export type ShownKey = Pick<Key, (typeof SHOWN_OF_KEY)[number]>

/** Writes an event of each of these keys, with the details of the key and further details. */
export const keepKeyEvents = (
  db: Database,
  keys: readonly ShownKey[],
  type: AccountEventType & `key.${string}`,
  at: number,
  detail: object = {},
): Promise<void> =>
  keepAccountEvents(
    db,
    keys.map(({ id, account_id: accountId, domain_id: domainId, kind, name, last4 }) => ({
      ...{ accountId, domainId, type, at, objectId: id },
      detail: { kind, name, last4, ...detail },
    })),
  )

/** Revokes the keys of a deleted domain, or all keys of a deleted account. */
export async function endKeys(
  db: Database,
  { accountId, domainId }: { readonly accountId: string; readonly domainId: string | undefined },
  reason: 'domain_deleted' | 'account_deleted',
  now: number,
): Promise<void> {
  const ended = await db
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .$if(domainId !== undefined, (query) => query.where('domain_id', '=', domainId ?? null))
    .where('revoked_at', 'is', null)
    .returning(SHOWN_OF_KEY)
    .execute()
  await keepKeyEvents(db, ended, 'key.revoked', now, { reason })
}
