// Shapes of suppressions in the API.

import { Type } from 'typebox'
import { MAX_SUPPRESSIONS, SUPPRESSION_ORIGINS, SUPPRESSION_REASONS } from '../../model/suppression.ts'
import { closed, ofDomain, PageQuery, Timestamp } from './common.ts'

const email = Type.String({ maxLength: 400, description: 'Email address' })
const stream = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'Alias of the stream, or `*` for all streams; default: transactional',
  }),
)
const reason = Type.Optional(
  Type.Enum([...SUPPRESSION_REASONS], { description: 'Reason for the suppression; default: manual' }),
)

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
        description: 'Many suppressions; invalid entries are reported, and all other entries are added',
      }),
    ),
  },
  { ...closed, description: 'One address, or many addresses' },
)

/**
 * Body with a list of addresses to suppress. The entries may have any shape here, because each entry is checked
 * separately.
 */
export const AddListBody = Type.Object(
  { ...AddBody.properties, suppressions: Type.Array(Type.Unknown(), count) },
  closed,
)

/** Entry in a list of addresses to remove from the suppression list. */
export const RemoveEntry = Type.Object({ email, stream }, closed)

const force = Type.Optional(Type.Boolean({ description: 'True to remove complaints as well' }))

export const RemoveBody = Type.Object(
  {
    suppressions: Type.Array(RemoveEntry, {
      ...count,
      description: 'Invalid entries are reported, and all other entries are removed',
    }),
    force,
  },
  closed,
)

/**
 * Body with a list of addresses to remove. The entries may have any shape here, because each entry is checked
 * separately.
 */
export const RemoveListBody = Type.Object({ suppressions: Type.Array(Type.Unknown(), count), force }, closed)

/** Query parameters of a table of addresses to suppress. */
export const AddTableQuery = Type.Object(
  {
    column: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'Table only: column of the addresses; required without a usual name such as `email`',
      }),
    ),
  },
  closed,
)

/** Query parameters of a table of addresses to remove from the suppression list. */
export const RemoveTableQuery = Type.Object(
  {
    ...AddTableQuery.properties,
    force: Type.Optional(Type.Boolean({ description: 'Table only: true to remove complaints as well' })),
  },
  closed,
)

export const SuppressionView = Type.Object({
  ...ofDomain,
  suppression_id: Type.String({
    description: 'ID of the suppression; an address that is suppressed again has another ID',
  }),
  email: Type.String(),
  stream: Type.String({ description: 'Alias of the stream; `*` for all streams of the domain' }),
  reason: Type.Enum([...SUPPRESSION_REASONS]),
  origin: Type.Enum([...SUPPRESSION_ORIGINS], {
    description: 'Origin: the recipient or its host, or you',
  }),
  message_id: Type.Union([Type.String(), Type.Null()], {
    description: 'ID of the message that caused the suppression',
  }),
  created_at: Timestamp,
})

export const SuppressionList = Type.Object({
  data: Type.Array(SuppressionView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

const rejected = {
  rejected: Type.Integer({ description: 'Number of invalid entries' }),
  problems: Type.Array(
    Type.Object({
      path: Type.String(),
      code: Type.String(),
      message: Type.String(),
      line: Type.Optional(
        Type.Integer({
          description: 'Table only: line number as in a spreadsheet, including the first line',
        }),
      ),
    }),
    { description: 'Problems of the first hundred invalid entries' },
  ),
}

export const Added = Type.Object({
  added: Type.Integer(),
  existing: Type.Integer({
    description:
      'Number of addresses that were already suppressed; the first reason stays, unless a complaint replaces it',
  }),
  ...rejected,
})

export const Removed = Type.Object({
  removed: Type.Integer(),
  complaints_kept: Type.Integer({
    description: 'Complaints, which only `force` removes',
  }),
  missing: Type.Integer({ description: 'Number of addresses that were not suppressed' }),
  ...rejected,
})

export const AccountSuppressionView = Type.Object({
  email: Type.String(),
  reason: Type.Enum([...SUPPRESSION_REASONS]),
  created_at: Timestamp,
})

export const AccountSuppressionList = Type.Object({
  data: Type.Array(AccountSuppressionView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

/** Entry in a list of addresses to suppress in the whole account. */
export const AccountAddEntry = Type.Object({ email, reason }, closed)

export const AccountAddBody = Type.Object(
  {
    email: Type.Optional(email),
    reason,
    suppressions: Type.Optional(
      Type.Array(AccountAddEntry, {
        ...count,
        description: 'Many suppressions; invalid entries are reported, and all other entries are added',
      }),
    ),
  },
  {
    ...closed,
    description: 'One address, or many addresses',
    examples: [{ email: 'ann@example.net', reason: 'manual' }],
  },
)

/** Body with a list of addresses to suppress in the account, whose entries are checked separately. */
export const AccountAddListBody = Type.Object({ suppressions: Type.Array(Type.Unknown(), count) }, closed)

/** Entry in a list of addresses to remove from the suppression list of the account. */
export const AccountRemoveEntry = Type.Object({ email }, closed)

export const AccountRemoveBody = Type.Object(
  {
    suppressions: Type.Array(AccountRemoveEntry, {
      ...count,
      description: 'Invalid entries are reported, and all other entries are removed',
    }),
    force,
  },
  closed,
)

export const AccountSuppressionQuery = Type.Object(
  {
    ...PageQuery,
    reason: Type.Optional(Type.Enum([...SUPPRESSION_REASONS])),
    email: Type.Optional(
      Type.String({ maxLength: 400, description: 'Complete address or its beginning; case-insensitive' }),
    ),
    after: Type.Optional(Type.String({ description: 'Created at or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Created before this time (RFC 3339)' })),
  },
  closed,
)

export const SuppressionQuery = Type.Object(
  {
    ...PageQuery,
    stream: Type.Optional(Type.String({ maxLength: 100, description: 'Alias of a stream, or `*`' })),
    reason: Type.Optional(Type.Enum([...SUPPRESSION_REASONS])),
    origin: Type.Optional(Type.Enum([...SUPPRESSION_ORIGINS])),
    email: Type.Optional(
      Type.String({ maxLength: 400, description: 'Complete address or its beginning; case-insensitive' }),
    ),
    after: Type.Optional(Type.String({ description: 'Created at or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Created before this time (RFC 3339)' })),
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        description: 'csv: one file with all suppressions; `Accept: text/csv` has the same effect',
      }),
    ),
  },
  closed,
)
