// Shapes of an account and its usage.

import { type Static, Type } from 'typebox'
import { ALLOWANCE_RENEWALS } from '../../model/allowance.ts'
import { closed, nullable, Timestamp } from './common.ts'

export const AccountView = Type.Object(
  {
    account_id: Type.String(),
    name: Type.String(),
    status: Type.Enum(['active', 'suspended']),
    sending_allowance: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'a number of recipients: those of each month if the allowance renews, or else those that are left; null for no limit',
    }),
    allowance_renews: Type.Enum([...ALLOWANCE_RENEWALS], {
      description: '`month`: the allowance renews at the start of each calendar month, in UTC',
    }),
    sending_allowance_left: nullable(
      Type.Integer({ description: 'Recipients that are left; null for no limit' }),
    ),
    stored_bytes: Type.Integer({ description: 'Bytes of all stored messages of the account' }),
    stored_bytes_limit: Type.Union([Type.Integer(), Type.Null()], {
      description: 'a number of bytes that stored messages may take, or null for no limit',
    }),
    verification_credits: Type.Integer(),
    created_at: Timestamp,
    changed_at: nullable(Timestamp),
  },
  { description: 'The account of the key' },
)
export type AccountView = Static<typeof AccountView>

export const AccountPatch = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100 }) },
  { ...closed, examples: [{ name: 'Larch & Linden' }] },
)

export const UsageQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        description:
          'Beginning (RFC 3339), moved back to the beginning of its day or month; by default 30 days or 12 months ago',
      }),
    ),
    to: Type.Optional(
      Type.String({
        description: 'End, exclusive (RFC 3339), moved to the end of its day or month; now by default',
      }),
    ),
    by: Type.Optional(
      Type.Enum(['day', 'month'], { default: 'day', description: 'Length of a period, in UTC' }),
    ),
    group: Type.Optional(
      Type.Enum(['domain', 'stream'], { description: 'One entry for each domain or stream of a period' }),
    ),
  },
  closed,
)
export type UsageQuery = Static<typeof UsageQuery>

const count = (description: string) => nullable(Type.Integer({ description }))

const UsagePeriod = Type.Object({
  from: Timestamp,
  to: Timestamp,
  domain: Type.Optional(Type.String({ description: 'With `group`' })),
  domain_id: Type.Optional(Type.String()),
  stream: Type.Optional(Type.String({ description: 'With `group=stream`' })),
  accepted: Type.Integer({ description: 'Accepted recipients' }),
  delivered: Type.Integer(),
  bounced: Type.Integer({ description: 'Including asynchronous bounces' }),
  complained: Type.Integer(),
  stored_bytes: count(
    'Bytes of all stored messages, in the present period only; null for a past period, and with `group`',
  ),
  verified: count('Addresses that the account has verified; null with `group`'),
})
export type UsagePeriod = Static<typeof UsagePeriod>

/** Numbers that limit an account, or that are left of the limits. */
const limits = {
  sending_allowance: count('Recipients'),
  stored_bytes: count('Bytes of stored messages'),
  domains: Type.Integer(),
  keys: Type.Integer({ description: 'Keys and SMTP credentials that are neither revoked nor expired' }),
}

export const UsageView = Type.Object(
  {
    data: Type.Array(UsagePeriod, {
      description:
        'Oldest first; without `group` one entry for each period, with `group` only those with mail',
    }),
    limits: Type.Object(limits, { description: 'Limits of the account; null for no limit' }),
    left: Type.Object(
      { ...limits, verification_credits: Type.Integer() },
      { description: 'Rest of each limit; null for no limit' },
    ),
  },
  { description: 'Usage of an account' },
)
export type UsageView = Static<typeof UsageView>
