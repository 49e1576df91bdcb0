// Shapes of the log of API requests.

import { type Static, Type } from 'typebox'
import { nullable, PageQuery, Timestamp } from './common.ts'

export const RequestQuery = Type.Object(
  {
    ...PageQuery,
    key_id: Type.Optional(Type.String({ maxLength: 100 })),
    domain_id: Type.Optional(Type.String({ maxLength: 100 })),
    method: Type.Optional(
      Type.String({ maxLength: 20, description: 'HTTP method such as `POST`, or `SMTP`' }),
    ),
    path: Type.Optional(Type.String({ maxLength: 400, description: 'Path or its beginning' })),
    outcome: Type.Optional(
      Type.Enum(['answered', 'refused', 'failed'], {
        description: 'Class of the status: below 400, 4xx, or 5xx; refusals of SMTP are `refused`',
      }),
    ),
    code: Type.Optional(Type.String({ maxLength: 100, description: 'Code of the problem document' })),
    after: Type.Optional(Type.String({ description: 'At or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Before this time (RFC 3339)' })),
  },
  { additionalProperties: false },
)

export const RequestView = Type.Object({
  request_log_id: Type.String(),
  at: Timestamp,
  key_id: Type.String(),
  domain_id: Type.Union([Type.String(), Type.Null()]),
  method: Type.String({ description: 'HTTP method, or `SMTP` for a refused recipient or message' }),
  path: Type.String({
    description:
      'Path without the query; `:name` replaces names that may be addresses. For SMTP: the refused command, `MAIL`, `RCPT` or `DATA`',
  }),
  status: Type.Integer({ description: 'HTTP status, or the reply code of SMTP' }),
  code: Type.Union([Type.String(), Type.Null()], {
    description: 'Code of the problem document; for SMTP also the enhanced status code, such as `5.1.3`',
  }),
  problems: Type.Array(Type.Object({ path: Type.String(), code: Type.String() }), {
    description:
      'Problems of the fields, at most ten, without values; `…` in a path replaces a name that the client chose',
  }),
  problem_count: Type.Integer({ description: 'Number of all problems of the fields' }),
  message_id: nullable(Type.String({ description: 'ID of the message that the request created' })),
  duration_ms: Type.Integer(),
  missed: Type.Integer({
    description: 'Number of further requests of the account in the same second that have no entry',
  }),
  ignored: Type.Array(Type.String(), {
    description: 'Fields that a compatible endpoint ignored, at most 50; always empty under `/v1`',
  }),
})
export type RequestView = Static<typeof RequestView>

export const RequestListView = Type.Object({
  data: Type.Array(RequestView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  keys: Type.Array(
    Type.Object({
      key_id: Type.String(),
      kind: Type.Enum(['sending', 'verification', 'smtp', 'public', 'management']),
      name: Type.String(),
      last4: Type.String(),
      revoked: Type.Boolean(),
    }),
    { description: 'API keys of the account (newest first, at most 200), and the keys of these entries' },
  ),
})
export type RequestListView = Static<typeof RequestListView>
