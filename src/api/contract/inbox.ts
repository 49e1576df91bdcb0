// Shapes of test inboxes and their mail in the API.

import { type Static, Type } from 'typebox'
import { KEEP_DAYS, KEEP_MESSAGES } from '../../model/test-inbox.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'

const keepDays = Type.Integer({
  minimum: 1,
  maximum: KEEP_DAYS.most,
  description: `Number of days for which mails are kept; default: ${KEEP_DAYS.usual}`,
})
const keepMessages = Type.Integer({
  minimum: 1,
  maximum: KEEP_MESSAGES.most,
  description: `Number of mails that are kept, of which the oldest is removed first; default: ${KEEP_MESSAGES.usual}`,
})
const name = Type.String({ minLength: 1, maxLength: 100 })

export const InboxView = Type.Object(
  {
    inbox_id: Type.String(),
    name: Type.String(),
    keep_days: Type.Integer(),
    keep_messages: Type.Integer(),
    base_url: Type.String({
      description: 'URL below which the paths of Mailpit and MailHog are served, with Basic authentication',
    }),
    username: Type.String({ description: 'User name for `base_url`' }),
    created_at: Timestamp,
  },
  { description: 'A test inbox, which gets the mail of test credentials' },
)
export type InboxView = Static<typeof InboxView>

export const InboxMade = Type.Object({
  ...InboxView.properties,
  password: Type.String({ description: 'Password for `base_url`; shown this once only' }),
})

export const InboxList = Type.Object({ data: Type.Array(InboxView), next_cursor: nullable(Type.String()) })

export const InboxQuery = Type.Object(PageQuery, closed)

export const InboxParams = Type.Object({ inbox_id: Type.String({ maxLength: 100 }) })

export const InboxBody = Type.Object(
  { name, keep_days: Type.Optional(keepDays), keep_messages: Type.Optional(keepMessages) },
  { ...closed, description: 'A test inbox', examples: [{ name: 'Shop tests', keep_days: 3 }] },
)

export const InboxPatch = Type.Object(
  {
    name: Type.Optional(name),
    keep_days: Type.Optional(keepDays),
    keep_messages: Type.Optional(keepMessages),
  },
  { ...closed, description: 'Fields to change; the others stay unchanged', examples: [{ keep_days: 14 }] },
)

const MailMailbox = Type.Object({
  email: Type.String(),
  name: Type.String({ description: 'Display name; empty without one' }),
})

const entry = {
  mail_id: Type.String({ description: 'ID of the mail in the inbox' }),
  inbox_id: Type.String(),
  message_id: nullable(
    Type.String({ description: 'The message; null for mail that no credential has sent' }),
  ),
  received_at: Timestamp,
  from: nullable(MailMailbox),
  to: Type.Array(MailMailbox),
  cc: Type.Array(MailMailbox),
  bcc: Type.Array(Type.String(), { description: 'Recipients that no header field names' }),
  recipients: Type.Array(Type.String(), { description: 'All recipients that accepted the mail' }),
  subject: Type.String(),
  tags: Type.Array(Type.String()),
  read: Type.Boolean({ description: 'True once the mail was retrieved' }),
  size: Type.Integer({ description: 'Size of the mail in bytes' }),
  attachment_count: Type.Integer(),
  snippet: Type.String({ description: 'Beginning of the text' }),
}

export const InboxMailSummary = Type.Object(entry, {
  description: 'A mail in a test inbox, without its content',
})
export type InboxMailSummary = Static<typeof InboxMailSummary>

export const InboxMail = Type.Object(
  {
    ...entry,
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'Header fields in order',
    }),
    attachments: Type.Array(
      Type.Object({
        number: Type.Integer({ description: 'Number of the file, from 0, for its download' }),
        filename: nullable(Type.String()),
        content_type: Type.String(),
        content_id: nullable(Type.String()),
        size: Type.Integer(),
        inline: Type.Boolean(),
      }),
    ),
    links: Type.Array(Type.String(), { description: 'Web addresses of the mail: those of the HTML first' }),
    codes: Type.Array(Type.String(), { description: 'One-time codes of the mail' }),
    return_path: Type.String(),
    tls: nullable(
      Type.String({ description: 'TLS version of the SMTP connection; null for mail of test credentials' }),
    ),
    incomplete: Type.Boolean({
      description: 'True if the mail exceeds the limits for reading; the source has everything',
    }),
  },
  { description: 'A mail in a test inbox' },
)
export type InboxMail = Static<typeof InboxMail>

export const InboxMailList = Type.Object({
  data: Type.Array(InboxMailSummary),
  next_cursor: nullable(Type.String()),
})

export const InboxMails = Type.Object({ data: Type.Array(InboxMail), next_cursor: Type.Null() })

const filters = {
  to: Type.Optional(Type.String({ maxLength: 400, description: 'Address of a recipient' })),
  subject: Type.Optional(Type.String({ maxLength: 1_000, description: 'Part of the subject, in any case' })),
}

export const InboxMailQuery = Type.Object(
  {
    ...PageQuery,
    recipient: filters.to,
    subject: filters.subject,
    tag: Type.Optional(Type.String({ maxLength: 255, description: 'One of the tags of the mail' })),
    search: Type.Optional(
      Type.String({
        maxLength: 10_240,
        description:
          'A query in the language of Mailpit: words, "phrases", and filters such as `from:`, `has:attachment` and `is:unread`; `-` in front negates',
      }),
    ),
    wait: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'Time to wait until there is a mail, such as `10s`; at most 30s',
      }),
    ),
  },
  closed,
)

export const InboxWaitQuery = Type.Object(
  {
    ...filters,
    since: Type.Optional(
      Type.String({ description: 'Only mails received at or after this time (RFC 3339)' }),
    ),
    timeout: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'Maximum time to wait, such as `10s`; at most 30s. Default: 30s',
      }),
    ),
  },
  closed,
)

export const InboxMailParams = Type.Object({
  ...InboxParams.properties,
  mail_id: Type.String({ maxLength: 100 }),
})

export const InboxFileParams = Type.Object({
  ...InboxMailParams.properties,
  number: Type.String({ maxLength: 10 }),
})
