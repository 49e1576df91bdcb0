// Endpoints of webhooks, the same for the webhooks of a domain and of an account.

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
import { type DeliveryWithFacts, withFacts } from '../../webhooks/delivery-facts.ts'
import type { SignedRequest } from '../../webhooks/request.ts'
import type { WebhookEditing } from '../../webhooks/webhook-editing.ts'
import { rangeProblems } from '../../webhooks/webhook-fields.ts'
import { DeliveryParams, ReplayBody, RotateBody, WebhookParams } from '../contract/webhook.ts'
import { seenBy } from '../if-match.ts'
import { defineRoute, paramsOf, type Route } from '../route.ts'
import type { WebhookPlace } from './place.ts'
import { webhookWithSecret } from './view.ts'

const params = WebhookParams
const body = { maxBytes: MAX_SMALL_BODY } as const

export interface WebhookServices {
  readonly read: Read
  readonly webhooks: WebhookEditing
}

/** Returns the endpoints of the webhooks of a place, except the list of webhooks. */
export const webhookRoutesOf = (services: WebhookServices, place: WebhookPlace): readonly Route[] => [
  createWebhook(services, place),
  showWebhook(services, place),
  changeWebhook(services, place),
  deleteWebhook(services, place),
  testWebhook(services, place),
  rotateSecret(services, place),
  replayEvents(services, place),
  listDeliveries(services, place),
  showDelivery(services, place),
  retryDelivery(services, place),
]

/** Returns a function that returns the webhook in the path with its version for `If-Match`. */
const presentWebhook = (webhooks: WebhookEditing, place: WebhookPlace) => async (request: FastifyRequest) => {
  const opened = await webhooks.find(place.ownerOf(request), paramsOf(request).webhook_id ?? '')
  return { shown: place.webhookView(opened), seen: opened.webhook.updated_at }
}

const createWebhook = ({ webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'POST',
    url: place.url,
    consequence: 'data',
    schema: {
      tags: place.tags,
      summary: `Create ${place.one}`,
      description: `Creates a webhook, which receives new events from now on. Only this response contains the secret. ${place.rights}`,
      body: place.shapes.body,
      response: { 201: place.shapes.created },
    },
    refusals: [...place.refusals, 'malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: place.write,
    domains: place.domains,
    body,
    audit: 'webhook.create',
    check: (request, fields) => webhooks.problemsOfNew(place.ownerOf(request), fields),
    async handler(request, reply) {
      const opened = await webhooks.create(place.ownerOf(request), place.withinRights(request, request.body))
      reply.code(201).header('location', `${place.url}/${opened.webhook.id}`)
      return webhookWithSecret(place, opened)
    },
  })

const showWebhook = ({ webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'GET',
    url: `${place.url}/:webhook_id`,
    schema: {
      tags: place.tags,
      summary: `Retrieve ${place.one}`,
      params,
      response: { 200: place.shapes.view },
    },
    refusals: [...place.refusals, 'not_found'],
    scope: place.read,
    domains: place.domains,
    versioned: true,
    async handler(request) {
      const { webhook_id } = request.params
      return place.webhookView(await webhooks.find(place.ownerOf(request), webhook_id))
    },
  })

const changeWebhook = ({ webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'PATCH',
    url: `${place.url}/:webhook_id`,
    consequence: 'data',
    schema: {
      tags: place.tags,
      summary: `Change ${place.one}`,
      description: 'Changes the given fields; omitted fields stay unchanged.',
      params,
      body: place.shapes.patch,
      response: { 200: place.shapes.view },
    },
    refusals: [...place.refusals, 'malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: place.write,
    domains: place.domains,
    versioned: presentWebhook(webhooks, place),
    body,
    audit: 'webhook.change',
    check: (request, fields) =>
      webhooks.problemsOfChange(place.ownerOf(request), request.params.webhook_id, fields),
    async handler(request) {
      const { webhook_id } = request.params
      const { webhook } = await webhooks.find(place.ownerOf(request), webhook_id)
      place.requireRightTo(request, webhook, request.body)
      const seen = seenBy<number>(request)
      return place.webhookView(await webhooks.change(place.ownerOf(request), webhook_id, request.body, seen))
    },
  })

const deleteWebhook = ({ webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'DELETE',
    url: `${place.url}/:webhook_id`,
    consequence: 'withdrawal',
    schema: { tags: place.tags, summary: `Delete ${place.one}`, params, response: { 204: Type.Null() } },
    refusals: [...place.refusals, 'not_found'],
    scope: place.write,
    domains: place.domains,
    versioned: presentWebhook(webhooks, place),
    audit: 'webhook.delete',
    async handler(request, reply) {
      await webhooks.remove(place.ownerOf(request), request.params.webhook_id, seenBy<number>(request))
      return reply.code(204).send()
    },
  })

const testWebhook = (services: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'POST',
    url: `${place.url}/:webhook_id/test`,
    consequence: 'none',
    schema: {
      tags: place.tags,
      summary: `Test ${place.one}`,
      description: 'Sends a sample event immediately and returns the outcome. The event is not retried.',
      params,
      body: place.shapes.test,
      response: { 200: place.shapes.delivery },
    },
    refusals: [...place.refusals, 'malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: place.write,
    domains: place.domains,
    body,
    audit: 'webhook.test',
    async handler(request) {
      const { webhook_id } = request.params
      const owner = place.ownerOf(request)
      const delivery = await services.webhooks.test(owner, webhook_id, request.body.event_type)
      return viewOf(services, place, owner, delivery)
    },
  })

const rotateSecret = ({ webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'POST',
    url: `${place.url}/:webhook_id/rotate-secret`,
    consequence: 'data',
    schema: {
      tags: place.tags,
      summary: `Rotate the secret of ${place.one}`,
      description:
        'Creates a new secret, which only this response contains. For some time, requests are also signed with the previous secret.',
      params,
      body: RotateBody,
      response: { 200: place.shapes.created },
    },
    refusals: [...place.refusals, 'malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: place.write,
    domains: place.domains,
    body,
    audit: 'webhook.rotate',
    async handler(request) {
      const { previous_valid_for_seconds: seconds = WEBHOOK_LIMITS.rotation.usual } = request.body
      const { webhook_id } = request.params
      const opened = await webhooks.rotate(place.ownerOf(request), webhook_id, seconds)
      return webhookWithSecret(place, opened)
    },
  })

const replayEvents = ({ webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'POST',
    url: `${place.url}/:webhook_id/replay`,
    consequence: 'none',
    schema: {
      tags: place.tags,
      summary: `Replay the events of a time range to ${place.one}`,
      description: 'Delivers the events again with the same IDs and in order, in addition to new events.',
      params,
      body: ReplayBody,
      response: { 202: place.shapes.view },
    },
    refusals: [
      ...place.refusals,
      'malformed_request',
      'not_found',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: place.write,
    domains: place.domains,
    body,
    audit: 'webhook.replay',
    check: (_, fields) => rangeOf(fields).problems,
    async handler(request, reply) {
      const { from, until, problems } = rangeOf(request.body)
      if (problems.length > 0 || from === undefined) throw invalidFields(problems)
      const { webhook_id } = request.params
      const opened = await webhooks.replay(place.ownerOf(request), webhook_id, from, until)
      reply.code(202).header('location', `${place.url}/${webhook_id}`)
      return place.webhookView(opened)
    },
  })

function rangeOf(given: Partial<Static<typeof ReplayBody>>) {
  const problems: FieldProblem[] = []
  const from = readTime('from', given.from, problems)
  const until = readTime('until', given.until, problems)
  if (from !== undefined && until !== undefined) problems.push(...rangeProblems(from, until))
  return { from, until, problems }
}

const listDeliveries = ({ read, webhooks }: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'GET',
    url: `${place.url}/:webhook_id/deliveries`,
    schema: {
      tags: place.tags,
      summary: `List the deliveries of ${place.one}`,
      params,
      querystring: place.shapes.deliveryQuery,
      response: { 200: place.shapes.deliveryList },
    },
    refusals: [...place.refusals, 'malformed_request', 'not_found', 'validation_failed'],
    scope: place.read,
    domains: place.domains,
    async handler(request) {
      const owner = place.ownerOf(request)
      const { webhook_id: id } = request.params
      const { webhook } = await webhooks.find(owner, id)
      const filter = { ...owner, id, ...place.deliveryFilter(request.query) }
      return page(
        request.query,
        idCursor('whd'),
        async (limit, before) => {
          const found = await reading(listStoredDeliveries(read, { ...filter, limit, before }))
          return withFacts(read, webhook, found)
        },
        ({ delivery }) => delivery.id,
        place.deliveryView,
      )
    },
  })

const showDelivery = (services: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'GET',
    url: `${place.url}/:webhook_id/deliveries/:delivery_id`,
    schema: {
      tags: place.tags,
      summary: `Retrieve a delivery of ${place.one} with its request`,
      params: DeliveryParams,
      response: { 200: place.shapes.deliveryDetails },
    },
    refusals: [...place.refusals, 'not_found'],
    scope: place.read,
    domains: place.domains,
    async handler(request, reply) {
      const { webhook_id, delivery_id } = request.params
      const owner = place.ownerOf(request)
      const { delivery, request: sent } = await services.webhooks.delivery(
        owner,
        webhook_id,
        delivery_id,
        (bytes) => request.holdAnswer(reply, bytes),
      )
      const view = await viewOf(services, place, owner, delivery)
      const { webhook } = await services.webhooks.find(owner, webhook_id)
      const isShown = sent !== undefined && place.maySeeRequests(request, webhook)
      return { ...view, request: isShown ? withoutPassword(sent) : null }
    },
  })

/** Returns the view of a delivery with its facts. Throws `not_found` if the webhook was deleted in the meantime. */
async function viewOf(
  { read, webhooks }: WebhookServices,
  place: WebhookPlace,
  owner: Owner,
  delivery: Delivery,
): Promise<object> {
  const { webhook } = await webhooks.find(owner, delivery.webhook_id)
  const [known] = await withFacts(read, webhook, [delivery])
  return place.deliveryView(known as DeliveryWithFacts)
}

/** Returns the request of a delivery without the receiver's password, which is never shown. */
const withoutPassword = ({ headers: { authorization, ...headers }, body }: SignedRequest): SignedRequest => ({
  headers: { ...headers, ...(authorization === undefined ? {} : { authorization: 'Basic …' }) },
  body,
})

const retryDelivery = (services: WebhookServices, place: WebhookPlace) =>
  defineRoute({
    method: 'POST',
    url: `${place.url}/:webhook_id/deliveries/:delivery_id/retry`,
    consequence: 'none',
    schema: {
      tags: place.tags,
      summary: `Retry a delivery of ${place.one}`,
      description: 'Makes the delivery due at once with the same ID, regardless of its earlier result.',
      params: DeliveryParams,
      response: { 200: place.shapes.delivery },
    },
    refusals: [...place.refusals, 'not_found', 'conflict'],
    scope: place.write,
    domains: place.domains,
    audit: 'webhook.retry',
    async handler(request) {
      const { webhook_id, delivery_id } = request.params
      const owner = place.ownerOf(request)
      return viewOf(services, place, owner, await services.webhooks.retry(owner, webhook_id, delivery_id))
    },
  })
