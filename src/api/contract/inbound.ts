// Shapes of inbound messages in the API.

import { Type } from 'typebox'
import { INBOUND_FLAGS, INBOUND_KINDS } from '../../model/inbound-message.ts'
import { nullable, ofDomain, Timestamp } from './common.ts'

const Mailbox = Type.Object({ email: Type.String(), name: nullable(Type.String()) })

export const Authentication = Type.Object(
  {
    spf: Type.Object({ result: Type.String(), domain: nullable(Type.String()) }),
    dkim: Type.Array(
      Type.Object({
        result: Type.String(),
        domain: Type.String({ description: 'Signing domain (`d=`)' }),
        selector: Type.String(),
        aligned: Type.Boolean({ description: 'True if the signing domain is aligned with From' }),
      }),
    ),
    dmarc: Type.Object({
      result: Type.String(),
      domain: nullable(Type.String()),
      policy: nullable(Type.String()),
    }),
    arc: Type.Object({ result: Type.String() }),
    header: Type.String({ description: 'Value of an Authentication-Results field (RFC 8601)' }),
  },
  { description: 'Authentication results as RFC 8601 names them' },
)

const summary = {
  ...ofDomain,
  inbound_id: Type.String(),
  status: Type.Enum(['received', 'processed'], {
    description:
      '`received` until the message has been parsed and authenticated, which usually takes less than a second',
  }),
  stream: Type.String(),
  kind: Type.Enum([...INBOUND_KINDS], { description: 'Kind of message, derived from its structure' }),
  flags: Type.Array(Type.Enum([...INBOUND_FLAGS]), {
    description:
      '`auto_submitted`: a program wrote the message, or `mail_from` is empty; never reply automatically. `mailing_list`. `incomplete`: parts were left out or texts were cut. `unreadable`: only the raw message is available',
  }),
  received_at: Timestamp,
  mail_from: Type.String({ description: 'Envelope sender; empty for a bounce' }),
  rcpt_to: Type.Array(Type.String(), { description: 'Envelope recipients that belong to the stream' }),
  from: Type.Union([Mailbox, Type.Null()]),
  subject: Type.String(),
  message_id: nullable(Type.String({ description: 'Message-ID header without angle brackets' })),
  size: Type.Integer({ description: 'Size of the raw message in bytes' }),
  authentication: Type.Union([Authentication, Type.Null()]),
}

export const InboundSummaryView = Type.Object(summary)

export const InboundList = Type.Object({
  data: Type.Array(InboundSummaryView),
  next_cursor: nullable(Type.String()),
})

export const InboundView = Type.Object({
  ...summary,
  client_address: Type.String({ description: 'IP address of the client that delivered the message' }),
  helo: Type.String(),
  tls: nullable(Type.String()),
  content: Type.Enum(['pending', 'available', 'removed', 'withheld'], {
    description:
      '`removed`: the content was removed when its retention ended; `withheld`: the key lacks the scope `content:read`',
  }),
  to: Type.Array(Mailbox),
  cc: Type.Array(Mailbox),
  reply_to: Type.Array(Mailbox),
  date: nullable(Timestamp),
  in_reply_to: nullable(Type.String()),
  references: Type.Array(Type.String()),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'All header fields, unfolded; encoded words are not decoded',
  }),
  text: nullable(Type.String()),
  html: nullable(
    Type.String({ description: 'HTML as the sender wrote it; do not display it without sanitizing' }),
  ),
  reply_text: nullable(Type.String({ description: 'Text without quotations and signature' })),
  attachments: Type.Array(
    Type.Object({
      filename: nullable(Type.String()),
      content_type: Type.String({ description: 'Content type that the sender declared' }),
      size: Type.Integer({ description: 'Size of the decoded content in bytes' }),
      content_id: nullable(Type.String()),
      inline: Type.Boolean(),
      content: nullable(
        Type.String({
          description: 'Content in base64; only in events, and null if the files together exceed 1 MiB',
        }),
      ),
      url: Type.String({ description: 'Link to the content, valid until `links_expire_at`' }),
    }),
  ),
  raw_url: nullable(Type.String({ description: 'Link to the raw message, valid until `links_expire_at`' })),
  links_expire_at: nullable(Timestamp),
})

export const InboundParams = Type.Object({ inbound_id: Type.String({ maxLength: 100 }) })
