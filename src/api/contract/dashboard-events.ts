// Shapes of events of all domains of an account in the dashboard API.

import { type Static, Type } from 'typebox'
import { PageQuery } from './common.ts'
import { EventFilterQuery, EventView } from './event.ts'

/** Provider name that stands for all unknown mailbox providers. */
export const OTHER_PROVIDERS = 'other'

const Filter = {
  domain_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this domain' })),
  type: EventFilterQuery.type,
  message_id: EventFilterQuery.message_id,
  search: Type.Optional(
    Type.String({
      maxLength: 400,
      description: 'Address of the recipient or its beginning, or words of the subject; case-insensitive',
    }),
  ),
  stream: EventFilterQuery.stream,
  tag: EventFilterQuery.tag,
  provider: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Receiving provider, named as in the statistics; `other` for unknown hosts',
    }),
  ),
  category: Type.Optional(
    Type.String({ maxLength: 64, description: 'Cause of a bounce, deferral or failure' }),
  ),
  counted: Type.Optional(
    Type.Literal('yes', {
      description:
        'Only events that the statistics count: only the first deferral, open and click of a recipient',
    }),
  ),
  after: Type.Optional(Type.String({ description: 'At or after this time (RFC 3339)' })),
}

export const ActivityQuery = Type.Object(
  {
    ...PageQuery,
    ...Filter,
    before: Type.Optional(Type.String({ description: 'Before this time (RFC 3339)' })),
  },
  { additionalProperties: false },
)
export const ActivityStreamQuery = Type.Object(
  { ...Filter, cursor: Type.Optional(Type.String({ description: 'The `id` of the last received event' })) },
  { additionalProperties: false },
)

export const ActivityView = Type.Object({
  ...EventView.properties,
  domain_id: Type.String(),
  subject: Type.String(),
})
export type ActivityView = Static<typeof ActivityView>

export const ActivityListView = Type.Object({
  data: Type.Array(ActivityView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})
