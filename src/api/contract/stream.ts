// Shapes of streams in the API.

import { Type } from 'typebox'
import { BRAND_LIMITS } from '../../model/brand.ts'
import { MAX_INBOUND_ADDRESS_LENGTH, MAX_INBOUND_ADDRESSES } from '../../model/inbound-address.ts'
import { STREAM_KINDS, STREAM_LIMITS, UNSUBSCRIBE_BY } from '../../model/stream.ts'
import { closed, nullable, ofDomain, Timestamp } from './common.ts'
import { guardFields, guardView } from './guard.ts'
import { retentionFields, retentionView } from './retention.ts'
import { trackingFields, trackingView } from './tracking.ts'

const { least, most } = STREAM_LIMITS.retryForSeconds

const orNull = (maxLength: number, description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength }), Type.Null()], { description })

const brand = {
  name: orNull(
    BRAND_LIMITS.nameLength,
    `a sender's name of at most ${BRAND_LIMITS.nameLength} characters, or null`,
  ),
  logo_url: orNull(BRAND_LIMITS.urlLength, 'an https address of an image, or null'),
  color: orNull(7, 'a colour such as `#14539a`, or null'),
}

const changes = {
  ...retentionFields,
  ...trackingFields,
  ...guardFields,
  store_content: Type.Optional(
    Type.Boolean({
      description:
        'False to remove the content of a message as soon as none of its recipients is waiting; true by default',
    }),
  ),
  rate: Type.Optional(
    Type.Union([Type.String({ maxLength: 20 }), Type.Null()], {
      description: 'a rate limit such as `50/s`, or null for no limit',
    }),
  ),
  retry_for_seconds: Type.Optional(
    Type.Union([Type.Integer({ minimum: least, maximum: most }), Type.Null()], {
      description: `a queue lifetime in seconds, from ${least} to ${most}, or null for the installation's`,
    }),
  ),
  sending_allowance: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
      description: 'a number of recipients left, or null for no limit',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Header fields that are added to each message of the stream that lacks them',
    }),
  ),
  unsubscribe: Type.Optional(
    Type.Enum([...UNSUBSCRIBE_BY], {
      description:
        '`service` (default): the service replaces the List-Unsubscribe header of submitted broadcast messages. `sender`: messages keep their own List-Unsubscribe header and get no footer; each message needs List-Unsubscribe with an https link, and List-Unsubscribe-Post (RFC 8058)',
    }),
  ),
  brand: Type.Optional(
    Type.Union([Type.Object(brand, closed), Type.Null()], {
      description:
        'an object with `name`, `logo_url` and `color`, each a value or null, for the unsubscribe page of a broadcast stream, or null for the default look',
    }),
  ),
  addresses: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_INBOUND_ADDRESS_LENGTH }), {
      maxItems: MAX_INBOUND_ADDRESSES,
      description:
        'Addresses of an inbound stream: `support@example.com`, which includes every tag (`support+…@`), or `*@in.example.com` for all addresses of a host',
    }),
  ),
}

const name = Type.String({
  minLength: 1,
  maxLength: STREAM_LIMITS.nameLength,
  description: 'Name for display',
})
const kind = Type.Enum([...STREAM_KINDS], { description: 'Kind of the stream, which cannot be changed' })

export const StreamBody = Type.Object(
  {
    alias: Type.String({
      minLength: 1,
      maxLength: STREAM_LIMITS.aliasLength,
      description:
        'Name of the stream in send requests: a letter, followed by letters, digits, "-" and "_". Cannot be changed',
    }),
    name,
    kind,
    ...changes,
  },
  {
    ...closed,
    description: 'Stream',
    examples: [{ alias: 'news', name: 'Newsletter', kind: 'broadcast' }],
  },
)

export const StreamPatch = Type.Object(
  {
    name: Type.Optional(name),
    ...changes,
    archived: Type.Optional(
      Type.Boolean({ description: 'True for an archived stream, which neither sends nor receives messages' }),
    ),
  },
  { ...closed, description: 'Fields to change; the others stay unchanged', examples: [{ name: 'News' }] },
)

export const StreamView = Type.Object({
  ...ofDomain,
  alias: Type.String(),
  name: Type.String(),
  kind: Type.Enum([...STREAM_KINDS]),
  rate: nullable(Type.String()),
  retry_for_seconds: nullable(Type.Integer()),
  sending_allowance: nullable(Type.Integer()),
  headers: Type.Record(Type.String(), Type.String()),
  addresses: Type.Array(Type.String(), {
    description: 'Addresses of an inbound stream; empty for other streams',
  }),
  unsubscribe: Type.Enum([...UNSUBSCRIBE_BY]),
  brand: Type.Union([Type.Object(brand), Type.Null()], { description: 'Brand of the unsubscribe page' }),
  ...retentionView,
  ...trackingView,
  ...guardView,
  store_content: Type.Boolean(),
  archived: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const StreamList = Type.Object({
  data: Type.Array(StreamView),
  next_cursor: nullable(Type.String()),
})

export const StreamParams = Type.Object({
  alias: Type.String({ minLength: 1, maxLength: 100 }),
})
