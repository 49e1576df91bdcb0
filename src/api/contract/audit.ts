// Shapes of the audit log of an account.

import { type Static, Type } from 'typebox'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'

export const AuditQuery = Type.Object(
  {
    ...PageQuery,
    actor: Type.Optional(
      Type.String({ maxLength: 400, description: 'ID or address of a user, or name of a key' }),
    ),
    action: Type.Optional(
      Type.String({ maxLength: 100, description: 'An action such as `key.create`, or a noun such as `key`' }),
    ),
    after: Type.Optional(Type.String({ description: 'At or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Before this time (RFC 3339)' })),
    format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'csv: one file with all entries' })),
  },
  closed,
)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditView = Type.Object(
  {
    audit_id: Type.String(),
    at: Timestamp,
    user_id: nullable(Type.String()),
    actor: Type.String({ description: 'Address of a user, name of a key, or the command line' }),
    action: Type.String(),
    target: Type.Union([Type.String(), Type.Null()], {
      description: 'ID or name of the changed object',
    }),
    target_name: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the object with the ID in `target`, while the object exists',
    }),
    address: nullable(Type.String()),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  { description: 'A change of the account or of its objects' },
)
export type AuditView = Static<typeof AuditView>

export const AuditList = Type.Object({ data: Type.Array(AuditView), next_cursor: nullable(Type.String()) })
