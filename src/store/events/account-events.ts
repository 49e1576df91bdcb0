// Stores the events of accounts in the commit of the change, and removes them.

import { beforeIdsOf, newId } from '../../lib/ids.ts'
import type { AccountEventType } from '../../model/account-event.ts'
import { inAnyCase } from '../../model/address.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { logEvent } from './event-log.ts'

/** ID of the feed with the events of all accounts, in place of the ID of a domain. */
export const ALL_ACCOUNTS = 'accounts'

/** A new event of an account. */
export interface NewAccountEvent {
  readonly accountId: string
  /** Domain of the object; null or absent for an object of the whole account. */
  readonly domainId?: string | null
  readonly type: AccountEventType
  readonly at: number
  readonly objectId: string
  /** Address that the event is about. */
  readonly email?: string | undefined
  readonly detail?: object
}

/** Writes events of accounts to the table `account_events` and to the event log of the transaction. */
export async function keepAccountEvents(db: Database, events: readonly NewAccountEvent[]): Promise<void> {
  const rows = events.map(({ accountId, domainId = null, type, at, objectId, email, detail = {} }) => {
    const id = newId('evt', at)
    logEvent(db, {
      ...{ id, accountId, type, at, stream: '' },
      // An event of an account has the ID of the account in place of the ID of a domain.
      domainId: accountId,
      messageId: objectId,
      ...{ createdAt: null, words: null, tag: null, size: null },
    })
    return {
      ...{ id, account_id: accountId, type, at, domain_id: domainId, object_id: objectId },
      email: email === undefined ? null : inAnyCase(email),
      detail: JSON.stringify(detail),
    }
  })
  await insertRows(db, 'account_events', rows)
}

/** Removes up to `limit` of the oldest events of all accounts from before a given time. */
export async function forgetAccountEvents(db: Database, before: number, limit: number): Promise<void> {
  const oldest = await db
    .selectFrom('account_events')
    .select('id')
    .where('id', '<', beforeIdsOf('evt', before))
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = oldest.at(-1)
  if (last !== undefined) await db.deleteFrom('account_events').where('id', '<=', last.id).execute()
}
