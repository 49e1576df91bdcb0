// Shapes that many endpoints share: lists, problems and headers.

import { type TSchema, Type } from 'typebox'
import { SEARCHABLE_KEYS } from '../../model/message.ts'
import { PROBLEMS } from '../../model/problem.ts'

/** Schema options of an object that allows no other fields. */
export const closed = { additionalProperties: false }

/** Returns the schema of a value of this type or null. */
export const nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])

/** Time in UTC with milliseconds (RFC 3339). */
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, milliseconds',
})

/** Fields by which an object of a domain names its domain to a management key. */
export const ofDomain = {
  domain: Type.Optional(Type.String({ description: 'For a management key: the domain of the object' })),
  domain_id: Type.Optional(Type.String()),
}

/** Query parameters of every list. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Maximum number of items' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the previous page' })),
}

/** Query of a list of objects with names. */
export const NamedPageQuery = Type.Object(
  {
    ...PageQuery,
    name: Type.Optional(Type.String({ maxLength: 300, description: 'The whole name of the object' })),
  },
  closed,
)

/** Schema options of a query with parameters such as `metadata.order_id`, one for each wanted value of the metadata. */
export const withMetadata = {
  additionalProperties: false,
  patternProperties: {
    '^metadata\\..+$': Type.String({ maxLength: 2_000, description: 'Value of the metadata with this key' }),
  },
}

/** Sentence about the parameters of `withMetadata`. */
export const METADATA_FILTER = `\`?metadata.<key>=<value>\` finds messages whose metadata have this value, among the first ${SEARCHABLE_KEYS} keys of each message; several such parameters apply together.`

/** Query parameter by which the deletion of an object with a name is confirmed. */
export const ConfirmQuery = Type.Object(
  {
    confirm: Type.Optional(
      Type.String({
        maxLength: 300,
        description: 'The name of the object once more; a deletion without it is refused',
      }),
    ),
  },
  closed,
)

/** Problem document (RFC 9457). */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: 'URN that contains the `code`; the same on every installation' }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Enum(Object.keys(PROBLEMS), { description: 'Machine-readable kind of the problem' }),
    detail: Type.String({ description: 'Sentence with the cause and the remedy' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'Path of the field, such as `to[3].email`' }),
          code: Type.String(),
          message: Type.String(),
          line: Type.Optional(Type.Integer({ description: 'Line in a template or a table, counted from 1' })),
          column: Type.Optional(Type.Integer({ description: 'Column in a template, counted from 1' })),
          choices: Type.Optional(
            Type.Array(Type.String(), { description: 'Names of the columns that the table has' }),
          ),
        }),
        { description: 'All invalid fields of the request' },
      ),
    ),
    'violated-policies': Type.Optional(
      Type.Array(Type.String(), { description: 'Rate limits that the request exceeded' }),
    ),
    existing: Type.Optional(
      Type.Object(
        {
          domain_id: Type.Optional(Type.String()),
          account_id: Type.Optional(Type.String()),
          template_id: Type.Optional(Type.String()),
          layout_id: Type.Optional(Type.String()),
          alias: Type.Optional(Type.String()),
        },
        { description: 'The object of the account with which the request conflicts' },
      ),
    ),
    request_id: Type.String(),
  },
  { description: 'Problem document (RFC 9457)' },
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
        '1 to 255 printable characters, in quotes or not. Within 24 hours a repeat, with fields in any order, gets the first response or completes an interrupted request; nothing is done twice',
    }),
  ),
})
