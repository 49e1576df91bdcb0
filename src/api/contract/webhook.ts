// Shapes of webhooks in the API.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { DELIVERY_STATUSES, WEBHOOK_FORMATS, WEBHOOK_LIMITS } from '../../model/webhook.ts'
import { closed, nullable, ofDomain, PageQuery, Timestamp } from './common.ts'

const { filters: maxItems, rotation } = WEBHOOK_LIMITS

const EventTypes = Type.Array(Type.Enum([...EVENT_TYPES]), {
  maxItems: EVENT_TYPES.length,
  description: 'The types of event that it gets; empty for all that its format has a word for',
})
const Names = (what: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems,
    description: `The ${what} whose events it gets; empty for all`,
  })

const url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_LIMITS.url,
  description: 'The address that events are posted to; https, unless the installation allows http',
})

const choices = {
  name: Type.Optional(Type.String({ maxLength: WEBHOOK_LIMITS.name, description: 'For people' })),
  format: Type.Optional(
    Type.Enum([...WEBHOOK_FORMATS], {
      default: 'standard',
      description: 'The payload: Standard Webhooks, or that of another service for software that reads it',
    }),
  ),
  event_types: Type.Optional(EventTypes),
  streams: Type.Optional(Names('streams')),
  tags: Type.Optional(Names('tags')),
  batch_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: WEBHOOK_LIMITS.batch,
      default: 1,
      description: 'Events of one request at most; with more than 1 the body is an array',
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

export const WebhookBody = Type.Object(
  { url, ...choices },
  {
    ...closed,
    description: 'A webhook',
    examples: [{ url: 'https://app.example.com/webhooks', event_types: ['delivered', 'bounced'] }],
  },
)

export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(url),
    ...choices,
    enabled: Type.Optional(
      Type.Boolean({ description: 'false stops it; true begins again with events that come from then on' }),
    ),
  },
  { ...closed, description: 'Fields to change; the others stay unchanged', examples: [{ enabled: false }] },
)

const view = {
  ...ofDomain,
  webhook_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  format: Type.Enum([...WEBHOOK_FORMATS]),
  event_types: Type.Array(Type.Enum([...EVENT_TYPES])),
  streams: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  batch_size: Type.Integer(),
  basic_auth_username: nullable(Type.String()),
  enabled: Type.Boolean(),
  disabled_reason: Type.Union([Type.Enum(['manual', 'gone', 'failing']), Type.Null()], {
    description:
      '`manual`: turned off; `gone`: the receiver answered 410; `failing`: every attempt of three days failed',
  }),
  disabled_at: Type.Union([Timestamp, Type.Null()]),
  failing_since: Type.Union([Timestamp, Type.Null()], {
    description: 'Since when every attempt has failed; null while the receiver accepts events',
  }),
  replaying: Type.Boolean({ description: 'A replay is under way' }),
  public_key: Type.String({
    description: 'For signatures of the kind `v1a` (Ed25519); in the format sendgrid that of its signature',
  }),
  secrets: Type.Array(
    Type.Object({ created_at: Timestamp, expires_at: Type.Union([Timestamp, Type.Null()]) }),
    { description: 'The secrets that requests are signed with, the newest first' },
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const WebhookView = Type.Object(view)

export const WebhookCreated = Type.Object({
  ...view,
  secret: Type.String({ description: 'The signing secret, shown once' }),
})

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
        description: 'For how long requests are signed with the previous secret as well',
      }),
    ),
  },
  { ...closed, description: 'A rotation of the secret', examples: [{ previous_valid_for_seconds: 86_400 }] },
)

export const TestBody = Type.Object(
  { event_type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'The type of the sample event' })) },
  { ...closed, description: 'A test', examples: [{ event_type: 'bounced' }] },
)

export const ReplayBody = Type.Object(
  {
    from: Type.String({ description: 'RFC 3339: the beginning' }),
    until: Type.Optional(Type.String({ description: 'RFC 3339: the end, which is now unless given' })),
  },
  { ...closed, description: 'A time range', examples: [{ from: '2026-01-31T00:00:00Z' }] },
)

export const Attempt = Type.Object({
  at: Timestamp,
  status: nullable(Type.Integer({ description: 'HTTP status of the answer' })),
  problem: nullable(Type.String({ description: 'The reason for having no answer' })),
  latency_ms: Type.Integer(),
  answer: Type.String({ description: 'The beginning of the answer' }),
})

const delivery = {
  delivery_id: Type.String(),
  status: Type.Enum([...DELIVERY_STATUSES]),
  event_id: Type.String({ description: 'Of its first event, as are type and message' }),
  event_type: Type.Enum([...EVENT_TYPES]),
  message_id: Type.String(),
  email: nullable(
    Type.String({
      description: 'The address of its first event; null for a test, and after the message was removed',
    }),
  ),
  events: Type.Integer({ description: 'Events of the request' }),
  test: Type.Boolean(),
  attempt_count: Type.Integer(),
  next_attempt_at: Type.Unsafe<string | null>({
    ...nullable(Timestamp),
    description:
      'The next attempt is not made before; null if there will be none, and while the webhook is disabled',
  }),
  attempts: Type.Array(Attempt, { description: 'The last ones, oldest first' }),
  created_at: Timestamp,
}

export const DeliveryView = Type.Object(delivery)

export const DeliveryDetails = Type.Object({
  ...delivery,
  request: Type.Union(
    [
      Type.Object({
        headers: Type.Record(Type.String(), Type.String()),
        body: Type.String(),
      }),
      Type.Null(),
    ],
    {
      description:
        'The request, signed with the keys that are valid now; null for a test, for removed events, and without the scope `content:read` for a webhook that gets `received` events',
    },
  ),
})

export const DeliveryList = Type.Object({
  data: Type.Array(DeliveryView),
  next_cursor: nullable(Type.String()),
})

export const DeliveryQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES], { description: 'Only these' })),
    message_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only deliveries whose first event is of this message' }),
    ),
    recipient: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 400,
        description:
          'Only deliveries whose first event is of this address; the newest 200 messages to the address are searched',
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
