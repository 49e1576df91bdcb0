// Shapes of the operator's dashboard pages: accounts, nodes and health.

import { type Static, Type } from 'typebox'
import { closed, PageQuery, Timestamp } from './common.ts'
import { InvitationMade } from './person.ts'

const Allowance = Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }), Type.Null()], {
  description: 'a number of recipients left, from 0 to 10^12, or null for no limit',
})

const StoredBytesLimit = Type.Union(
  [Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }), Type.Null()],
  { description: "a number of bytes from 0 to 10^15 - 1, or null for the installation's limit" },
)

const account = {
  account_id: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active', 'suspended']),
  sending_allowance: Allowance,
  stored_bytes_limit: StoredBytesLimit,
  verification_credits: Type.Integer(),
  created_at: Timestamp,
}

export const OperatedAccount = Type.Object({
  ...account,
  operates: Type.Boolean({ description: 'True for the first account; its owners operate the installation' }),
  users: Type.Integer(),
  domains: Type.Integer(),
  stored_bytes: Type.Integer({ description: 'Bytes of all stored messages of the account' }),
  accepted_30_days: Type.Integer({ description: 'Recipients accepted within 30 days' }),
  bounced_30_days: Type.Integer({ description: 'Recipients that bounced within 30 days' }),
})
export type OperatedAccount = Static<typeof OperatedAccount>

export const OperatedAccountQuery = Type.Object(PageQuery, closed)

export const OperatedAccountList = Type.Object({
  data: Type.Array(OperatedAccount, { description: 'Newest first' }),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})
export type OperatedAccountList = Static<typeof OperatedAccountList>

export const NewAccountBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    owner_email: Type.String({
      minLength: 1,
      maxLength: 400,
      description: 'Address of the owner, who gets an invitation',
    }),
  },
  closed,
)
export type NewAccountBody = Static<typeof NewAccountBody>

export const NewAccountView = Type.Object({ ...account, invitation: InvitationMade })
export type NewAccountView = Static<typeof NewAccountView>

export const AccountChange = Type.Object(
  {
    status: Type.Optional(Type.Enum(['active', 'suspended'])),
    sending_allowance: Type.Optional(Allowance),
    stored_bytes_limit: Type.Optional(StoredBytesLimit),
  },
  closed,
)
export type AccountChange = Static<typeof AccountChange>

export const ChangedAccountView = Type.Object(account)
export type ChangedAccountView = Static<typeof ChangedAccountView>

export const CreditsBody = Type.Object(
  {
    credits: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    note: Type.Optional(
      Type.String({ maxLength: 200, description: 'Note that the history of the account shows' }),
    ),
  },
  closed,
)
export type CreditsBody = Static<typeof CreditsBody>

export const CreditsView = Type.Object({
  verification_credits: Type.Integer({ description: 'Current verification credits of the account' }),
})
export type CreditsView = Static<typeof CreditsView>

export const NodeListView = Type.Object({
  data: Type.Array(
    Type.Object({
      node_id: Type.String(),
      host_name: Type.String(),
      roles: Type.Array(Type.String()),
      version: Type.String(),
      started_at: Timestamp,
      last_seen_at: Timestamp,
      running: Type.Boolean({ description: 'True if the node reported itself within the last 90 seconds' }),
      load: Type.Object(
        {
          event_loop: Type.Number({ description: 'Share of the time in which the event loop was busy' }),
          cpu: Type.Number({ description: 'CPU usage of all threads, in cores' }),
          memory: Type.Integer({ description: 'Resident memory, in bytes' }),
        },
        { description: 'Load, averaged over 30 seconds' },
      ),
    }),
    { description: 'Longest running node first' },
  ),
})
export type NodeListView = Static<typeof NodeListView>

export const HealthView = Type.Object({
  checked_at: Timestamp,
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Type.Enum(['ok', 'warn', 'fail', 'skipped']),
      detail: Type.String(),
      remedy: Type.Union([Type.String(), Type.Null()], {
        description: 'Instructions for fixing the problem',
      }),
    }),
  ),
})
export type HealthView = Static<typeof HealthView>
