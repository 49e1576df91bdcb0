// Shapes of SMTP credentials and verification credits in the dashboard.

import { type Static, Type } from 'typebox'
import { nullable, Timestamp } from './common.ts'

const maybe = nullable(Timestamp)

const common = {
  name: Type.String(),
  last4: Type.String(),
  rate: Type.Union([Type.String(), Type.Null()], { description: 'Its own, such as 50/s' }),
  created_at: Timestamp,
  last_used_at: maybe,
  expires_at: maybe,
  revoked_at: maybe,
}

export const SmtpCredentialView = Type.Object({ username: Type.String(), ...common })
export type SmtpCredentialView = Static<typeof SmtpCredentialView>

export const SmtpListenerView = Type.Object({
  host: Type.String(),
  port: Type.Integer({ description: 'With STARTTLS' }),
  tls_port: Type.Optional(Type.Integer({ description: 'With implicit TLS, where it is on' })),
  self_signed: Type.Boolean({
    description: 'Whether the certificate there is one that programs have to be told to accept',
  }),
})
export type SmtpListenerView = Static<typeof SmtpListenerView>

export const SmtpCredentialMade = Type.Object({
  ...SmtpCredentialView.properties,
  password: Type.String({ description: 'Shown this once only' }),
  ...SmtpListenerView.properties,
})
export type SmtpCredentialMade = Static<typeof SmtpCredentialMade>

export const NewSmtpCredentialBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    expires_at: Type.Optional(
      Type.Union([Timestamp, Type.Null()], {
        description: 'a time with its offset, such as 2026-01-31T12:00:00Z, or null for never',
      }),
    ),
    rate: Type.Optional(
      Type.Union([Type.String({ maxLength: 20 }), Type.Null()], {
        description: 'a rate such as 50/s, or null for that of the installation',
      }),
    ),
  },
  { additionalProperties: false },
)
export type NewSmtpCredentialBody = Static<typeof NewSmtpCredentialBody>

export const CreditsView = Type.Object({
  balance: Type.Integer(),
  grants: Type.Array(
    Type.Object({
      grant_id: Type.String(),
      credits: Type.Integer(),
      note: Type.Union([Type.String(), Type.Null()]),
      granted_at: Timestamp,
    }),
    { description: 'The newest first' },
  ),
  uses: Type.Array(Type.Object({ day: Type.String(), credits: Type.Integer() }), {
    description: 'Of the last 90 days, each with a line, the oldest first',
  }),
})
export type CreditsView = Static<typeof CreditsView>
