// Shapes of the verification of a single address and of lists of addresses.

import { type Static, Type } from 'typebox'
import { MAX_LISTED } from '../../verification/csv.ts'
import { RESULTS } from '../../verification/verdict.ts'
import { Timestamp } from './common.ts'

export const EmailQuery = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      description: 'Address to verify, URL-encoded: write + as %2B',
    }),
  },
  { additionalProperties: false },
)

export const RESULT_NAMES = [...new Set(Object.values(RESULTS))]

const result = Type.Enum(RESULT_NAMES, {
  description: 'Verdict on whether the address accepts mail',
})

export const SimpleVerification = Type.Object({
  email: Type.String({ description: 'Address from the request, trimmed' }),
  result,
})

const known = { description: 'Present only if known' }

export const DetailedVerification = Type.Object({
  email: Type.String({ description: 'Address from the request, trimmed' }),
  result,
  internalResult: Type.Enum(Object.keys(RESULTS), {
    description:
      'Reason for the result. catch_all_unknown: the host accepts the mailbox, but perhaps every mailbox of the domain',
  }),
  mxServer: Type.Optional(
    Type.String({ description: 'Mail host that was probed, or the preferred mail host of the domain' }),
  ),
  mxServerIp: Type.Optional(Type.String(known)),
  esp: Type.Optional(Type.String({ description: 'Provider of the mail host' })),
  account: Type.Optional(Type.String({ description: 'Local part without the tag' })),
  tag: Type.Optional(
    Type.String({ description: "Part of the local part after `+`, or after the provider's own separator" }),
  ),
  isRole: Type.Optional(Type.Boolean({ description: 'True for a role address such as info or support' })),
  isFree: Type.Optional(Type.Boolean({ description: 'True for a provider of free mailboxes' })),
  isNoReply: Type.Optional(
    Type.Boolean({ description: 'True if the local part indicates a no-reply address' }),
  ),
  smtpCode: Type.Optional(
    Type.Integer({ description: 'Code of the reply to RCPT TO, or to the step that failed' }),
  ),
  catchAll: Type.Optional(
    Type.Boolean({
      description: 'True if the host also accepts a random mailbox; present if a random mailbox was probed',
    }),
  ),
  didYouMean: Type.Optional(
    Type.String({ description: 'Suggested address; present if the domain looks misspelt' }),
  ),
  latencyMs: Type.Integer({ description: 'Duration of the verification in milliseconds' }),
})

export const AddressList = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: MAX_LISTED,
  description: `1 to ${MAX_LISTED.toLocaleString('en-US')} addresses, or a table with a column of addresses as text/csv or XLSX`,
  examples: [['ann@example.net', 'bob@example.org']],
})

export const ListAnswer = Type.Object({
  verification_id: Type.String({ description: 'ver_…' }),
})

const counted = Type.Integer({ description: 'Number of addresses' })

export const ListView = Type.Object({
  verification_id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()], { description: 'Name from the request' }),
  columns: Type.Array(Type.String(), { description: 'Names of the other columns of the table' }),
  status: Type.Enum(['queued', 'running', 'paused', 'cancelled', 'done'], {
    description: 'paused: the account has no credits; verification resumes when credits are available',
  }),
  total: Type.Integer({ description: 'Number of distinct addresses' }),
  duplicates: Type.Integer({ description: 'Number of duplicate addresses' }),
  done: Type.Integer({ description: 'Number of verified addresses' }),
  seconds_left: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Estimated seconds until the list is done, by the speed of the last minute; null while the list is not running, and until a second request five seconds later',
  }),
  waiting_for: Type.Union([Type.Enum(['credits', 'account', 'other_list', 'worker']), Type.Null()], {
    description:
      'Reason why no address is being verified: no credits, account suspended, another list of the account comes first, or no node has started the list yet',
  }),
  results: Type.Object({ deliverable: counted, undeliverable: counted, risky: counted, unknown: counted }),
  created_at: Timestamp,
  finished_at: Type.Union([Timestamp, Type.Null()]),
  pending_domains: Type.Optional(
    Type.Array(Type.Object({ domain: Type.String(), count: counted }), {
      description:
        'With `?include=pending_domains`: the most frequent domains among the next 10,000 addresses, at most ten. Only a few addresses of a domain are verified at the same time',
    }),
  ),
})

export const ListedVerification = Type.Intersect([
  DetailedVerification,
  Type.Object({
    cells: Type.Optional(
      Type.Array(Type.String(), {
        description: 'With `?include=cells`: the other cells of the row, in the order of `columns`',
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
  /** Name of the column with the addresses; null if the first line of the table contains addresses instead of names. */
  column: Type.Union([Type.String(), Type.Null()]),
  /** Names of the other columns. */
  columns: Type.Array(Type.String()),
  /** Number of distinct addresses; each takes one credit. */
  total: counted,
  duplicates: counted,
  /** Number of distinct entries that are not email addresses; each entry takes one credit as well. */
  invalid: counted,
  /** First addresses of the table. */
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
