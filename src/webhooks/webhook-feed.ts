// The feed that a webhook delivers: the events of a domain, of its account, or of all accounts.

import type { FeedEventType } from '../model/account-event.ts'
import type { Read } from '../store/database/store.ts'
import { type AccountFeedEvent, withAccountContents } from '../store/events/account-feed.ts'
import {
  type FeedEvent,
  type FeedPage,
  type ReadContents,
  readFeedAt,
  readFeedWith,
  withContents,
} from '../store/events/feed.ts'
import { isWholeAccount } from '../store/messages/owner.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'

/** An event that a webhook delivers. */
export type DeliveredEvent = FeedEvent | AccountFeedEvent

export const isOfMessage = (event: DeliveredEvent): event is FeedEvent => 'messageId' in event

/** Returns the ID of the message or of the other object that an event is about; events of one object keep their order. */
export const subjectOf = (event: DeliveredEvent): string =>
  isOfMessage(event) ? event.messageId : event.objectId

/** Returns the address that an event is about; null for an event about no address. */
export function emailOf(event: DeliveredEvent): string | null {
  if (isOfMessage(event)) return event.email
  const { email } = event.detail
  return typeof email === 'string' ? email : null
}

/** Position, limit and types of a page of a feed. */
interface Page {
  readonly after: number
  readonly limit: number
  readonly types: ReadonlySet<FeedEventType>
}

/** The feed of a webhook. */
export interface WebhookFeed {
  page(read: Read, page: Page): Promise<FeedPage<DeliveredEvent>>
  /** Returns the events at these positions, in order; removed events are left out. */
  at(read: Read, positions: readonly number[]): Promise<readonly DeliveredEvent[]>
}

/** True for a webhook that delivers events of accounts. */
export const isOfAccount = ({ account_id, domain_id }: Pick<Webhook, 'account_id' | 'domain_id'>): boolean =>
  isWholeAccount({ accountId: account_id, domainId: domain_id })

/** Returns the feed of a webhook. */
export function feedOf(webhook: Pick<Webhook, 'account_id' | 'domain_id' | 'feed_id'>): WebhookFeed {
  const domainId = webhook.feed_id
  const contents: ReadContents<DeliveredEvent> = isOfAccount(webhook) ? withAccountContents : withContents
  return {
    page: (read, page) => readFeedWith(read, { domainId, ...page }, contents),
    at: (read, positions) => readFeedAt(read, domainId, positions, contents),
  }
}
