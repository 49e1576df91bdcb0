// Shapes of the dashboard settings that users change for themselves: name, password, second factor and passkeys.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Static, Type } from 'typebox'
import { SCOPE_SETS } from '../../access/scopes.ts'
import { closed, Timestamp } from './common.ts'
import { ScopeName } from './key.ts'

const given = Type.String({ minLength: 1, maxLength: 1_000 })

export const MePatch = Type.Object(
  {
    name: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description: 'a text of at most 100 characters, or null for none',
      }),
    ),
  },
  closed,
)
export const PasswordBody = Type.Object(
  { current: given, password: Type.String({ maxLength: 1_000 }) },
  closed,
)
export const TotpCodeBody = Type.Object({ code: Type.String({ minLength: 1, maxLength: 20 }) }, closed)

export const TotpBegun = Type.Object({
  secret: Type.String({ description: 'Secret in Base32 for typing, shown only once' }),
  url: Type.String({ description: 'URL `otpauth://…` for the QR code' }),
})
export type TotpBegun = Static<typeof TotpBegun>

export const RecoveryCodes = Type.Object({
  recovery_codes: Type.Array(Type.String(), {
    description: 'Recovery codes, each valid for one login; shown only once',
  }),
})
export type RecoveryCodes = Static<typeof RecoveryCodes>

/** Names of the ready-made sets of scopes. */
const SET_NAMES = Object.keys(SCOPE_SETS) as (keyof typeof SCOPE_SETS)[]

export const MyScopes = Type.Object({
  scopes: Type.Array(ScopeName, { description: 'Scopes of the user, which the user may give to keys' }),
  sets: Type.Array(Type.Object({ name: Type.Enum(SET_NAMES), scopes: Type.Array(ScopeName) }), {
    description: 'All ready-made sets of scopes, also those with scopes that the user does not have',
  }),
})
export type MyScopes = Static<typeof MyScopes>

export const PasskeyView = Type.Object({
  passkey_id: Type.String(),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
})
export type PasskeyView = Static<typeof PasskeyView>

/** Response of an authenticator (WebAuthn), whose content the WebAuthn library validates. */
const response = Type.Object(
  {
    id: Type.String({ maxLength: 2_000 }),
    rawId: Type.String({ maxLength: 2_000 }),
    type: Type.Literal('public-key'),
    response: Type.Record(Type.String(), Type.Unknown()),
  },
  { description: 'Response in the format of @simplewebauthn/browser', additionalProperties: true },
)
export const PasskeyBody = Type.Object(
  {
    response: Type.Unsafe<RegistrationResponseJSON>(response),
    name: Type.String({ minLength: 1, maxLength: 100 }),
  },
  closed,
)
export const PasskeyLoginBody = Type.Object(
  { response: Type.Unsafe<AuthenticationResponseJSON>(response) },
  closed,
)
