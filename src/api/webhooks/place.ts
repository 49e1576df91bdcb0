// Differences between the webhooks of a domain and of an account at the API: paths, scopes, shapes and rights.

import type { FastifyRequest } from 'fastify'
import type { TSchema, TUnsafe } from 'typebox'
import type { Scope } from '../../access/scopes.ts'
import type { PageRequest } from '../../http/page.ts'
import type { FeedEventType } from '../../model/account-event.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { DeliveryStatus } from '../../model/webhook.ts'
import type { Owner } from '../../store/messages/owner.ts'
import type { DeliveryQuery } from '../../store/webhooks/deliveries.ts'
import type { Webhook } from '../../store/webhooks/webhooks.ts'
import type { DeliveryWithFacts } from '../../webhooks/delivery-facts.ts'
import type { OpenedWebhook } from '../../webhooks/webhook-editing.ts'
import type { WebhookChanges, WebhookInput } from '../../webhooks/webhook-fields.ts'

/** Query of a list of deliveries, with the filters of both places. */
interface DeliveryFilters extends PageRequest {
  readonly status?: DeliveryStatus
  readonly message_id?: string
  readonly recipient?: string
  readonly object_id?: string
}

/** Returns the same shape with the type that the shapes of both places have in common. */
export const shapeOf = <Type>(shape: TSchema): TUnsafe<Type> => shape as unknown as TUnsafe<Type>

/** Shapes of the requests and responses; the types of the requests are those that both places have in common. */
interface WebhookShapes {
  readonly body: TUnsafe<WebhookInput>
  readonly patch: TUnsafe<WebhookChanges>
  readonly view: TSchema
  readonly created: TSchema
  readonly test: TUnsafe<{ readonly event_type?: FeedEventType }>
  readonly delivery: TSchema
  readonly deliveryQuery: TUnsafe<DeliveryFilters>
  readonly deliveryList: TSchema
  readonly deliveryDetails: TSchema
}

/** A place of webhooks: a domain or an account. */
export interface WebhookPlace {
  readonly url: string
  readonly tags: readonly string[]
  /** The noun with its article, for summaries. */
  readonly one: string
  /** Sentence about the rights that a new webhook requires. */
  readonly rights: string
  /** Scope of reading and of changing the webhooks. */
  readonly read: Scope
  readonly write: Scope
  readonly domains: 'one' | undefined
  /** Refusals of every endpoint of the place. */
  readonly refusals: readonly ProblemCode[]
  readonly shapes: WebhookShapes
  ownerOf(request: FastifyRequest): Owner
  /** Returns a new webhook as its maker may have it. Throws `scope_not_permitted`. */
  withinRights(request: FastifyRequest, input: WebhookInput): WebhookInput
  /** Throws `scope_not_permitted` for a change that the caller may not make. */
  requireRightTo(request: FastifyRequest, webhook: Webhook, changes: WebhookChanges): void
  /** True if the caller may see the requests of a webhook. */
  maySeeRequests(request: FastifyRequest, webhook: Webhook): boolean
  webhookView(opened: OpenedWebhook): object
  deliveryView(delivery: DeliveryWithFacts): object
  deliveryFilter(query: DeliveryFilters): Pick<DeliveryQuery, 'status' | 'messageId' | 'recipient'>
}
