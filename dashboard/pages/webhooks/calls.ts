// API calls about webhooks.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  AccountDeliveryDetails,
  AccountDeliveryView,
  AccountWebhookCreated,
  AccountWebhookView,
} from '../../../src/api/contract/account-webhook.ts'
import type {
  DeliveryDetails,
  DeliveryView,
  WebhookCreated,
  WebhookView,
} from '../../../src/api/contract/webhook.ts'
import { get, type Page, patch, path, post, type Query, remove } from '../../client.ts'
import { canonicalId, isMessageId } from '../../parts/message-id.ts'
import type { Role } from '../../session.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'

/** ID of the domain of webhooks; null for the webhooks of the account. */
export type Place = string | null

export type DomainWebhook = Static<typeof WebhookView>
type AccountWebhook = Static<typeof AccountWebhookView>
export type Webhook = DomainWebhook | AccountWebhook
export type WebhookWithSecret = Static<typeof WebhookCreated> | Static<typeof AccountWebhookCreated>
export type Delivery = Static<typeof DeliveryView> | Static<typeof AccountDeliveryView>
export type ShownDelivery = Static<typeof DeliveryDetails> | Static<typeof AccountDeliveryDetails>

export const isOfDomain = (webhook: Webhook): webhook is DomainWebhook => 'format' in webhook

/** Returns the address of the page of a webhook, or of the list of webhooks. */
export const pageOf = (place: Place, id?: string): string => {
  const list = place === null ? '/account/events' : `/domains/${place}/webhooks`
  if (id === undefined) return list
  return place === null ? `/account/webhooks/${id}` : `${list}/${id}`
}

/** Returns the role of a user who may change the webhooks. */
export const roleOf = (place: Place): Role => (place === null ? 'owner' : 'developer')

/** Returns the address of webhooks at the API. */
const api = (place: Place, ...steps: readonly string[]): string =>
  [
    place === null ? '/api/account-webhooks' : path`/api/domains/${place}/webhooks`,
    ...steps.map(encodeURIComponent),
  ].join('/')

/** Names of the formats, as pages show them. */
export const FORMATS: Readonly<Record<DomainWebhook['format'], string>> = {
  standard: 'Standard Webhooks',
  postmark: 'Postmark',
  sendgrid: 'SendGrid',
  mailgun: 'Mailgun',
  resend: 'Resend',
  postal: 'Postal',
  usesend: 'useSend',
}

const keyOf = (place: Place) =>
  place === null ? (['account-webhooks'] as const) : (['domains', place, 'webhooks'] as const)

export const webhooksQuery = (place: Place) =>
  queryOptions({
    queryKey: [...keyOf(place), 'list'],
    queryFn: ({ signal }) => get<Page<Webhook>>(api(place), { limit: 200 }, signal),
  })

const REFRESH_MS = 5_000

export const webhookQuery = (place: Place, id: string) =>
  queryOptions({
    queryKey: [...keyOf(place), id],
    queryFn: ({ signal }) => get<Webhook>(api(place, id), {}, signal),
    refetchInterval: REFRESH_MS,
  })

/** Filters of the list of deliveries, as they appear in the URL of the page. */
export const DELIVERY_FILTERS = ['search', 'status'] as const
export type DeliveryFilter = Partial<Record<(typeof DELIVERY_FILTERS)[number], string>>

/** Returns the API query for a filter, whose search text is an address, a complete message ID, or the ID of an object. */
const deliveryFilterOf = (place: Place, { search, status }: DeliveryFilter): Query => {
  if (place === null) return { status, object_id: search }
  const isMessage = search !== undefined && isMessageId(search)
  return { status, ...(isMessage ? { message_id: canonicalId(search) } : { recipient: search }) }
}

export const deliveriesQuery = (
  place: Place,
  id: string,
  filter: DeliveryFilter,
  cursor: string | undefined,
) =>
  queryOptions({
    queryKey: [...keyOf(place), id, 'deliveries', filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<Delivery>>(
        api(place, id, 'deliveries'),
        { ...deliveryFilterOf(place, filter), cursor },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })

export const deliveryQuery = (place: Place, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...keyOf(place), id, 'delivery', deliveryId],
    queryFn: ({ signal }) => get<ShownDelivery>(api(place, id, 'deliveries', deliveryId), {}, signal),
    // The page refreshes until the delivery has ended.
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? REFRESH_MS : false),
  })

/** Query key that all queries about the webhooks of the domain share. */
export const webhooksKey = keyOf

export const createWebhook = (place: Place, webhook: object): Promise<WebhookWithSecret> =>
  post(api(place), webhook)

export const changeWebhook = (place: Place, id: string, changes: object): Promise<Webhook> =>
  patch(api(place, id), changes)

export const deleteWebhook = (place: Place, id: string): Promise<void> => remove(api(place, id))

export const testWebhook = (place: Place, id: string): Promise<Delivery> => post(api(place, id, 'test'), {})

export const rotateSecret = (place: Place, id: string): Promise<WebhookWithSecret> =>
  post(api(place, id, 'rotate-secret'), {})

export const replayEvents = (place: Place, id: string, from: string): Promise<Webhook> =>
  post(api(place, id, 'replay'), { from })

export const retryDelivery = (place: Place, id: string, deliveryId: string): Promise<Delivery> =>
  post(api(place, id, 'deliveries', deliveryId, 'retry'))

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
