// Endpoints of webhooks.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { readTime } from '../../http/filters.ts'
import { idCursor, page } from '../../http/page.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { WEBHOOK_LIMITS } from '../../model/webhook.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { type Delivery, listDeliveries as listStoredDeliveries } from '../../store/webhooks/deliveries.ts'
import { listWebhooks as listStored } from '../../store/webhooks/webhooks.ts'
import { type DeliveryWithFacts, withFacts } from '../../webhooks/delivery-facts.ts'
import type { SignedRequest } from '../../webhooks/request.ts'
import type { WebhookEditing } from '../../webhooks/webhook-editing.ts'
import { rangeProblems } from '../../webhooks/webhook-fields.ts'
import { senderOfRequest } from '../caller.ts'
import { NamedPageQuery } from '../contract/common.ts'
import {
  DeliveryDetails,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  DeliveryView,
  ReplayBody,
  RotateBody,
  TestBody,
  WebhookBody,
  WebhookCreated,
  WebhookList,
  WebhookParams,
  WebhookPatch,
  WebhookView,
} from '../contract/webhook.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { seenBy } from '../if-match.ts'
import { defineRoute, paramsOf, type Route } from '../route.ts'
import { maySeeRequests, requireRightTo, withinRights } from './content-rights.ts'
import { deliveryView, webhookView, webhookWithSecret } from './view.ts'

const tags = ['Webhooks']
const params = WebhookParams
const one = '/v1/webhooks/:webhook_id'
const body = { maxBytes: MAX_SMALL_BODY } as const

export interface WebhookServices {
  readonly read: Read
  readonly webhooks: WebhookEditing
}

export const webhookRoutes = (services: WebhookServices): readonly Route[] => [
  listWebhooks(services),
  createWebhook(services),
  showWebhook(services),
  changeWebhook(services),
  deleteWebhook(services),
  testWebhook(services),
  rotateSecret(services),
  replayEvents(services),
  listDeliveries(services),
  showDelivery(services),
  retryDelivery(services),
]

/** Returns a function that returns the webhook in the path with its version for `If-Match`. */
const presentWebhook = (webhooks: WebhookEditing) => async (request: FastifyRequest) => {
  const opened = await webhooks.find(senderOfRequest(request), paramsOf(request).webhook_id ?? '')
  return { shown: webhookView(opened), seen: opened.webhook.updated_at }
}

const listWebhooks = ({ read, webhooks }: WebhookServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/webhooks',
    schema: {
      tags,
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

const createWebhook = ({ webhooks }: WebhookServices) =>
  defineRoute({
    method: 'POST',
    url: '/v1/webhooks',
    consequence: 'data',
    schema: {
      tags,
      summary: 'Create a webhook',
      description:
        'Creates a webhook, which receives new events from now on. Only this response contains the secret. A key without the scope `content:read` creates only webhooks without `received` events.',
      body: WebhookBody,
      response: { 201: WebhookCreated },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'webhooks:write',
    domains: 'one',
    body,
    audit: 'webhook.create',
    check: (request, fields) => webhooks.problemsOfNew(senderOfRequest(request), fields),
    async handler(request, reply) {
      const opened = await webhooks.create(senderOfRequest(request), withinRights(request, request.body))
      reply.code(201).header('location', `/v1/webhooks/${opened.webhook.id}`)
      return webhookWithSecret(opened)
    },
  })

const showWebhook = ({ webhooks }: WebhookServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve a webhook', params, response: { 200: WebhookView } },
    refusals: ['not_found'],
    scope: 'webhooks:read',
    domains: 'one',
    versioned: true,
    async handler(request) {
      const { webhook_id } = request.params
      return webhookView(await webhooks.find(senderOfRequest(request), webhook_id))
    },
  })

const changeWebhook = ({ webhooks }: WebhookServices) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    consequence: 'data',
    schema: {
      tags,
      summary: 'Change a webhook',
      description: 'Changes the given fields; omitted fields stay unchanged.',
      params,
      body: WebhookPatch,
      response: { 200: WebhookView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'webhooks:write',
    domains: 'one',
    versioned: presentWebhook(webhooks),
    body,
    audit: 'webhook.change',
    check: (request, fields) =>
      webhooks.problemsOfChange(senderOfRequest(request), request.params.webhook_id, fields),
    async handler(request) {
      const { webhook_id } = request.params
      const { webhook } = await webhooks.find(senderOfRequest(request), webhook_id)
      requireRightTo(request, webhook, request.body)
      const seen = seenBy<number>(request)
      return webhookView(await webhooks.change(senderOfRequest(request), webhook_id, request.body, seen))
    },
  })

const deleteWebhook = ({ webhooks }: WebhookServices) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'withdrawal',
    schema: { tags, summary: 'Delete a webhook', params, response: { 204: Type.Null() } },
    refusals: ['not_found'],
    scope: 'webhooks:write',
    domains: 'one',
    versioned: presentWebhook(webhooks),
    audit: 'webhook.delete',
    async handler(request, reply) {
      await webhooks.remove(senderOfRequest(request), request.params.webhook_id, seenBy<number>(request))
      return reply.code(204).send()
    },
  })

const testWebhook = (services: WebhookServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/test`,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Test a webhook',
      description: 'Sends a sample event immediately and returns the outcome. The event is not retried.',
      params,
      body: TestBody,
      response: { 200: DeliveryView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'webhooks:write',
    domains: 'one',
    body,
    audit: 'webhook.test',
    async handler(request) {
      const { webhook_id } = request.params
      const owner = senderOfRequest(request)
      const delivery = await services.webhooks.test(owner, webhook_id, request.body.event_type)
      return viewOf(services, owner, delivery)
    },
  })

const rotateSecret = ({ webhooks }: WebhookServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/rotate-secret`,
    consequence: 'data',
    schema: {
      tags,
      summary: 'Rotate the secret of a webhook',
      description:
        'Creates a new secret, which only this response contains. For some time, requests are also signed with the previous secret.',
      params,
      body: RotateBody,
      response: { 200: WebhookCreated },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'webhooks:write',
    domains: 'one',
    body,
    audit: 'webhook.rotate',
    async handler(request) {
      const { previous_valid_for_seconds: seconds = WEBHOOK_LIMITS.rotation.usual } = request.body
      const { webhook_id } = request.params
      const opened = await webhooks.rotate(senderOfRequest(request), webhook_id, seconds)
      return webhookWithSecret(opened)
    },
  })

const replayEvents = ({ webhooks }: WebhookServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/replay`,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Replay the events of a time range',
      description: 'Delivers the events again with the same IDs and in order, in addition to new events.',
      params,
      body: ReplayBody,
      response: { 202: WebhookView },
    },
    refusals: ['malformed_request', 'not_found', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'webhooks:write',
    domains: 'one',
    body,
    audit: 'webhook.replay',
    check: (_, fields) => rangeOf(fields).problems,
    async handler(request, reply) {
      const { from, until, problems } = rangeOf(request.body)
      if (problems.length > 0 || from === undefined) throw invalidFields(problems)
      const { webhook_id } = request.params
      const opened = await webhooks.replay(senderOfRequest(request), webhook_id, from, until)
      reply.code(202).header('location', `/v1/webhooks/${webhook_id}`)
      return webhookView(opened)
    },
  })

function rangeOf(given: Partial<Static<typeof ReplayBody>>) {
  const problems: FieldProblem[] = []
  const from = readTime('from', given.from, problems)
  const until = readTime('until', given.until, problems)
  if (from !== undefined && until !== undefined) problems.push(...rangeProblems(from, until))
  return { from, until, problems }
}

const listDeliveries = ({ read, webhooks }: WebhookServices) =>
  defineRoute({
    method: 'GET',
    url: `${one}/deliveries`,
    schema: {
      tags,
      summary: 'List the deliveries of a webhook',
      params,
      querystring: DeliveryQuery,
      response: { 200: DeliveryList },
    },
    refusals: ['malformed_request', 'not_found', 'validation_failed'],
    scope: 'webhooks:read',
    domains: 'one',
    async handler(request) {
      const owner = senderOfRequest(request)
      const { webhook_id: id } = request.params
      const { status, message_id: messageId, recipient } = request.query
      const { webhook } = await webhooks.find(owner, id)
      const filter = { ...owner, id, status, messageId, recipient }
      return page(
        request.query,
        idCursor('whd'),
        async (limit, before) => {
          const found = await reading(listStoredDeliveries(read, { ...filter, limit, before }))
          return withFacts(read, webhook, found)
        },
        ({ delivery }) => delivery.id,
        deliveryView,
      )
    },
  })

const showDelivery = (services: WebhookServices) =>
  defineRoute({
    method: 'GET',
    url: `${one}/deliveries/:delivery_id`,
    schema: {
      tags,
      summary: 'Retrieve a delivery with its request',
      params: DeliveryParams,
      response: { 200: DeliveryDetails },
    },
    refusals: ['not_found'],
    scope: 'webhooks:read',
    domains: 'one',
    async handler(request, reply) {
      const { webhook_id, delivery_id } = request.params
      const owner = senderOfRequest(request)
      const { delivery, request: sent } = await services.webhooks.delivery(
        owner,
        webhook_id,
        delivery_id,
        (bytes) => request.holdAnswer(reply, bytes),
      )
      const view = await viewOf(services, owner, delivery)
      const { webhook } = await services.webhooks.find(owner, webhook_id)
      const isShown = sent !== undefined && maySeeRequests(request, webhook)
      return { ...view, request: isShown ? withoutPassword(sent) : null }
    },
  })

/** Returns the view of a delivery with its facts. Throws `not_found` if the webhook was deleted in the meantime. */
async function viewOf(
  { read, webhooks }: WebhookServices,
  owner: Owner,
  delivery: Delivery,
): Promise<Static<typeof DeliveryView>> {
  const { webhook } = await webhooks.find(owner, delivery.webhook_id)
  const [known] = await withFacts(read, webhook, [delivery])
  return deliveryView(known as DeliveryWithFacts)
}

/** Returns the request of a delivery without the receiver's password, which is never shown. */
const withoutPassword = ({ headers: { authorization, ...headers }, body }: SignedRequest): SignedRequest => ({
  headers: { ...headers, ...(authorization === undefined ? {} : { authorization: 'Basic …' }) },
  body,
})

const retryDelivery = (services: WebhookServices) =>
  defineRoute({
    method: 'POST',
    url: `${one}/deliveries/:delivery_id/retry`,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Retry a delivery',
      description: 'Makes the delivery due at once with the same ID, regardless of its earlier result.',
      params: DeliveryParams,
      response: { 200: DeliveryView },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'webhooks:write',
    domains: 'one',
    audit: 'webhook.retry',
    async handler(request) {
      const { webhook_id, delivery_id } = request.params
      const owner = senderOfRequest(request)
      return viewOf(services, owner, await services.webhooks.retry(owner, webhook_id, delivery_id))
    },
  })
