// Shapes of inbound messages in the API.

import { Type } from 'typebox'
import { INBOUND_FLAGS, INBOUND_KINDS } from '../../model/inbound-message.ts'
import { nullable, ofDomain, Timestamp } from './common.ts'

const Mailbox = Type.Object({ email: Type.String(), name: nullable(Type.String()) })

const Authentication = Type.Object(
  {
    spf: Type.Object({ result: Type.String(), domain: nullable(Type.String()) }),
    dkim: Type.Array(
      Type.Object({
        result: Type.String(),
        domain: Type.String({ description: 'The signing domain (`d=`)' }),
        selector: Type.String(),
        aligned: Type.Boolean({ description: 'The signing domain is aligned with From' }),
      }),
    ),
    dmarc: Type.Object({
      result: Type.String(),
      domain: nullable(Type.String()),
      policy: nullable(Type.String()),
    }),
    arc: Type.Object({ result: Type.String() }),
    header: Type.String({ description: 'The value of an Authentication-Results field (RFC 8601)' }),
  },
  { description: 'Results in the words of RFC 8601' },
)

const summary = {
  ...ofDomain,
  inbound_id: Type.String(),
  status: Type.Enum(['received', 'processed'], {
    description: '`received` until it has been read and authenticated, usually for less than a second',
  }),
  stream: Type.String(),
  kind: Type.Enum([...INBOUND_KINDS], { description: 'As the structure of the message says' }),
  flags: Type.Array(Type.Enum([...INBOUND_FLAGS]), {
    description:
      '`auto_submitted`: a program wrote it, or `mail_from` is empty, so never answer it; `mailing_list`; `incomplete`: parts were left out or texts cut; `unreadable`: only the raw message is there',
  }),
  received_at: Timestamp,
  mail_from: Type.String({ description: 'The sender of the envelope; empty for a bounce' }),
  rcpt_to: Type.Array(Type.String(), { description: 'The addresses of the stream that it came for' }),
  from: Type.Union([Mailbox, Type.Null()]),
  subject: Type.String(),
  message_id: nullable(Type.String({ description: 'Its Message-ID, without angle brackets' })),
  size: Type.Integer({ description: 'Bytes of the raw message' }),
  authentication: Type.Union([Authentication, Type.Null()]),
}

export const InboundSummaryView = Type.Object(summary)

export const InboundList = Type.Object({
  data: Type.Array(InboundSummaryView),
  next_cursor: nullable(Type.String()),
})

export const InboundView = Type.Object({
  ...summary,
  client_address: Type.String({ description: 'The IP address that it came from' }),
  helo: Type.String(),
  tls: nullable(Type.String()),
  content: Type.Enum(['pending', 'available', 'removed', 'withheld'], {
    description: '`removed`: its retention has ended; `withheld`: the key lacks the scope `content:read`',
  }),
  to: Type.Array(Mailbox),
  cc: Type.Array(Mailbox),
  reply_to: Type.Array(Mailbox),
  date: nullable(Timestamp),
  in_reply_to: nullable(Type.String()),
  references: Type.Array(Type.String()),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'All fields, unfolded, encoded words as they are',
  }),
  text: nullable(Type.String()),
  html: nullable(Type.String({ description: 'As the sender wrote it: not safe to show' })),
  reply_text: nullable(Type.String({ description: 'The text without quotations and signature' })),
  attachments: Type.Array(
    Type.Object({
      filename: nullable(Type.String()),
      content_type: Type.String({ description: 'As the sender says' }),
      size: Type.Integer(),
      content_id: nullable(Type.String()),
      inline: Type.Boolean(),
      content: nullable(
        Type.String({ description: 'Base64; in events whose files have at most 1 MiB, else null' }),
      ),
      url: Type.String({ description: 'A link to the content, until `links_expire_at`' }),
    }),
  ),
  raw_url: nullable(Type.String({ description: 'A link to the raw message, until `links_expire_at`' })),
  links_expire_at: nullable(Timestamp),
})

export const InboundParams = Type.Object({ inbound_id: Type.String({ maxLength: 100 }) })
