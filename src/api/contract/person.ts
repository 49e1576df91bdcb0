// Shapes of the users of an account and of invitations.

import { type Static, Type } from 'typebox'
import { ROLES } from '../../model/role.ts'
import { closed, nullable, Timestamp } from './common.ts'

/** Role of a user. */
export const RoleName = Type.Enum([...ROLES])

export const UserView = Type.Object(
  {
    user_id: Type.String(),
    email: Type.String(),
    name: nullable(Type.String()),
    role: RoleName,
    totp: Type.Boolean({ description: 'True if the login also requires a code' }),
    created_at: Timestamp,
    last_seen_at: nullable(Timestamp),
    current: Type.Boolean({ description: 'True for the user of this request; always false for a key' }),
  },
  { description: 'A user who can log in to the dashboard' },
)
export type UserView = Static<typeof UserView>

export const UserList = Type.Object({ data: Type.Array(UserView), next_cursor: Type.Null() })
export type UserList = Static<typeof UserList>

export const UserParams = Type.Object({ user_id: Type.String({ maxLength: 100 }) })

export const UserPatch = Type.Object({ role: RoleName }, { ...closed, examples: [{ role: 'developer' }] })

export const InvitationBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 400 }),
    role: RoleName,
    notify: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'false: no mail is sent, and the response has the link. An installation with several accounts permits this to its operator only, also with the keys that the operator creates for an account',
      }),
    ),
  },
  { ...closed, examples: [{ email: 'ann@example.net', role: 'developer' }] },
)
export type InvitationBody = Static<typeof InvitationBody>

export const InvitationView = Type.Object({
  invitation_id: Type.String(),
  email: Type.String(),
  role: RoleName,
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type InvitationView = Static<typeof InvitationView>

export const InvitationList = Type.Object({ data: Type.Array(InvitationView), next_cursor: Type.Null() })

export const InvitationParams = Type.Object({ invitation_id: Type.String({ maxLength: 100 }) })

export const InvitationMade = Type.Object({
  ...InvitationView.properties,
  url: Type.Optional(
    Type.String({
      description:
        'Link to pass on by hand, shown only once; present for operators, and if there is only one account',
    }),
  ),
  mailed: Type.Boolean({ description: 'True if the link was sent by mail' }),
})
export type InvitationMade = Static<typeof InvitationMade>
