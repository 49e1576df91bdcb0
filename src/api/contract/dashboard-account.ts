// Shapes of an account and its audit log in the dashboard API.

import { type Static, Type } from 'typebox'
import { PageQuery, Timestamp } from './common.ts'

export const AccountView = Type.Object({
  account_id: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active', 'suspended']),
  sending_allowance: Type.Union([Type.Integer(), Type.Null()], {
    description: 'a number of recipients left, or null for no limit',
  }),
  stored_bytes: Type.Integer({ description: 'Bytes of all stored messages of the account' }),
  stored_bytes_limit: Type.Union([Type.Integer(), Type.Null()], {
    description: 'a number of bytes that stored messages may take, or null for no limit',
  }),
  verification_credits: Type.Integer(),
  created_at: Timestamp,
})
export type AccountView = Static<typeof AccountView>

export const AccountPatch = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100 }) },
  { additionalProperties: false },
)

export const AuditQuery = Type.Object(
  {
    ...PageQuery,
    actor: Type.Optional(Type.String({ maxLength: 400, description: 'ID or address of a user' })),
    action: Type.Optional(
      Type.String({ maxLength: 100, description: 'An action such as `key.create`, or a noun such as `key`' }),
    ),
    after: Type.Optional(Type.String({ description: 'At or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Before this time (RFC 3339)' })),
    format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'csv: one file with all entries' })),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditView = Type.Object({
  audit_id: Type.String(),
  at: Timestamp,
  user_id: Type.Union([Type.String(), Type.Null()]),
  actor: Type.String({ description: 'Address of a user, name of a key, or the command line' }),
  action: Type.String(),
  target: Type.Union([Type.String(), Type.Null()], {
    description: 'ID or name of the changed object',
  }),
  target_name: Type.Union([Type.String(), Type.Null()], {
    description: 'Name of the object with the ID in `target`, while the object exists',
  }),
  address: Type.Union([Type.String(), Type.Null()]),
  detail: Type.Record(Type.String(), Type.Unknown()),
})
export type AuditView = Static<typeof AuditView>
