// Shapes of API keys in the API.

import { type Static, Type } from 'typebox'
import { ALL_SCOPES } from '../../access/scopes.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'

const maybe = nullable(Timestamp)
const texts = (description: string) => Type.Array(Type.String(), { description })

/** Kinds of keys in the API; SMTP credentials have their own endpoints. */
const KINDS = ['sending', 'verification', 'public', 'management'] as const

/** Scope of a key. */
export const ScopeName = Type.Enum([...ALL_SCOPES])

const PATTERNS =
  'scopes, or `noun:*`, `*:read` and `*`, which are written out when the key is created and never mean `accounts:*` or `operator:*`'

export const KeyView = Type.Object(
  {
    key_id: Type.String(),
    kind: Type.Enum([...KINDS]),
    mode: Type.Enum(['live', 'test']),
    inbox_id: Type.Optional(Type.String({ description: 'Test inbox that gets the mail of a test key' })),
    name: Type.String(),
    last4: Type.String({ description: 'The end of the key' }),
    domain: Type.Optional(Type.String({ description: 'The domain of a Sending key' })),
    domain_id: Type.Optional(Type.String()),
    domains: nullable(
      texts(
        'The domains that the key works on; null for every domain of the account, and for a Verification key',
      ),
    ),
    scopes: Type.Array(ScopeName),
    grants: Type.Array(ScopeName, {
      description: 'Scopes that a management key may give to keys in addition to its own',
    }),
    networks: nullable(texts('The networks that the key may be used from; null for any address')),
    origins: nullable(
      texts('The origins of the web pages that may use a public key; null for any other key'),
    ),
    recipients: nullable(texts('The recipients that the key may send to; null for any recipient')),
    rate: nullable(
      Type.String({
        description: 'Maximum rate of requests of this key, such as 50/s; null for the usual rate',
      }),
    ),
    created_at: Timestamp,
    created_by: nullable(
      Type.String({
        description:
          'The ID of the user or the key that created it, `gone` if that user or key no longer exists, `operator` or `command_line`; null if unknown',
      }),
    ),
    last_used_at: maybe,
    last_used_from: nullable(Type.String({ description: 'The network of the client, such as 192.0.2.0/24' })),
    expires_at: maybe,
    rotating_until: Type.Union([Timestamp, Type.Null()], {
      description: 'Until when the secret before the last rotation is valid',
    }),
    revoked_at: maybe,
  },
  { description: 'An API key, without its secret' },
)
export type KeyView = Static<typeof KeyView>

export const KeyMade = Type.Object({
  ...KeyView.properties,
  key: Type.String({ description: 'The key itself; shown this once only' }),
})
export type KeyMade = Static<typeof KeyMade>

export const KeyList = Type.Object({ data: Type.Array(KeyView), next_cursor: nullable(Type.String()) })

export const KeyQuery = Type.Object(
  {
    ...PageQuery,
    kind: Type.Optional(Type.Enum([...KINDS])),
    domain: Type.Optional(
      Type.String({ maxLength: 300, description: 'Keys of this domain only, by name or ID' }),
    ),
    name: Type.Optional(Type.String({ maxLength: 100, description: 'The whole name' })),
    status: Type.Optional(Type.Enum(['active', 'expired', 'revoked'])),
  },
  closed,
)

export const KeyParams = Type.Object({ key_id: Type.String({ maxLength: 100 }) })

const name = Type.String({ minLength: 1, maxLength: 100 })
const word = Type.String({ minLength: 1, maxLength: 300 })

/** Fields that the maker of a key chooses and may change later. */
const chosen = {
  scopes: Type.Optional(
    Type.Union([Type.Array(word, { maxItems: 100 }), Type.Null()], {
      description: `a list of ${PATTERNS}; null for the usual scopes of the kind`,
    }),
  ),
  grants: Type.Optional(
    Type.Union([Type.Array(word, { maxItems: 100 }), Type.Null()], {
      description:
        'a list of scopes that a management key may give to keys in addition to its own; null for the scopes of a Sending key without `content:read`, if the key may create keys',
    }),
  ),
  networks: Type.Optional(
    Type.Union([Type.Array(word, { maxItems: 1_000 }), Type.Null()], {
      description:
        'a list of networks in CIDR notation, such as 192.0.2.0/24, at most 50; null for any address',
    }),
  ),
  recipients: Type.Optional(
    Type.Union([Type.Array(Type.String({ maxLength: 400 }), { maxItems: 1_000 }), Type.Null()], {
      description:
        'a list of permitted recipients, each an address or `*@example.com`, at most 50; null for any recipient',
    }),
  ),
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
}

const domains = Type.Optional(
  Type.Union([Type.Array(word, { maxItems: 1_000 }), Type.Null()], {
    description:
      'a list of domains by name or ID: one for a Sending key, any number for a management key; null for every domain of the account',
  }),
)

const origins = Type.Optional(
  Type.Array(word, {
    maxItems: 1_000,
    description:
      'The origins of the web pages that may use a public key, such as https://www.example.com; at most 50. Required for a public key',
  }),
)

/** Fields that make a credential a test credential. */
export const testing = {
  mode: Type.Optional(
    Type.Enum(['live', 'test'], {
      description: '`test` for a credential whose mail goes to a test inbox; default: live',
    }),
  ),
  inbox_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'The test inbox that gets the mail of a test credential' }),
  ),
}

export const NewKeyBody = Type.Object(
  { kind: Type.Enum([...KINDS]), name, domains, origins, ...testing, ...chosen },
  {
    ...closed,
    description: 'A key',
    examples: [{ kind: 'sending', name: 'Shop', domains: ['example.com'], scopes: ['messages:send'] }],
  },
)
export type NewKeyBody = Static<typeof NewKeyBody>

export const KeyPatch = Type.Object(
  { name: Type.Optional(name), domains, origins, ...chosen },
  { ...closed, examples: [{ name: 'Web shop' }] },
)
export type KeyPatch = Static<typeof KeyPatch>

export const KeyRotation = Type.Object(
  {
    overlap: Type.Optional(
      Type.String({
        maxLength: 20,
        description:
          'How long the secret so far stays valid, such as 30m, 24h or 7d; at most 30d, and 0s ends it at once. Default: 24h',
      }),
    ),
  },
  { ...closed, examples: [{ overlap: '24h' }] },
)

export const CurrentKey = Type.Object(
  {
    credential: Type.Enum(['key', 'smtp']),
    kind: Type.Enum([...KINDS, 'smtp']),
    key_id: Type.String({ description: 'The ID of the key, or the user name of an SMTP credential' }),
    name: Type.String(),
    mode: Type.Enum(['live', 'test']),
    inbox_id: Type.Optional(Type.String({ description: 'Test inbox of a test credential' })),
    scopes: Type.Array(ScopeName),
    grants: Type.Array(ScopeName),
    domains: nullable(texts('Names; null for every domain of the account, and for a Verification key')),
    networks: nullable(Type.Array(Type.String())),
    recipients: nullable(Type.Array(Type.String())),
    expires_at: maybe,
    account: Type.Object({ account_id: Type.String(), name: Type.String() }),
    address: Type.String({ description: 'The address that the request came from' }),
  },
  { description: 'The credential of the request and its rights' },
)
export type CurrentKey = Static<typeof CurrentKey>
