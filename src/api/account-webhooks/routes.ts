// Endpoints of the webhooks of an account, which get the events of the account.

import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { idCursor, page } from '../../http/page.ts'
import type { AccountEventType } from '../../model/account-event.ts'
import { reading } from '../../store/database/store.ts'
import { ALL_ACCOUNTS } from '../../store/events/account-events.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { listWebhooks as listStored, type Webhook } from '../../store/webhooks/webhooks.ts'
import type { DeliveryWithFacts } from '../../webhooks/delivery-facts.ts'
import type { OpenedWebhook } from '../../webhooks/webhook-editing.ts'
import { callerOf, requireScope } from '../caller.ts'
import {
  AccountDeliveryDetails,
  AccountDeliveryList,
  AccountDeliveryQuery,
  AccountDeliveryView,
  AccountTestBody,
  AccountWebhookBody,
  AccountWebhookCreated,
  AccountWebhookList,
  AccountWebhookPatch,
  AccountWebhookView,
} from '../contract/account-webhook.ts'
import { NamedPageQuery } from '../contract/common.ts'
import { defineRoute, type Route } from '../route.ts'
import { shapeOf, type WebhookPlace } from '../webhooks/place.ts'
import { type WebhookServices, webhookRoutesOf } from '../webhooks/routes.ts'
import { commonDeliveryView, commonWebhookView } from '../webhooks/view.ts'
import { wholeAccountOf } from '../whole-account.ts'

const isOfAll = ({ feed_id }: Pick<Webhook, 'feed_id'>): boolean => feed_id === ALL_ACCOUNTS

const ownerOf = (request: FastifyRequest): Owner =>
  wholeAccountOf(request, 'Webhooks of the account get the events of')

const webhookView = (opened: OpenedWebhook): Static<typeof AccountWebhookView> => ({
  ...commonWebhookView(opened),
  event_types: JSON.parse(opened.webhook.event_types),
  all_accounts: isOfAll(opened.webhook),
})

const deliveryView = (facts: DeliveryWithFacts): Static<typeof AccountDeliveryView> => ({
  ...commonDeliveryView(facts),
  event_type: facts.delivery.event_type as AccountEventType,
  object_id: facts.delivery.message_id,
})

const OF_ACCOUNT: WebhookPlace = {
  url: '/v1/account-webhooks',
  tags: ['Account webhooks'],
  one: 'a webhook of the account',
  rights: 'The webhook gets the events of `GET /v1/account-events`, in the format of Standard Webhooks.',
  ...{ read: 'account:read', write: 'account:write', domains: undefined },
  refusals: ['domain_not_permitted'],
  shapes: {
    body: shapeOf(AccountWebhookBody),
    patch: shapeOf(AccountWebhookPatch),
    view: AccountWebhookView,
    created: AccountWebhookCreated,
    test: shapeOf(AccountTestBody),
    delivery: AccountDeliveryView,
    deliveryQuery: shapeOf(AccountDeliveryQuery),
    deliveryList: AccountDeliveryList,
    deliveryDetails: AccountDeliveryDetails,
  },
  ownerOf,
  withinRights(request, input) {
    if (input.all_accounts === true) requireScope(request, 'accounts:read')
    return input
  },
  requireRightTo(request, webhook, changes) {
    // A change of the URL could send the events of all accounts elsewhere.
    if (isOfAll(webhook) || changes.all_accounts === true) requireScope(request, 'accounts:read')
  },
  maySeeRequests: (request, webhook) => !isOfAll(webhook) || callerOf(request).scopes.has('accounts:read'),
  ...{ webhookView, deliveryView },
  deliveryFilter: ({ status, object_id: messageId }) => ({ status, messageId }),
}

export const accountWebhookRoutes = (services: WebhookServices): readonly Route[] => [
  listWebhooks(services),
  ...webhookRoutesOf(services, OF_ACCOUNT),
]

const listWebhooks = ({ read, webhooks }: WebhookServices) =>
  defineRoute({
    method: 'GET',
    url: OF_ACCOUNT.url,
    schema: {
      tags: OF_ACCOUNT.tags,
      summary: 'List webhooks of the account',
      querystring: NamedPageQuery,
      response: { 200: AccountWebhookList },
    },
    refusals: [...OF_ACCOUNT.refusals, 'malformed_request', 'validation_failed'],
    scope: OF_ACCOUNT.read,
    async handler(request) {
      const owner = ownerOf(request)
      const { name: wanted, ...paging } = request.query
      return page(
        paging,
        idCursor('whk'),
        async (limit, cursor) => {
          // The list of all webhooks of an account fits on one page, and is cut off here for a smaller page.
          const all = await reading(listStored(read, owner))
          const named = all.filter(({ name }) => wanted === undefined || name === wanted)
          return named.filter(({ id }) => cursor === undefined || id < cursor).slice(0, limit)
        },
        ({ id }) => id,
        (webhook) => webhookView(webhooks.open(webhook)),
      )
    },
  })
