// Views of webhooks and deliveries in the API.

import type { Static } from 'typebox'
import { timeOfId } from '../../lib/ids.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import type { EventType } from '../../model/event.ts'
import type { WebhookFormat } from '../../model/webhook.ts'
import type { DeliveryWithFacts } from '../../webhooks/delivery-facts.ts'
import {
  p256PublicKeyOf,
  publicKeyOf,
  readKeys,
  rsaPublicKeyOf,
  type SigningKeys,
} from '../../webhooks/signing-keys.ts'
import type { OpenedWebhook } from '../../webhooks/webhook-editing.ts'
import type { DeliveryView, WebhookView } from '../contract/webhook.ts'
import type { WebhookPlace } from './place.ts'

/** Functions that return the public key of the signature of a format, if the format has an own signature by a key. */
const PUBLIC_KEYS: Readonly<Partial<Record<WebhookFormat, (keys: SigningKeys) => string>>> = {
  sendgrid: p256PublicKeyOf,
  postal: rsaPublicKeyOf,
}

/** Returns the fields of every webhook. */
export function commonWebhookView({ webhook, secrets, at }: OpenedWebhook) {
  const keys = readKeys(secrets, at)
  const [newest] = keys
  const publicKey = PUBLIC_KEYS[webhook.format] ?? publicKeyOf
  return {
    webhook_id: webhook.id,
    name: webhook.name,
    url: webhook.url,
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

/** Returns the view of a webhook of a domain. */
export const webhookView = (opened: OpenedWebhook): Static<typeof WebhookView> => ({
  ...commonWebhookView(opened),
  format: opened.webhook.format,
  event_types: JSON.parse(opened.webhook.event_types),
  test_events: opened.webhook.test_events === 1,
  streams: JSON.parse(opened.webhook.streams),
  tags: JSON.parse(opened.webhook.tags),
})

/** Returns a webhook with its signing secret, which is shown once. */
export const webhookWithSecret = (place: Pick<WebhookPlace, 'webhookView'>, opened: OpenedWebhook) => ({
  ...place.webhookView(opened),
  secret: opened.secrets.generations[0]?.secret ?? '',
})

/** Returns the view of a delivery to a webhook of a domain. */
export const deliveryView = (facts: DeliveryWithFacts): Static<typeof DeliveryView> => ({
  ...commonDeliveryView(facts),
  event_type: facts.delivery.event_type as EventType,
  message_id: facts.delivery.message_id,
  email: facts.email,
})

/** Returns the fields of every delivery. */
export const commonDeliveryView = ({ delivery, nextAttemptAt }: DeliveryWithFacts) => ({
  delivery_id: delivery.id,
  status: delivery.status,
  event_id: delivery.event_id,
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
