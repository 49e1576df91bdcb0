// Shapes of a dashboard login and its session.

import { type Static, Type } from 'typebox'
import { RoleName } from './person.ts'

export const SessionView = Type.Object({
  user: Type.Object({
    user_id: Type.String(),
    email: Type.String(),
    name: Type.Union([Type.String(), Type.Null()]),
    role: RoleName,
    operator: Type.Boolean({
      description: 'True for owners of the first account, who operate the installation',
    }),
    totp: Type.Boolean({ description: 'True if the login also requires a code' }),
    passkeys: Type.Integer(),
    recovery_codes_left: Type.Integer(),
  }),
  account: Type.Object({
    account_id: Type.String(),
    name: Type.String(),
    status: Type.Enum(['active', 'suspended']),
  }),
  mode: Type.Enum(['playground', 'production']),
})
export type SessionView = Static<typeof SessionView>

export const LoginBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 400 }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
    code: Type.Optional(
      Type.String({ maxLength: 100, description: 'Code of the authenticator app, or a recovery code' }),
    ),
  },
  { additionalProperties: false },
)
export type LoginBody = Static<typeof LoginBody>
