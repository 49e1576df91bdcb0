// Webhooks whose receivers reject requests or do not respond: disables a webhook, and records its state in the history of
// the domain and in the events of the account.

import type { DisabledReason } from '../../model/webhook.ts'
import type { Database } from '../database/dialect.ts'
import { laterThan } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepDomainEvent } from '../domains/domain-rows.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { isWholeAccount } from '../messages/owner.ts'
import type { HeldKey } from './leases.ts'
import { UPDATED_AT } from './webhooks.ts'

/** A webhook whose receiver rejects requests permanently or does not respond. */
export interface DisableWebhook extends HeldKey {
  readonly reason: DisabledReason
  readonly now: number
}

/** Disables webhooks, with an event of the domain for each webhook; does nothing if another node holds the lease. */
export async function disableWebhook(db: Database, items: readonly DisableWebhook[]): Promise<true[]> {
  for (const { accountId, domainId, id, reason, lease, now } of items) {
    const disabled = await db
      .updateTable('webhooks')
      .set({
        ...{ status: 'disabled', disabled_reason: reason, disabled_at: now },
        updated_at: laterThan(UPDATED_AT, now),
        ...{ lease: null, lease_until: null },
      })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('lease', '=', lease)
      .where('status', '=', 'enabled')
      .returning(SHOWN_OF_WEBHOOK)
      .executeTakeFirst()
    if (disabled === undefined) continue
    await tellFailing(db, disabled, { status: 'disabled', reason }, now)
    if (isWholeAccount({ accountId, domainId })) continue
    const { name, url } = disabled
    const detail = { webhook_id: id, name, host: new URL(url).host, reason }
    await keepDomainEvent(db, { id: domainId, account_id: accountId }, 'webhook_disabled', now, detail)
  }
  return items.map(() => true)
}

/** Columns of a webhook that the event of its failure shows. */
export const SHOWN_OF_WEBHOOK = ['id', 'account_id', 'domain_id', 'name', 'url'] as const

/** Writes the event of a webhook that was paused or disabled because of its receiver. */
export const tellFailing = (
  db: Database,
  webhook: Pick<Tables['webhooks'], (typeof SHOWN_OF_WEBHOOK)[number]>,
  state: { readonly status: 'paused' | 'disabled'; readonly reason: DisabledReason },
  at: number,
): Promise<void> => {
  const { id, account_id: accountId, domain_id: domainId, name, url } = webhook
  return keepAccountEvents(db, [
    {
      ...{ accountId, type: 'webhook.failing', at, objectId: id },
      domainId: isWholeAccount({ accountId, domainId }) ? null : domainId,
      detail: { name, host: new URL(url).host, ...state },
    },
  ])
}
