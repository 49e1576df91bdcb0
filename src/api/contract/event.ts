// Shapes of events in the API, the event stream and webhooks.

import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { LIMITS } from '../../model/send-request.ts'
import { ofDomain, PageQuery, Timestamp, withMetadata } from './common.ts'

const orNull = <const Shape extends Parameters<typeof Type.Union>[0][number]>(shape: Shape) =>
  Type.Union([shape, Type.Null()])

export const EventView = Type.Object(
  {
    ...ofDomain,
    id: Type.String({ description: 'ID of the event, the same in lists, streams and webhooks' }),
    type: Type.Enum([...EVENT_TYPES]),
    at: Timestamp,
    message_id: orNull(
      Type.String({
        description: 'Null for an event about another object than a message, such as an incident',
      }),
    ),
    message_id_header: Type.Union([Type.String(), Type.Null()], {
      description: 'Message-ID header without angle brackets; null if a received message has none',
    }),
    email: orNull(
      Type.String({ description: 'Address of the recipient; null for an event without a message' }),
    ),
    stream: orNull(Type.String({ description: 'Null for an event without a message' })),
    tag: orNull(Type.String({ description: 'First tag of the message' })),
    tags: Type.Array(Type.String(), { description: 'All tags of the message' }),
    metadata: Type.Record(Type.String(), Type.String()),
    attempt: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Number of the attempt, counted from 1; null for an event without an attempt',
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
      { description: 'Reply of the receiving host; null if there was none' },
    ),
    category: Type.Union([Type.String(), Type.Null()], {
      description: 'Cause of a deferral, bounce or failure, such as `mailbox_full`',
    }),
    test: Type.Optional(
      Type.Literal(true, { description: 'True for an event of a test message; absent otherwise' }),
    ),
    detail: Type.Object(
      {},
      { additionalProperties: true, description: 'Further data, depending on the type' },
    ),
  },
  { description: 'Something that happened to a message for one recipient' },
)

export type EventView = Static<typeof EventView>

/** An event that is about a message. */
export type MessageEventView = EventView & {
  readonly message_id: string
  readonly email: string
  readonly stream: string
}

export const EventList = Type.Object({
  data: Type.Array(EventView),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description:
      'With `order=asc` never null: a later request with this cursor returns the events since then',
  }),
})

/** Query parameters that filter a list of events. */
export const EventFilterQuery = {
  type: Type.Optional(
    Type.String({
      maxLength: 400,
      description: `One or more types, separated by commas: ${EVENT_TYPES.join(', ')}`,
    }),
  ),
  message_id: Type.Optional(Type.String({ maxLength: 100 })),
  recipient: Type.Optional(Type.String({ maxLength: 400, description: 'Complete address of the recipient' })),
  stream: Type.Optional(Type.String({ maxLength: 64 })),
  tag: Type.Optional(
    Type.String({ maxLength: LIMITS.tagsLength, description: 'One of the tags of the message' }),
  ),
}

/** Order and time range of a list of events. */
export const feedOrder = {
  order: Type.Optional(
    Type.Enum(['desc', 'asc'], {
      default: 'desc',
      description: '`desc`: newest first; `asc`: oldest first, for following the events',
    }),
  ),
}
export const feedTimes = {
  after: Type.Optional(Type.String({ description: 'At or after this time (RFC 3339)' })),
  before: Type.Optional(Type.String({ description: 'Before this time (RFC 3339)' })),
}

/** Beginning of a stream of events. */
export const feedStart = {
  cursor: Type.Optional(
    Type.String({
      description:
        'The `id` of the last event of an earlier stream, for clients that cannot send `Last-Event-ID`, or a `next_cursor` of the list with `order=asc`. By default the stream begins with the next event',
    }),
  ),
  after: Type.Optional(
    Type.String({ description: 'The stream begins with the events at or after this time (RFC 3339)' }),
  ),
}

export const EventQuery = Type.Object(
  {
    ...PageQuery,
    ...feedOrder,
    ...EventFilterQuery,
    ...feedTimes,
  },
  withMetadata,
)

export const EventStreamQuery = Type.Object(
  {
    ...EventFilterQuery,
    ...feedStart,
  },
  withMetadata,
)
