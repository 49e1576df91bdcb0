// Shapes of webhooks in the API.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { LIMITS } from '../../model/send-request.ts'
import { DELIVERY_STATUSES, WEBHOOK_FORMATS, WEBHOOK_LIMITS } from '../../model/webhook.ts'
import { closed, nullable, ofDomain, PageQuery, Timestamp } from './common.ts'

const { filters: maxItems, rotation } = WEBHOOK_LIMITS

/** Returns the schema of the selection of event types. */
export const eventTypes = <const Name extends string>(types: readonly Name[]) =>
  Type.Array(Type.Enum([...types]), {
    maxItems: types.length,
    description: 'Event types that the webhook receives; empty for all types that the format can express',
  })
const Names = (what: string, maxLength = 64) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), {
    maxItems,
    description: `Filter for ${what}: the webhook receives only their events; empty for all`,
  })

export const url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_LIMITS.url,
  description: 'URL to which events are posted; https is required unless the installation allows http',
})

/** Optional fields of every webhook. */
export const commonChoices = {
  name: Type.Optional(Type.String({ maxLength: WEBHOOK_LIMITS.name, description: 'Name for display' })),
  batch_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: WEBHOOK_LIMITS.batch,
      default: 1,
      description: 'Maximum number of events in one request; if greater than 1, the body is an array',
    }),
  ),
  basic_auth: Type.Optional(
    Type.Union(
      [
        Type.Object(
          {
            username: Type.String({ minLength: 1, maxLength: 200 }),
            password: Type.String({ minLength: 1, maxLength: 200 }),
          },
          closed,
        ),
        Type.Null(),
      ],
      {
        description:
          'a user and a password, sent as Basic authentication and never shown again, or null for none',
      },
    ),
  ),
}

const choices = {
  ...commonChoices,
  format: Type.Optional(
    Type.Enum([...WEBHOOK_FORMATS], {
      default: 'standard',
      description:
        'Format of the payload: Standard Webhooks, or the format of another service, for receivers that already parse it',
    }),
  ),
  event_types: Type.Optional(eventTypes(EVENT_TYPES)),
  test_events: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'True to get the events of test messages as well, each with `test: true`',
    }),
  ),
  streams: Type.Optional(Names('streams')),
  tags: Type.Optional(Names('tags', LIMITS.tagsLength)),
}

export const WebhookBody = Type.Object(
  { url, ...choices },
  {
    ...closed,
    description: 'Webhook',
    examples: [{ url: 'https://app.example.com/webhooks', event_types: ['delivered', 'bounced'] }],
  },
)

export const enabled = Type.Optional(
  Type.Boolean({
    description: 'False stops the webhook. True starts it again, beginning with new events',
  }),
)

export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(url),
    ...choices,
    enabled,
  },
  { ...closed, description: 'Fields to change; the others stay unchanged', examples: [{ enabled: false }] },
)

/** Fields of every webhook in responses. */
export const commonView = {
  webhook_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  batch_size: Type.Integer(),
  basic_auth_username: nullable(Type.String()),
  enabled: Type.Boolean(),
  disabled_reason: Type.Union([Type.Enum(['manual', 'gone', 'failing']), Type.Null()], {
    description:
      '`manual`: turned off. `gone`: the receiver responded 410. `failing`: every attempt has failed for three days',
  }),
  disabled_at: Type.Union([Timestamp, Type.Null()]),
  failing_since: Type.Union([Timestamp, Type.Null()], {
    description: 'Time since which every attempt has failed; null while the receiver accepts events',
  }),
  replaying: Type.Boolean({ description: 'True while a replay is running' }),
  public_key: Type.String({
    description:
      'Public key for signatures of the kind `v1a` (Ed25519), or for the signatures of the formats `sendgrid` and `postal`',
  }),
  secrets: Type.Array(
    Type.Object({ created_at: Timestamp, expires_at: Type.Union([Timestamp, Type.Null()]) }),
    { description: 'Secrets with which requests are signed, newest first' },
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}

const view = {
  ...ofDomain,
  ...commonView,
  format: Type.Enum([...WEBHOOK_FORMATS]),
  event_types: Type.Array(Type.Enum([...EVENT_TYPES])),
  test_events: Type.Boolean(),
  streams: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
}

export const WebhookView = Type.Object(view)

export const secret = Type.String({ description: 'Signing secret, shown only once' })

export const WebhookCreated = Type.Object({ ...view, secret })

export const WebhookList = Type.Object({
  data: Type.Array(WebhookView),
  next_cursor: nullable(Type.String()),
})

export const RotateBody = Type.Object(
  {
    previous_valid_for_seconds: Type.Optional(
      Type.Integer({
        minimum: rotation.least,
        maximum: rotation.most,
        default: rotation.usual,
        description: 'Number of seconds for which requests are also signed with the previous secret',
      }),
    ),
  },
  { ...closed, description: 'Rotation of the secret', examples: [{ previous_valid_for_seconds: 86_400 }] },
)

export const TestBody = Type.Object(
  { event_type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Type of the sample event' })) },
  { ...closed, description: 'Test', examples: [{ event_type: 'bounced' }] },
)

export const ReplayBody = Type.Object(
  {
    from: Type.String({ description: 'Beginning of the time range (RFC 3339)' }),
    until: Type.Optional(Type.String({ description: 'End of the time range (RFC 3339); now by default' })),
  },
  { ...closed, description: 'Time range', examples: [{ from: '2026-01-31T00:00:00Z' }] },
)

export const Attempt = Type.Object({
  at: Timestamp,
  status: nullable(Type.Integer({ description: 'HTTP status of the response' })),
  problem: nullable(Type.String({ description: 'Reason why there was no response' })),
  latency_ms: Type.Integer(),
  answer: Type.String({ description: 'Beginning of the response body' }),
})

/** Fields of every delivery. */
export const commonDelivery = {
  delivery_id: Type.String(),
  status: Type.Enum([...DELIVERY_STATUSES]),
  event_id: Type.String({
    description: 'ID of the first event; type and message also refer to the first event',
  }),
  events: Type.Integer({ description: 'Number of events in the request' }),
  test: Type.Boolean(),
  attempt_count: Type.Integer(),
  next_attempt_at: Type.Unsafe<string | null>({
    ...nullable(Timestamp),
    description:
      'Earliest time of the next attempt; null if there will be no attempt, and while the webhook is disabled',
  }),
  attempts: Type.Array(Attempt, { description: 'Last attempts, oldest first' }),
  created_at: Timestamp,
}

const delivery = {
  ...commonDelivery,
  event_type: Type.Enum([...EVENT_TYPES]),
  message_id: Type.String(),
  email: nullable(
    Type.String({
      description: 'Recipient of the first event; null for a test, and after the message was removed',
    }),
  ),
}

export const DeliveryView = Type.Object(delivery)

/** Returns the schema of the request of a delivery. */
export const requestOf = (unless: string) =>
  Type.Union(
    [
      Type.Object({
        headers: Type.Record(Type.String(), Type.String()),
        body: Type.String(),
      }),
      Type.Null(),
    ],
    {
      description: `Request, signed with the currently valid keys; null for a test, for removed events, and for ${unless}`,
    },
  )

export const DeliveryDetails = Type.Object({
  ...delivery,
  request: requestOf('a webhook with `received` events if the key lacks the scope `content:read`'),
})

export const DeliveryList = Type.Object({
  data: Type.Array(DeliveryView),
  next_cursor: nullable(Type.String()),
})

export const DeliveryQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(
      Type.Enum([...DELIVERY_STATUSES], { description: 'Only deliveries with this status' }),
    ),
    message_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only deliveries with a first event of this message' }),
    ),
    recipient: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 400,
        description:
          'Only deliveries with a first event of this address, within the newest 200 messages to the address',
      }),
    ),
  },
  closed,
)

export const WebhookParams = Type.Object({ webhook_id: Type.String({ maxLength: 100 }) })
export const DeliveryParams = Type.Object({
  webhook_id: Type.String({ maxLength: 100 }),
  delivery_id: Type.String({ maxLength: 100 }),
})
