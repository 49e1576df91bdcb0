// Shapes of SMTP credentials in the API.

import { type Static, Type } from 'typebox'
import { closed, nullable, PageQuery } from './common.ts'
import { KeyPatch, KeyView, testing } from './key.ts'

export const SmtpListenerView = Type.Object(
  {
    host: Type.String(),
    port: Type.Integer({ description: 'Port with STARTTLS' }),
    tls_port: Type.Optional(
      Type.Integer({ description: 'Port with implicit TLS; absent if implicit TLS is off' }),
    ),
    self_signed: Type.Boolean({
      description:
        'True if the certificate is self-signed, so that mail programs have to be configured to accept it',
    }),
  },
  { description: 'Host and ports of SMTP submission' },
)
export type SmtpListenerView = Static<typeof SmtpListenerView>

const { mode, inbox_id, name, last4, networks, recipients, rate } = KeyView.properties
const { created_at, created_by, last_used_at, last_used_from } = KeyView.properties
const { expires_at, rotating_until, revoked_at } = KeyView.properties

export const SmtpCredentialView = Type.Object(
  {
    username: Type.String({ description: 'The user name, which is the ID of the credential' }),
    ...{ name, mode, inbox_id, last4 },
    domain: Type.String({ description: 'The domain that the credential sends from' }),
    domain_id: Type.String(),
    ...{ networks, recipients, rate, created_at, created_by, last_used_at, last_used_from },
    ...{ expires_at, rotating_until, revoked_at },
    ...SmtpListenerView.properties,
  },
  { description: 'An SMTP credential, without its password' },
)
export type SmtpCredentialView = Static<typeof SmtpCredentialView>

export const SmtpCredentialMade = Type.Object({
  ...SmtpCredentialView.properties,
  password: Type.String({ description: 'The password; shown this once only' }),
})
export type SmtpCredentialMade = Static<typeof SmtpCredentialMade>

export const SmtpCredentialList = Type.Object({
  data: Type.Array(SmtpCredentialView),
  next_cursor: nullable(Type.String()),
  listener: SmtpListenerView,
})
export type SmtpCredentialList = Static<typeof SmtpCredentialList>

export const SmtpCredentialQuery = Type.Object(
  {
    ...PageQuery,
    domain: Type.Optional(
      Type.String({ maxLength: 300, description: 'Credentials of this domain only, by name or ID' }),
    ),
    name: Type.Optional(Type.String({ maxLength: 100, description: 'The whole name' })),
    status: Type.Optional(Type.Enum(['active', 'expired', 'revoked'])),
  },
  closed,
)

export const SmtpCredentialParams = Type.Object({ username: Type.String({ maxLength: 100 }) })

const { networks: within, recipients: permitted, expires_at: end, rate: limit } = KeyPatch.properties

/** Fields that the maker of a credential chooses and may change later. */
const chosen = { networks: within, recipients: permitted, expires_at: end, rate: limit }

const title = Type.String({ minLength: 1, maxLength: 100 })

export const NewSmtpCredentialBody = Type.Object(
  {
    name: title,
    domain: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'The domain by name or ID; required unless the key works on one domain only',
      }),
    ),
    ...testing,
    ...chosen,
  },
  { ...closed, description: 'An SMTP credential', examples: [{ name: 'Printer', domain: 'example.com' }] },
)
export type NewSmtpCredentialBody = Static<typeof NewSmtpCredentialBody>

export const SmtpCredentialPatch = Type.Object(
  { name: Type.Optional(title), ...chosen },
  { ...closed, examples: [{ name: 'Printer on the second floor' }] },
)
