// Events of suppressions in the feed of their account.

import { type AccountEventType, LISTED_SUPPRESSIONS } from '../../model/account-event.ts'
import { SERVICE_STREAM } from '../../model/stream.ts'
import type { Database } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { isWholeAccount } from '../messages/owner.ts'

type Suppression = Tables['suppressions']

/**
 * Writes the events of suppressions that were added, or removed at the time `at`. Many suppressions of one list cause one
 * event that counts them. The service's own mail belongs to no account and causes no event.
 */
export async function tellSuppressions(
  db: Database,
  type: AccountEventType & `suppression.${string}`,
  suppressions: readonly Suppression[],
  at?: number,
): Promise<void> {
  const shown = suppressions.filter(({ stream }) => stream !== SERVICE_STREAM)
  const lists = Map.groupBy(shown, ({ domain_id, stream, reason }) => `${domain_id} ${stream} ${reason}`)
  for (const list of lists.values()) {
    const isCounted = list.length > LISTED_SUPPRESSIONS
    await keepAccountEvents(
      db,
      list.slice(0, isCounted ? 1 : undefined).map((suppression) => {
        const { id, account_id: accountId, domain_id: domainId, stream, email, reason } = suppression
        return {
          ...{ accountId, type, at: at ?? suppression.created_at, objectId: isCounted ? domainId : id },
          domainId: isWholeAccount({ accountId, domainId }) ? null : domainId,
          email: isCounted ? undefined : email,
          detail: {
            ...{ stream, reason, count: isCounted ? list.length : 1 },
            ...(type === 'suppression.added'
              ? { message_id: isCounted ? null : suppression.message_id }
              : {}),
          },
        }
      }),
    )
  }
}
