// Shapes of messages in the dashboard API beyond the public API, and of resending a message.

import { type Static, Type } from 'typebox'
import { LINK_HOURS } from '../../access/shared-links.ts'
import { Timestamp } from './common.ts'
import { MessageView } from './message.ts'

const Text = Type.Union([Type.String(), Type.Null()])

export const AttemptView = Type.Object({
  email: Type.String(),
  number: Type.Integer({ description: 'Number of the attempt for this recipient, counted from 1' }),
  started_at: Timestamp,
  duration_ms: Type.Integer(),
  status: Type.Enum(['delivered', 'deferred', 'bounced', 'failed']),
  reason: Type.String(),
  mx: Text,
  address: Text,
  source_address: Type.Union([Type.String(), Type.Null()], {
    description: 'Own IP address of the connection',
  }),
  tls: Text,
  smtp_code: Type.Union([Type.Integer(), Type.Null()]),
  smtp_enhanced: Text,
  smtp_response: Text,
  transcript: Type.String({ description: 'SMTP dialog, line by line' }),
})
export type AttemptView = Static<typeof AttemptView>

export const AttemptListView = Type.Object({
  data: Type.Array(AttemptView, { description: 'Oldest first' }),
})
export type AttemptListView = Static<typeof AttemptListView>

export const AttachmentListView = Type.Object({
  data: Type.Array(
    Type.Object({
      filename: Type.Union([Type.String(), Type.Null()]),
      content_type: Type.String(),
      size: Type.Integer({ description: 'Size of the decoded file in bytes' }),
    }),
  ),
  mail_size: Type.Integer({ description: 'Size of the whole message as sent, in bytes' }),
})
export type AttachmentListView = Static<typeof AttachmentListView>

export const ResendBody = Type.Object(
  {
    recipients: Type.Optional(
      Type.Array(Type.String({ maxLength: 400 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Addresses of the recipients to resend to; all recipients by default',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ResendBody = Static<typeof ResendBody>

export const MessageCountView = Type.Object({
  count: Type.Integer({ description: 'Number of messages, at most 1,000' }),
  complete: Type.Boolean({ description: 'False if there are more messages' }),
})
export type MessageCountView = Static<typeof MessageCountView>

export const ResendListView = Type.Object({
  data: Type.Array(Type.Object({ message_id: Type.String(), created_at: Timestamp }), {
    description: 'Newest first, at most 50',
  }),
})
export type ResendListView = Static<typeof ResendListView>

export const LinkBody = Type.Object(
  { hours: Type.Enum([...LINK_HOURS], { description: 'Lifetime of the link' }) },
  { additionalProperties: false },
)

export const LinkView = Type.Object({ url: Type.String(), expires_at: Timestamp })
export type LinkView = Static<typeof LinkView>

export const SharedQuery = Type.Object(
  { token: Type.String({ maxLength: 100, description: 'Token of the link' }) },
  { additionalProperties: false },
)

/** Fields of a message that a shared link does not show, in addition to the Bcc recipients. */
export const PRIVATE_FIELDS = [
  'metadata',
  'tag',
  'tags',
  'resend_of',
  'template_id',
  'template_alias',
  'layout',
  'reply_to',
  'key',
] as const

/** Message as a shared link shows it. */
export const SharedMessageView = Type.Object({
  ...Type.Omit(MessageView, ['bcc', 'raw_url', 'headers', ...PRIVATE_FIELDS]).properties,
  domain: Type.String(),
})
export type SharedMessageView = Static<typeof SharedMessageView>
