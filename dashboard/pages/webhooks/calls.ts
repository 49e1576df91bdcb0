// API calls about webhooks.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  DeliveryDetails,
  DeliveryView,
  WebhookBody,
  WebhookCreated,
  WebhookPatch,
  WebhookView,
} from '../../../src/api/contract/webhook.ts'
import { get, type Page, patch, path, post, type Query, remove } from '../../client.ts'
import { canonicalId, isMessageId } from '../../parts/message-id.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'

export type Webhook = Static<typeof WebhookView>
export type WebhookWithSecret = Static<typeof WebhookCreated>
export type NewWebhook = Static<typeof WebhookBody>
export type WebhookChanges = Static<typeof WebhookPatch>
export type Delivery = Static<typeof DeliveryView>
export type ShownDelivery = Static<typeof DeliveryDetails>

/** Names of the formats, as pages show them. */
export const FORMATS: Readonly<Record<Webhook['format'], string>> = {
  standard: 'Standard Webhooks',
  postmark: 'Postmark',
  sendgrid: 'SendGrid',
  mailgun: 'Mailgun',
  resend: 'Resend',
}

const keyOf = (domainId: string) => ['domains', domainId, 'webhooks'] as const

export const webhooksQuery = (domainId: string) =>
  queryOptions({
    queryKey: [...keyOf(domainId), 'list'],
    queryFn: ({ signal }) =>
      get<Page<Webhook>>(path`/api/domains/${domainId}/webhooks`, { limit: 200 }, signal),
  })

const REFRESH_MS = 5_000

export const webhookQuery = (domainId: string, id: string) =>
  queryOptions({
    queryKey: [...keyOf(domainId), id],
    queryFn: ({ signal }) => get<Webhook>(path`/api/domains/${domainId}/webhooks/${id}`, {}, signal),
    refetchInterval: REFRESH_MS,
  })

/** Filters of the list of deliveries, as they appear in the URL of the page. */
export const DELIVERY_FILTERS = ['search', 'status'] as const
export type DeliveryFilter = Partial<Record<(typeof DELIVERY_FILTERS)[number], string>>

/** Returns the API query for a filter, whose search text is an address or a complete message ID. */
const deliveryFilterOf = ({ search, status }: DeliveryFilter): Query => ({
  status,
  ...(search !== undefined && isMessageId(search)
    ? { message_id: canonicalId(search) }
    : { recipient: search }),
})

export const deliveriesQuery = (
  domainId: string,
  id: string,
  filter: DeliveryFilter,
  cursor: string | undefined,
) =>
  queryOptions({
    queryKey: [...keyOf(domainId), id, 'deliveries', filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<Delivery>>(
        path`/api/domains/${domainId}/webhooks/${id}/deliveries`,
        { ...deliveryFilterOf(filter), cursor },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })

export const deliveryQuery = (domainId: string, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...keyOf(domainId), id, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      get<ShownDelivery>(path`/api/domains/${domainId}/webhooks/${id}/deliveries/${deliveryId}`, {}, signal),
    // The page refreshes until the delivery has ended.
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? REFRESH_MS : false),
  })

/** Query key that all queries about the webhooks of the domain share. */
export const webhooksKey = keyOf

export const createWebhook = (domainId: string, webhook: NewWebhook): Promise<WebhookWithSecret> =>
  post(path`/api/domains/${domainId}/webhooks`, webhook)

export const changeWebhook = (domainId: string, id: string, changes: WebhookChanges): Promise<Webhook> =>
  patch(path`/api/domains/${domainId}/webhooks/${id}`, changes)

export const deleteWebhook = (domainId: string, id: string): Promise<void> =>
  remove(path`/api/domains/${domainId}/webhooks/${id}`)

export const testWebhook = (domainId: string, id: string): Promise<Delivery> =>
  post(path`/api/domains/${domainId}/webhooks/${id}/test`, {})

export const rotateSecret = (domainId: string, id: string): Promise<WebhookWithSecret> =>
  post(path`/api/domains/${domainId}/webhooks/${id}/rotate-secret`, {})

export const replayEvents = (domainId: string, id: string, from: string): Promise<Webhook> =>
  post(path`/api/domains/${domainId}/webhooks/${id}/replay`, { from })

export const retryDelivery = (domainId: string, id: string, deliveryId: string): Promise<Delivery> =>
  post(path`/api/domains/${domainId}/webhooks/${id}/deliveries/${deliveryId}/retry`)

/** Returns the state of a webhook in a word, with its tone. */
export function stateOf({ enabled, disabled_reason, failing_since }: Webhook) {
  if (!enabled) {
    return {
      label: words.states[disabled_reason ?? 'manual'],
      tone: disabled_reason === 'manual' ? 'quiet' : 'bad',
    } as const
  }
  return failing_since === null
    ? ({ label: words.states.enabled, tone: 'good' } as const)
    : ({ label: words.states.nowFailing, tone: 'waiting' } as const)
}
