// Disables a webhook whose receiver rejects requests or does not respond, and records the change in the history of the
// domain.

import type { DisabledReason } from '../../model/webhook.ts'
import type { Database } from '../database/dialect.ts'
import { laterThan } from '../database/rows.ts'
import { keepDomainEvent } from '../domains/domain-rows.ts'
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
      .returning(['name', 'url'])
      .executeTakeFirst()
    if (disabled === undefined) continue
    const { name, url } = disabled
    const detail = { webhook_id: id, name, host: new URL(url).host, reason }
    await keepDomainEvent(db, { id: domainId, account_id: accountId }, 'webhook_disabled', now, detail)
  }
  return items.map(() => true)
}
