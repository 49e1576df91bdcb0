// Webhook rows for tests of the store.

import { newId } from '../../src/lib/ids.ts'
import type { SealedText } from '../../src/store/database/secrets.ts'
import type { Owner } from '../../src/store/messages/owner.ts'
import type { Delivery } from '../../src/store/webhooks/deliveries.ts'
import type { Webhook } from '../../src/store/webhooks/webhooks.ts'
import { NOW } from './queued.ts'

/** Returns a webhook for all events, without a lease. */
export const webhookOf = ({ accountId, domainId }: Owner): Webhook => ({
  ...{ id: newId('whk'), account_id: accountId, domain_id: domainId, name: '' },
  feed_id: domainId,
  ...{
    url: 'https://receiver.example/',
    format: 'standard',
    event_types: '[]',
    test_events: 0,
    streams: '[]',
    tags: '[]',
  },
  ...{ batch: 1, secrets: '{}' as SealedText, status: 'enabled', disabled_reason: null, disabled_at: null },
  ...{ position: 0, attempted_to: 0, replay_position: null, replay_until: null, replay_before: null },
  ...{ due_at: null, resume_at: null },
  ...{ failures: 0, failing_since: null, lease: null, lease_until: null, created_at: NOW, updated_at: NOW },
})

/** Returns a webhook delivery that the receiver has accepted. */
export const deliveryOf = (webhook: Webhook, more: Partial<Delivery> = {}): Delivery => ({
  ...{ webhook_id: webhook.id, id: newId('whd') },
  ...{ account_id: webhook.account_id, domain_id: webhook.domain_id },
  ...{ event_id: newId('evt'), event_type: 'delivered', message_id: newId('msg'), positions: [1] },
  ...{ status: 'delivered', attempts: 1, log: [], due_at: null },
  ...more,
})
