// Adds the recipient and the time of the next attempt, which the rows do not contain, to stored deliveries of a
// webhook.

import { type Read, reading } from '../store/database/store.ts'
import type { Delivery } from '../store/webhooks/deliveries.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import { emailOf, feedOf } from './webhook-feed.ts'

/** A delivery with the facts that its row does not contain. */
export interface DeliveryWithFacts {
  readonly delivery: Delivery
  /** Address of the first event; null for a test, and after the message was removed. */
  readonly email: string | null
  /** Earliest time of the next attempt, in milliseconds since the epoch; null if there will be none. */
  readonly nextAttemptAt: number | null
}

/** Returns deliveries of a webhook with their facts, in the given order. */
export async function withFacts(
  read: Read,
  webhook: Webhook,
  deliveries: readonly Delivery[],
): Promise<DeliveryWithFacts[]> {
  const first = deliveries.flatMap(({ positions }) => positions.slice(0, 1))
  const events = first.length === 0 ? [] : await reading(feedOf(webhook).at(read, first))
  const emails = new Map(events.map((event) => [event.position, emailOf(event)]))
  return deliveries.map((delivery) => ({
    delivery,
    email: emails.get(delivery.positions[0] ?? -1) ?? null,
    nextAttemptAt: nextAttemptOf(webhook, delivery),
  }))
}

/** A disabled webhook makes no attempts, and a webhook that pauses makes none before the end of its pause. */
const nextAttemptOf = (
  { status, resume_at }: Pick<Webhook, 'status' | 'resume_at'>,
  { due_at }: Delivery,
): number | null =>
  due_at === null || status !== 'enabled' ? null : Math.max(Number(due_at), Number(resume_at ?? 0))
