// Shapes of suppressions in the API.

import { Type } from 'typebox'
import { MAX_SUPPRESSIONS, SUPPRESSION_ORIGINS, SUPPRESSION_REASONS } from '../../model/suppression.ts'
import { closed, ofDomain, PageQuery, Timestamp } from './common.ts'

const email = Type.String({ maxLength: 400, description: 'The address' })
const stream = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'The alias of the stream, or `*` for all; default: transactional',
  }),
)
const reason = Type.Optional(Type.Enum([...SUPPRESSION_REASONS], { description: 'Default: manual' }))

const count = { minItems: 1, maxItems: MAX_SUPPRESSIONS }

/** Entry in a list of addresses to suppress. */
export const AddEntry = Type.Object({ email, stream, reason }, closed)

export const AddBody = Type.Object(
  {
    email: Type.Optional(email),
    stream,
    reason,
    suppressions: Type.Optional(
      Type.Array(AddEntry, {
        ...count,
        description: 'Many at once; entries that are wrong are reported, and the others are added',
      }),
    ),
  },
  { ...closed, description: 'One address, or many' },
)

/**
 * Body with a list of addresses to suppress whose entries may have any shape, since each entry is checked separately.
 */
export const AddListBody = Type.Object(
  { ...AddBody.properties, suppressions: Type.Array(Type.Unknown(), count) },
  closed,
)

/** Entry in a list of addresses to remove from the suppression list. */
export const RemoveEntry = Type.Object({ email, stream }, closed)

const force = Type.Optional(Type.Boolean({ description: 'Complaints too' }))

export const RemoveBody = Type.Object(
  {
    suppressions: Type.Array(RemoveEntry, {
      ...count,
      description: 'Entries that are wrong are reported, and the others are removed',
    }),
    force,
  },
  closed,
)

/** Body with a list of addresses to remove whose entries may have any shape, since each entry is checked separately. */
export const RemoveListBody = Type.Object({ suppressions: Type.Array(Type.Unknown(), count), force }, closed)

/** Query parameters of a table of addresses to suppress. */
export const AddTableQuery = Type.Object(
  {
    column: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'Of a table: the column with the addresses, where it has no usual name such as `email`',
      }),
    ),
  },
  closed,
)

/** Query parameters of a table of addresses to remove from the suppression list. */
export const RemoveTableQuery = Type.Object(
  {
    ...AddTableQuery.properties,
    force: Type.Optional(Type.Boolean({ description: 'With a table: complaints too' })),
  },
  closed,
)

export const SuppressionView = Type.Object({
  ...ofDomain,
  email: Type.String(),
  stream: Type.String({ description: '`*`: all streams of the domain' }),
  reason: Type.Enum([...SUPPRESSION_REASONS]),
  origin: Type.Enum([...SUPPRESSION_ORIGINS], {
    description: 'Caused by the recipient or its host, or added by you',
  }),
  message_id: Type.Union([Type.String(), Type.Null()], { description: 'The message it came from' }),
  created_at: Timestamp,
})

export const SuppressionList = Type.Object({
  data: Type.Array(SuppressionView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

const rejected = {
  rejected: Type.Integer({ description: 'Entries that are wrong' }),
  problems: Type.Array(
    Type.Object({
      path: Type.String(),
      code: Type.String(),
      message: Type.String(),
      line: Type.Optional(
        Type.Integer({
          description: 'Of a table: its line, counted as a spreadsheet does, the first one included',
        }),
      ),
    }),
    { description: 'The problems of the first hundred of them' },
  ),
}

export const Added = Type.Object({
  added: Type.Integer(),
  existing: Type.Integer({
    description: 'Already suppressed; the first reason stays, unless a complaint replaces it',
  }),
  ...rejected,
})

export const Removed = Type.Object({
  removed: Type.Integer(),
  complaints_kept: Type.Integer({ description: 'They need `force`' }),
  missing: Type.Integer({ description: 'They were not suppressed' }),
  ...rejected,
})

export const SuppressionQuery = Type.Object(
  {
    ...PageQuery,
    stream: Type.Optional(Type.String({ maxLength: 100, description: 'An alias, or `*`' })),
    reason: Type.Optional(Type.Enum([...SUPPRESSION_REASONS])),
    origin: Type.Optional(Type.Enum([...SUPPRESSION_ORIGINS])),
    email: Type.Optional(
      Type.String({ maxLength: 400, description: 'The whole address in any case, or the beginning of one' }),
    ),
    after: Type.Optional(Type.String({ description: 'Created at or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Created before this time (RFC 3339)' })),
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        description: 'csv: all of them in one file; also what `Accept: text/csv` asks for',
      }),
    ),
  },
  closed,
)
