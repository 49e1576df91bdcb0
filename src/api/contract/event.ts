// Shapes of events in the API, the event stream and webhooks.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { ofDomain, PageQuery, Timestamp } from './common.ts'

const orNull = <const Shape extends Parameters<typeof Type.Union>[0][number]>(shape: Shape) =>
  Type.Union([shape, Type.Null()])

export const EventView = Type.Object(
  {
    ...ofDomain,
    id: Type.String({ description: 'The same wherever the event is shown or sent' }),
    type: Type.Enum([...EVENT_TYPES]),
    at: Timestamp,
    message_id: Type.String(),
    message_id_header: Type.Union([Type.String(), Type.Null()], {
      description: 'The Message-ID of the mail without angle brackets; null where a received mail has none',
    }),
    email: Type.String({ description: 'The recipient' }),
    stream: Type.String(),
    tag: orNull(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    attempt: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The number of the attempt, from 1; null for an event that comes from none',
    }),
    reply: Type.Union(
      [
        Type.Object({
          smtp_code: orNull(Type.Integer()),
          smtp_response: orNull(Type.String()),
          mx: orNull(Type.String()),
        }),
        Type.Null(),
      ],
      { description: 'The reply of the receiving host; null where there was none' },
    ),
    category: Type.Union([Type.String(), Type.Null()], {
      description: 'The cause of a deferral, bounce or failure, such as `mailbox_full`',
    }),
    detail: Type.Object({}, { additionalProperties: true, description: 'The rest, by type' }),
  },
  { description: 'Something that happened to a message for one recipient' },
)

export const EventList = Type.Object({
  data: Type.Array(EventView),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'With `order=asc` never null: asked with it again, the list answers what has come since',
  }),
})

/** Query parameters that filter a list of events. */
export const EventFilterQuery = {
  type: Type.Optional(
    Type.String({ maxLength: 400, description: `One or more, with commas: ${EVENT_TYPES.join(', ')}` }),
  ),
  message_id: Type.Optional(Type.String({ maxLength: 100 })),
  recipient: Type.Optional(
    Type.String({ maxLength: 400, description: 'The whole address of the recipient' }),
  ),
  stream: Type.Optional(Type.String({ maxLength: 64 })),
  tag: Type.Optional(Type.String({ maxLength: 64 })),
}

export const EventQuery = Type.Object(
  {
    ...PageQuery,
    order: Type.Optional(
      Type.Enum(['desc', 'asc'], {
        default: 'desc',
        description: '`desc` newest first, `asc` for following',
      }),
    ),
    ...EventFilterQuery,
    after: Type.Optional(Type.String({ description: 'At or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Before this time (RFC 3339)' })),
  },
  { additionalProperties: false },
)

export const EventStreamQuery = Type.Object(
  {
    ...EventFilterQuery,
    cursor: Type.Optional(
      Type.String({
        description:
          'The `id` of the last event of an earlier stream, where `Last-Event-ID` cannot be sent, or a `next_cursor` of the list with `order=asc`; without either the stream begins with what comes now',
      }),
    ),
    after: Type.Optional(
      Type.String({ description: 'Begins with the events at or after this time (RFC 3339)' }),
    ),
  },
  { additionalProperties: false },
)
