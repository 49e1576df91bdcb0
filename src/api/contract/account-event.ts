// Shapes of account events in the API.

import { type Static, Type } from 'typebox'
import { ACCOUNT_EVENT_TYPES } from '../../model/account-event.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'
import { feedOrder, feedStart, feedTimes } from './event.ts'

export const AccountEventView = Type.Object(
  {
    id: Type.String({ description: 'ID of the event, the same in lists, streams and webhooks' }),
    type: Type.Enum([...ACCOUNT_EVENT_TYPES]),
    at: Timestamp,
    account_id: Type.String(),
    domain_id: nullable(Type.String()),
    domain: Type.Union([Type.String(), Type.Null()], {
      description: 'Domain of the object; null for an object of the whole account',
    }),
    object_id: Type.String({
      description:
        'ID of the domain, key, bulk, list, suppression, webhook or account; for many suppressions of one request the ID of the domain or account',
    }),
    detail: Type.Object(
      {},
      { additionalProperties: true, description: 'Further data, depending on the type' },
    ),
  },
  { description: 'Something that happened to the account or to one of its objects' },
)

export type AccountEventView = Static<typeof AccountEventView>

export const AccountEventList = Type.Object({
  data: Type.Array(AccountEventView),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description:
      'With `order=asc` never null: a later request with this cursor returns the events since then',
  }),
})

const filter = {
  type: Type.Optional(
    Type.String({
      maxLength: 600,
      description: `One or more types, separated by commas: ${ACCOUNT_EVENT_TYPES.join(', ')}`,
    }),
  ),
  object_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this object' })),
}

export const AccountEventQuery = Type.Object(
  {
    ...PageQuery,
    ...feedOrder,
    ...filter,
    ...feedTimes,
  },
  closed,
)

export const AccountEventStreamQuery = Type.Object(
  {
    ...filter,
    ...feedStart,
  },
  closed,
)
