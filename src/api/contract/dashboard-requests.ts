// The log of API requests, as the dashboard shows it.

import { type Static, Type } from 'typebox'
import { PageQuery, Timestamp } from './common.ts'

export const RequestQuery = Type.Object(
  {
    ...PageQuery,
    key_id: Type.Optional(Type.String({ maxLength: 100 })),
    refused: Type.Optional(Type.Boolean({ description: 'Only requests that were refused or failed' })),
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
  duration_ms: Type.Integer(),
  missed: Type.Integer({ description: 'Further requests of the account in that second, without an entry' }),
})
export type RequestView = Static<typeof RequestView>

export const RequestListView = Type.Object({
  data: Type.Array(RequestView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})
