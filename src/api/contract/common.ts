// Shapes that many endpoints share: lists, problems and headers.

import { type TSchema, Type } from 'typebox'
import { PROBLEMS } from '../../model/problem.ts'

/** Schema options of an object that allows no other fields. */
export const closed = { additionalProperties: false }

/** Returns the schema of a value of this type or null. */
export const nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])

/** Time in UTC with milliseconds (RFC 3339). */
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds' })

/** Fields by which an object of a domain names its domain to a management key. */
export const ofDomain = {
  domain: Type.Optional(Type.String({ description: 'For a management key: the domain of the object' })),
  domain_id: Type.Optional(Type.String()),
}

/** Query parameters of every list. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many at most' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before' })),
}

/** Problem document (RFC 9457). */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: 'A URN by `code`, the same on every installation' }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Enum(Object.keys(PROBLEMS), { description: 'Machine-readable kind of the problem' }),
    detail: Type.String({ description: 'One sentence a developer can act on' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'The field, such as `to[3].email`' }),
          code: Type.String(),
          message: Type.String(),
          line: Type.Optional(Type.Integer({ description: 'In a template or a table: the line, from 1' })),
          column: Type.Optional(Type.Integer({ description: 'In a template: the column, from 1' })),
          choices: Type.Optional(
            Type.Array(Type.String(), { description: 'In a list: the columns that it has' }),
          ),
        }),
      ),
    ),
    'violated-policies': Type.Optional(
      Type.Array(Type.String(), { description: 'The rate limits that the request exceeded' }),
    ),
    request_id: Type.String(),
  },
  { description: 'Every field at fault' },
)

/** Headers of a change that depends on the version of its object. */
export const VersionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description: 'The `ETag` of the version that is to be changed; 412 if the object was changed meanwhile',
    }),
  ),
})

/** Headers of a request that is executed only once per Idempotency-Key. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        '1–255 printable characters, in quotes (`"abc-1"`) or without, which is one key; repeats within 24 h get the first answer again, whatever the order of their fields and their white space, or complete what a crash has cut, and nothing is done twice',
    }),
  ),
})
