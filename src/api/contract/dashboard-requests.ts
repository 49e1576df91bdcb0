// Shapes of the log of API requests in the dashboard.

import { type Static, Type } from 'typebox'
import { nullable, PageQuery, Timestamp } from './common.ts'

export const RequestQuery = Type.Object(
  {
    ...PageQuery,
    key_id: Type.Optional(Type.String({ maxLength: 100 })),
    domain_id: Type.Optional(Type.String({ maxLength: 100 })),
    method: Type.Optional(Type.String({ maxLength: 20, description: 'Such as `POST`' })),
    path: Type.Optional(Type.String({ maxLength: 400, description: 'The path or its beginning' })),
    outcome: Type.Optional(
      Type.Enum(['answered', 'refused', 'failed'], {
        description: 'Statuses below 400, of 4xx, of 5xx',
      }),
    ),
    code: Type.Optional(Type.String({ maxLength: 100, description: 'Of the problem document' })),
    after: Type.Optional(Type.String({ description: 'RFC 3339: at this time or later' })),
    before: Type.Optional(Type.String({ description: 'RFC 3339: before this time' })),
  },
  { additionalProperties: false },
)

export const RequestView = Type.Object({
  request_log_id: Type.String(),
  at: Timestamp,
  key_id: Type.String(),
  domain_id: Type.Union([Type.String(), Type.Null()]),
  method: Type.String(),
  path: Type.String({ description: 'Without its query; names that may be addresses as `:name`' }),
  status: Type.Integer(),
  code: Type.Union([Type.String(), Type.Null()], { description: 'Of the problem document' }),
  problems: Type.Array(Type.Object({ path: Type.String(), code: Type.String() }), {
    description:
      'The problems of its fields, ten at most, without values; `…` in a path hides a name of its own',
  }),
  message_id: nullable(Type.String({ description: 'The message that it made' })),
  duration_ms: Type.Integer(),
  missed: Type.Integer({ description: 'Further requests of the account in that second, without an entry' }),
})
export type RequestView = Static<typeof RequestView>

export const RequestListView = Type.Object({
  data: Type.Array(RequestView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  keys: Type.Array(
    Type.Object({
      key_id: Type.String(),
      kind: Type.Enum(['sending', 'verification', 'smtp', 'management']),
      name: Type.String(),
      last4: Type.String(),
      revoked: Type.Boolean(),
    }),
    { description: 'API keys of the account, the newest first, 200 at most, and those of these entries' },
  ),
})
export type RequestListView = Static<typeof RequestListView>
