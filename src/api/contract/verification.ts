// Shapes of the verification of a single address and of lists of addresses.

import { type Static, Type } from 'typebox'
import { MAX_LISTED } from '../../verification/csv.ts'
import { RESULTS } from '../../verification/verdict.ts'
import { Timestamp } from './common.ts'

export const EmailQuery = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      description: 'The address to check, URL-encoded: a + is written %2B',
    }),
  },
  { additionalProperties: false },
)

export const RESULT_NAMES = [...new Set(Object.values(RESULTS))]

const result = Type.Enum(RESULT_NAMES, {
  description: 'Whether the address accepts mail',
})

export const SimpleVerification = Type.Object({
  email: Type.String({ description: 'The address as it was given, trimmed' }),
  result,
})

const known = { description: 'Only when known' }

export const DetailedVerification = Type.Object({
  email: Type.String({ description: 'The address as it was given, trimmed' }),
  result,
  internalResult: Type.Enum(Object.keys(RESULTS), {
    description:
      'Why; catch_all_unknown: the mailbox is accepted, and whether the domain accepts any name could not be determined',
  }),
  mxServer: Type.Optional(
    Type.String({ description: 'The mail host that was probed, or the best-ranked one' }),
  ),
  mxServerIp: Type.Optional(Type.String(known)),
  esp: Type.Optional(Type.String({ description: 'The provider of the mail host' })),
  account: Type.Optional(Type.String({ description: 'The local part without the tag' })),
  tag: Type.Optional(Type.String({ description: 'What follows the + or the separator of the provider' })),
  isRole: Type.Optional(Type.Boolean({ description: 'A role such as info or support' })),
  isFree: Type.Optional(Type.Boolean({ description: 'A provider of free mailboxes' })),
  isNoReply: Type.Optional(Type.Boolean({ description: 'A no-reply address by its local part' })),
  smtpCode: Type.Optional(
    Type.Integer({ description: 'Of the reply to RCPT TO, or to the step that failed' }),
  ),
  catchAll: Type.Optional(
    Type.Boolean({ description: 'Whether a random mailbox is accepted too, when one was probed' }),
  ),
  didYouMean: Type.Optional(
    Type.String({ description: 'The address with another domain, where the one given looks misspelt' }),
  ),
  latencyMs: Type.Integer({ description: 'Whole milliseconds' }),
})

export const AddressList = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: MAX_LISTED,
  description: `1 to ${MAX_LISTED} addresses; or a table with a column of addresses, as text/csv or XLSX`,
  examples: [['ann@example.net', 'bob@example.org']],
})

export const ListAnswer = Type.Object({
  verification_id: Type.String({ description: 'ver_…' }),
})

const counted = Type.Integer({ description: 'Addresses' })

export const ListView = Type.Object({
  verification_id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()], { description: 'As it was given' }),
  columns: Type.Array(Type.String(), { description: 'Columns that came beside the addresses' }),
  status: Type.Enum(['queued', 'running', 'paused', 'cancelled', 'done'], {
    description: 'paused: the account has no credits; verification resumes when there are some',
  }),
  total: Type.Integer({ description: 'Distinct addresses' }),
  duplicates: Type.Integer({ description: 'Duplicate addresses' }),
  done: Type.Integer({ description: 'Addresses that are verified' }),
  seconds_left: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Until it is done, at the speed of the last minute; null while it is not running, and until it was asked for twice, five seconds apart',
  }),
  waiting_for: Type.Union([Type.Enum(['credits', 'account', 'other_list', 'worker']), Type.Null()], {
    description:
      'Why nothing is verified now: there are no credits, the account is suspended, another list of it is verified first, no node has begun yet',
  }),
  results: Type.Object({ deliverable: counted, undeliverable: counted, risky: counted, unknown: counted }),
  created_at: Timestamp,
  finished_at: Type.Union([Timestamp, Type.Null()]),
  pending_domains: Type.Optional(
    Type.Array(Type.Object({ domain: Type.String(), count: counted }), {
      description:
        'With `?include=pending_domains`: domains of most of the next 10,000 addresses, ten at most. Few addresses of a domain are verified at once',
    }),
  ),
})

export const ListedVerification = Type.Intersect([
  DetailedVerification,
  Type.Object({
    cells: Type.Optional(
      Type.Array(Type.String(), {
        description: 'With `?include=cells`: the other cells of the row, in the order of the `columns`',
      }),
    ),
  }),
])

export const ListResults = Type.Object({
  data: Type.Array(ListedVerification),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

/** A table of addresses before it is verified. */
export const AddressTableView = Type.Object({
  /** Name of the column with the addresses; null if the first line of the table contains addresses already. */
  column: Type.Union([Type.String(), Type.Null()]),
  /** Names of the other columns. */
  columns: Type.Array(Type.String()),
  /** Distinct addresses, each of which takes one credit. */
  total: counted,
  duplicates: counted,
  /** Distinct entries that are not email addresses; they take a credit as well. */
  invalid: counted,
  /** The first addresses of the table. */
  first: Type.Array(Type.String()),
})
export type AddressTableView = Static<typeof AddressTableView>

/** Verification of a single address, as the dashboard shows it. */
export const CheckView = Type.Object({
  ...DetailedVerification.properties,
  check_id: Type.String(),
  /** Address of the user or name of the key; null if the user or key is deleted. */
  by: Type.Union([Type.String(), Type.Null()]),
  checked_at: Timestamp,
})
export type CheckView = Static<typeof CheckView>
