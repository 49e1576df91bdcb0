// Views of webhooks and deliveries in the API.

import type { Static } from 'typebox'
import { timeOfId } from '../../lib/ids.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import type { DeliveryWithFacts } from '../../webhooks/delivery-facts.ts'
import { p256PublicKeyOf, publicKeyOf, readKeys } from '../../webhooks/signing-keys.ts'
import type { OpenedWebhook } from '../../webhooks/webhook-editing.ts'
import type { DeliveryView, WebhookView } from '../contract/webhook.ts'

export function webhookView({ webhook, secrets, at }: OpenedWebhook): Static<typeof WebhookView> {
  const keys = readKeys(secrets, at)
  const [newest] = keys
  const publicKey = webhook.format === 'sendgrid' ? p256PublicKeyOf : publicKeyOf
  return {
    webhook_id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    format: webhook.format,
    event_types: JSON.parse(webhook.event_types),
    test_events: webhook.test_events === 1,
    streams: JSON.parse(webhook.streams),
    tags: JSON.parse(webhook.tags),
    batch_size: webhook.batch,
    basic_auth_username: secrets.basicAuth?.username ?? null,
    enabled: webhook.status === 'enabled',
    disabled_reason: webhook.disabled_reason,
    disabled_at: formatTime(webhook.disabled_at),
    failing_since: formatTime(webhook.failing_since),
    replaying: webhook.replay_position !== null,
    public_key: newest === undefined ? '' : publicKey(newest),
    secrets: keys.map(({ createdAt, endsAt }) => ({
      created_at: formatTime(createdAt),
      expires_at: formatTime(endsAt),
    })),
    created_at: formatTime(webhook.created_at),
    updated_at: formatTime(webhook.updated_at),
  }
}

/** Returns a webhook with its signing secret, which is shown once. */
export const webhookWithSecret = (opened: OpenedWebhook) => ({
  ...webhookView(opened),
  secret: opened.secrets.generations[0]?.secret ?? '',
})

export const deliveryView = ({
  delivery,
  email,
  nextAttemptAt,
}: DeliveryWithFacts): Static<typeof DeliveryView> => ({
  delivery_id: delivery.id,
  status: delivery.status,
  event_id: delivery.event_id,
  event_type: delivery.event_type,
  message_id: delivery.message_id,
  email,
  events: Math.max(1, delivery.positions.length),
  test: delivery.positions.length === 0,
  attempt_count: delivery.attempts,
  next_attempt_at: formatTime(nextAttemptAt),
  attempts: delivery.log.map(({ at, latencyMs, status, problem, answer }) => ({
    at: formatTime(at),
    status,
    problem,
    latency_ms: latencyMs,
    answer,
  })),
  created_at: formatTime(timeOfId(delivery.id)),
})
