// Endpoints of the webhooks of a domain.

import { reading } from '../../store/database/store.ts'
import { listWebhooks as listStored } from '../../store/webhooks/webhooks.ts'
import { senderOfRequest } from '../caller.ts'
import { NamedPageQuery } from '../contract/common.ts'
import {
  DeliveryDetails,
  DeliveryList,
  DeliveryQuery,
  DeliveryView,
  TestBody,
  WebhookBody,
  WebhookCreated,
  WebhookList,
  WebhookPatch,
  WebhookView,
} from '../contract/webhook.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { defineRoute, type Route } from '../route.ts'
import { maySeeRequests, requireRightTo, withinRights } from './content-rights.ts'
import { shapeOf, type WebhookPlace } from './place.ts'
import { type WebhookServices, webhookRoutesOf } from './routes.ts'
import { deliveryView, webhookView } from './view.ts'

const OF_DOMAIN: WebhookPlace = {
  url: '/v1/webhooks',
  tags: ['Webhooks'],
  one: 'a webhook',
  rights: 'A key without the scope `content:read` creates only webhooks without `received` events.',
  ...{ read: 'webhooks:read', write: 'webhooks:write', domains: 'one', refusals: [] },
  shapes: {
    body: shapeOf(WebhookBody),
    patch: shapeOf(WebhookPatch),
    view: WebhookView,
    created: WebhookCreated,
    test: shapeOf(TestBody),
    delivery: DeliveryView,
    deliveryQuery: shapeOf(DeliveryQuery),
    deliveryList: DeliveryList,
    deliveryDetails: DeliveryDetails,
  },
  ownerOf: senderOfRequest,
  ...{ withinRights, requireRightTo, maySeeRequests },
  ...{ webhookView, deliveryView },
  deliveryFilter: ({ status, message_id: messageId, recipient }) => ({ status, messageId, recipient }),
}

export const webhookRoutes = (services: WebhookServices): readonly Route[] => [
  listWebhooks(services),
  ...webhookRoutesOf(services, OF_DOMAIN),
]

const listWebhooks = ({ read, webhooks }: WebhookServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/webhooks',
    schema: {
      tags: OF_DOMAIN.tags,
      summary: 'List webhooks',
      querystring: NamedPageQuery,
      response: { 200: WebhookList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'webhooks:read',
    domains: 'all',
    async handler(request) {
      const { name: wanted } = request.query
      return pageOfDomains(request, request.query, {
        ...listById('whk', async (owner, limit, cursor) => {
          // The list of all webhooks of a domain fits on one page, and is cut off here for a smaller page.
          const all = await reading(listStored(read, owner))
          const named = all.filter(({ name }) => wanted === undefined || name === wanted)
          return named.filter(({ id }) => cursor === undefined || id < cursor).slice(0, limit)
        }),
        view: (webhook) => webhookView(webhooks.open(webhook)),
      })
    },
  })
