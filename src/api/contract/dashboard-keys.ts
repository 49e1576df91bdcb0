// Shapes of SMTP credentials in the dashboard.

import { type Static, Type } from 'typebox'
import { nullable, Timestamp } from './common.ts'

const maybe = nullable(Timestamp)

const common = {
  name: Type.String(),
  last4: Type.String(),
  rate: Type.Union([Type.String(), Type.Null()], {
    description: 'Rate limit of this key, such as 50/s; null for the default of the installation',
  }),
  created_at: Timestamp,
  last_used_at: maybe,
  expires_at: maybe,
  revoked_at: maybe,
}

export const SmtpCredentialView = Type.Object({ username: Type.String(), ...common })
export type SmtpCredentialView = Static<typeof SmtpCredentialView>

export const SmtpListenerView = Type.Object({
  host: Type.String(),
  port: Type.Integer({ description: 'Port with STARTTLS' }),
  tls_port: Type.Optional(
    Type.Integer({ description: 'Port with implicit TLS; absent if implicit TLS is off' }),
  ),
  self_signed: Type.Boolean({
    description:
      'True if the certificate is self-signed, so that mail programs have to be configured to accept it',
  }),
})
export type SmtpListenerView = Static<typeof SmtpListenerView>

export const SmtpCredentialMade = Type.Object({
  ...SmtpCredentialView.properties,
  password: Type.String({ description: 'Password, shown only once' }),
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
        description: 'a rate such as 50/s, or null for the rate of the installation',
      }),
    ),
  },
  { additionalProperties: false },
)
export type NewSmtpCredentialBody = Static<typeof NewSmtpCredentialBody>
