// Shapes of all accounts of an installation, for operators and platforms.

import { type Static, Type } from 'typebox'
import { ALLOWANCE_RENEWALS } from '../../model/allowance.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'
import { InvitationMade } from './person.ts'

const Allowance = Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }), Type.Null()], {
  description:
    'a number of recipients from 0 to 10^12: those of each month if the allowance renews, or else those that are left; null for no limit',
})

const Renewal = Type.Enum([...ALLOWANCE_RENEWALS], {
  description: '`month`: the allowance renews at the start of each calendar month, in UTC',
})

const StoredBytesLimit = Type.Union(
  [Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }), Type.Null()],
  { description: "a number of bytes from 0 to 10^15 - 1, or null for the installation's limit" },
)

const limitOf = (objects: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 1_000 }), Type.Null()], {
    description: `a number of ${objects} from 0 to 1000, or null for no limit of its own`,
  })

const Status = Type.Enum(['active', 'suspended'])
const ExternalId = Type.String({ minLength: 1, maxLength: 100 })
const Reason = Type.String({ maxLength: 500 })
const name = Type.String({ minLength: 1, maxLength: 100 })

const account = {
  account_id: Type.String(),
  name: Type.String(),
  external_id: nullable(
    Type.String({ description: 'ID in the system of the operator, unique among all accounts' }),
  ),
  status: Status,
  reason: nullable(Type.String({ description: 'Reason of the suspension, for operators' })),
  sending_allowance: Allowance,
  allowance_renews: Renewal,
  sending_allowance_left: nullable(
    Type.Integer({ description: 'Recipients that are left; null for no limit' }),
  ),
  stored_bytes_limit: StoredBytesLimit,
  domains_limit: limitOf('domains'),
  keys_limit: limitOf('keys and SMTP credentials'),
  verification_credits: Type.Integer(),
  created_at: Timestamp,
  changed_at: nullable(Timestamp),
}

export const OperatedAccount = Type.Object(account, { description: 'An account of the installation' })
export type OperatedAccount = Static<typeof OperatedAccount>

export const ListedAccount = Type.Object({
  ...account,
  operates: Type.Boolean({ description: 'True for the first account; its owners operate the installation' }),
  users: Type.Integer(),
  domains: Type.Integer(),
  stored_bytes: Type.Integer({ description: 'Bytes of all stored messages of the account' }),
  accepted_30_days: Type.Integer({ description: 'Recipients accepted within 30 days' }),
  bounced_30_days: Type.Integer({ description: 'Recipients that bounced within 30 days' }),
})
export type ListedAccount = Static<typeof ListedAccount>

export const AccountsQuery = Type.Object(
  {
    ...PageQuery,
    name: Type.Optional(Type.String({ maxLength: 100, description: 'The whole name' })),
    status: Type.Optional(Status),
    external_id: Type.Optional(Type.String({ maxLength: 100 })),
  },
  closed,
)

export const AccountList = Type.Object({
  data: Type.Array(ListedAccount, { description: 'Newest first' }),
  next_cursor: nullable(Type.String()),
})
export type AccountList = Static<typeof AccountList>

export const AccountParams = Type.Object({ account_id: Type.String({ maxLength: 100 }) })

/** Fields that an operator chooses and may change later. */
const chosen = {
  external_id: Type.Optional(
    Type.Union([ExternalId, Type.Null()], {
      description: 'a text of at most 100 characters, or null for none',
    }),
  ),
  sending_allowance: Type.Optional(Allowance),
  allowance_renews: Type.Optional(Renewal),
  stored_bytes_limit: Type.Optional(StoredBytesLimit),
  domains_limit: Type.Optional(limitOf('domains')),
  keys_limit: Type.Optional(limitOf('keys and SMTP credentials')),
  status: Type.Optional(Status),
  reason: Type.Optional(Type.Union([Reason, Type.Null()], { description: 'a text, or null for none' })),
}

export const NewAccountBody = Type.Object(
  {
    name,
    owner_email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 400,
        description:
          'Address of the owner, who gets an invitation; without it nobody can log in to the account',
      }),
    ),
    ...chosen,
  },
  {
    ...closed,
    examples: [
      {
        name: 'Larch & Linden',
        external_id: 'customer-17',
        sending_allowance: 10_000,
        allowance_renews: 'month',
      },
    ],
  },
)
export type NewAccountBody = Static<typeof NewAccountBody>

export const NewAccountView = Type.Object({
  ...account,
  invitation: nullable(InvitationMade),
})
export type NewAccountView = Static<typeof NewAccountView>

export const AccountChange = Type.Object(
  { name: Type.Optional(name), ...chosen },
  { ...closed, examples: [{ sending_allowance: 20_000 }] },
)
export type AccountChange = Static<typeof AccountChange>

export const CreditsBody = Type.Object(
  {
    credits: Type.Integer({
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      description: 'Number of credits; negative to take credits back, down to no credits',
    }),
    note: Type.Optional(
      Type.String({ maxLength: 200, description: 'Note that the history of the account shows' }),
    ),
  },
  { ...closed, examples: [{ credits: 1_000, note: 'Order 7' }] },
)
export type CreditsBody = Static<typeof CreditsBody>

export const CreditBalance = Type.Object({
  verification_credits: Type.Integer({ description: 'Verification credits of the account from now on' }),
})
export type CreditBalance = Static<typeof CreditBalance>

const word = Type.String({ minLength: 1, maxLength: 300 })

export const AccountKeyBody = Type.Object(
  {
    name,
    scopes: Type.Array(word, {
      maxItems: 100,
      description:
        'a list of scopes, or `noun:*`, `*:read` and `*`, without `accounts:*` and `operator:*`; a key gives only scopes among its `grants`',
    }),
    domains: Type.Optional(
      Type.Union([Type.Array(word, { maxItems: 1_000 }), Type.Null()], {
        description: 'a list of domains of the account by name or ID, or null for every domain',
      }),
    ),
    networks: Type.Optional(
      Type.Union([Type.Array(word, { maxItems: 1_000 }), Type.Null()], {
        description:
          'a list of networks in CIDR notation, at most 50, or null for any address; by default those of the creating key',
      }),
    ),
    expires_at: Type.Optional(
      Type.Union([Timestamp, Type.Null()], {
        description: 'a time at most 90 days ahead; null for an hour from now, the default',
      }),
    ),
  },
  { ...closed, examples: [{ name: 'Provisioning', scopes: ['domains:*', 'keys:*'] }] },
)
export type AccountKeyBody = Static<typeof AccountKeyBody>
