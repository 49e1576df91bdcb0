// Shapes of users in the dashboard: the first user, accepting an invitation, a forgotten password, and sessions.

import { type Static, Type } from 'typebox'
import { closed, Timestamp } from './common.ts'
import { RoleName } from './person.ts'

const email = Type.String({ minLength: 1, maxLength: 400 })
const token = Type.String({ minLength: 1, maxLength: 200 })
const name = Type.String({ minLength: 1, maxLength: 100 })
const password = Type.String({ maxLength: 1_000, description: 'At least 10 characters' })

export const FirstRunBody = Type.Object(
  {
    token,
    account_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Name of the first account; only allowed while there is no account',
      }),
    ),
    name,
    email,
    password,
  },
  closed,
)
export const FirstRunView = Type.Object({
  account_name: Type.Union([Type.String(), Type.Null()], {
    description: 'Account that the first user joins; null if the first user names a new account',
  }),
})
export type FirstRunView = Static<typeof FirstRunView>
export type FirstRunBody = Static<typeof FirstRunBody>

export const PasswordResetBody = Type.Object({ email }, closed)
export const PasswordResetConfirmBody = Type.Object({ token, password }, closed)

export const InvitationAcceptBody = Type.Object({ token, name, password }, closed)
export const LinkQuery = Type.Object({ token }, closed)
export const InvitationLookup = Type.Object({
  email: Type.String(),
  account_name: Type.String(),
  role: RoleName,
})
export type InvitationLookup = Static<typeof InvitationLookup>

export const SessionListed = Type.Object({
  session_id: Type.String(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  address: Type.String(),
  user_agent: Type.String(),
  current: Type.Boolean(),
})
export type SessionListed = Static<typeof SessionListed>

/** Returns a list whose items all fit on one page. */
export const wholeList = <Item>(data: readonly Item[]): { data: readonly Item[]; next_cursor: null } => ({
  data,
  next_cursor: null,
})
