// Shapes of webhooks of an account in the API.

import { Type } from 'typebox'
import { ACCOUNT_EVENT_TYPES } from '../../model/account-event.ts'
import { DELIVERY_STATUSES } from '../../model/webhook.ts'
import { closed, nullable, PageQuery } from './common.ts'
import {
  commonChoices,
  commonDelivery,
  commonView,
  enabled,
  eventTypes,
  requestOf,
  secret,
  url,
} from './webhook.ts'

const choices = {
  ...commonChoices,
  event_types: Type.Optional(eventTypes(ACCOUNT_EVENT_TYPES)),
  all_accounts: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'For the operating account: the webhook gets the events of all accounts; requires the scope `accounts:read`',
    }),
  ),
}

export const AccountWebhookBody = Type.Object(
  { url, ...choices },
  {
    ...closed,
    description: 'Webhook of the account',
    examples: [
      { url: 'https://app.example.com/account-events', event_types: ['domain.verified', 'key.expiring'] },
    ],
  },
)

export const AccountWebhookPatch = Type.Object(
  { url: Type.Optional(url), ...choices, enabled },
  { ...closed, description: 'Fields to change; the others stay unchanged', examples: [{ enabled: false }] },
)

const view = {
  ...commonView,
  event_types: Type.Array(Type.Enum([...ACCOUNT_EVENT_TYPES])),
  all_accounts: Type.Boolean({ description: 'True if the webhook gets the events of all accounts' }),
}

export const AccountWebhookView = Type.Object(view)

export const AccountWebhookCreated = Type.Object({ ...view, secret })

export const AccountWebhookList = Type.Object({
  data: Type.Array(AccountWebhookView),
  next_cursor: nullable(Type.String()),
})

export const AccountTestBody = Type.Object(
  {
    event_type: Type.Optional(
      Type.Enum([...ACCOUNT_EVENT_TYPES], { description: 'Type of the sample event' }),
    ),
  },
  { ...closed, description: 'Test of a webhook of the account', examples: [{ event_type: 'allowance.low' }] },
)

const delivery = {
  ...commonDelivery,
  event_type: Type.Enum([...ACCOUNT_EVENT_TYPES]),
  object_id: Type.String({ description: 'ID of the object of the first event' }),
}

export const AccountDeliveryView = Type.Object(delivery)

export const AccountDeliveryDetails = Type.Object({
  ...delivery,
  request: requestOf('a webhook of all accounts if the key lacks the scope `accounts:read`'),
})

export const AccountDeliveryList = Type.Object({
  data: Type.Array(AccountDeliveryView),
  next_cursor: nullable(Type.String()),
})

export const AccountDeliveryQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(
      Type.Enum([...DELIVERY_STATUSES], { description: 'Only deliveries with this status' }),
    ),
    object_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only deliveries with a first event of this object' }),
    ),
  },
  closed,
)
