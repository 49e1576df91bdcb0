// Shapes of messages in the API, in requests and responses.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { HELD_BY, HOLD_CAUSES } from '../../model/held.ts'
import { MESSAGE_STATUSES, SEARCHABLE_KEYS } from '../../model/message.ts'
import { MAX_REPLY_TO } from '../../model/message-origin.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { LIMITS } from '../../model/send-request.ts'
import { SKIP_REASONS } from '../../model/tracking.ts'
import { closed, nullable, ofDomain, ProblemDocument, Timestamp } from './common.ts'
import { checkFields, guardOfMessage, WarningView } from './guard.ts'

export const Mailbox = Type.Object(
  {
    email: Type.String({ description: 'Email address' }),
    name: Type.Optional(Type.String({ maxLength: LIMITS.nameLength, description: 'Display name' })),
  },
  closed,
)

export const Attachment = Type.Object(
  {
    filename: Type.String({ minLength: 1, description: 'File name with its extension' }),
    content: Type.Optional(
      Type.String({
        description:
          'Content in base64; line breaks, the URL-safe alphabet and missing padding are accepted. Required without `url`',
      }),
    ),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'Public https URL of the file, instead of `content`. The service fetches the file before it accepts the message: all files of a request within 10 seconds and with at most 10 MiB together; up to five redirects are followed',
      }),
    ),
    content_type: Type.Optional(
      Type.String({
        description:
          'Media type; derived from the extension of the file name by default. `text/calendar` with a `method`, such as `text/calendar; method=REQUEST`, makes a meeting request: the file becomes an alternative to text and HTML (RFC 6047), and is attached as well. `text/x-amp-html` becomes an alternative and is not attached. Files of type `message/…` (such as `message/rfc822`, an .eml file) or `multipart/…` are attached unchanged as `application/octet-stream`, because these types do not allow base64 (RFC 2046 §5.1, §5.2.1)',
      }),
    ),
    content_id: Type.Optional(
      Type.String({
        description:
          'Content-ID of a file that the HTML shows as `cid:<content_id>`. If the HTML does not refer to the file, the file is attached normally',
      }),
    ),
  },
  closed,
)

const tracking = (what: string) =>
  Type.Optional(
    Type.Boolean({ description: `True to track ${what}; by default the stream or the domain decides` }),
  )

const EXAMPLE = {
  from: 'shop@example.com',
  from_name: 'The Shop',
  to: [{ email: 'ann@example.net', name: 'Ann' }],
  subject: 'Your receipt',
  html: '<p>Thank you, Ann.</p>',
  text: 'Thank you, Ann.',
  tag: 'receipt',
  metadata: { order: '1234' },
}

export const SendBody = Type.Object(
  {
    from: Type.String({
      description: 'Sender address in the domain of the key',
      examples: ['shop@example.com'],
    }),
    from_name: Type.Optional(
      Type.String({ maxLength: LIMITS.nameLength, description: 'Display name of the sender' }),
    ),
    to: Type.Array(Mailbox, { minItems: 1, maxItems: LIMITS.recipients, description: 'Recipients' }),
    cc: Type.Optional(
      Type.Array(Mailbox, {
        maxItems: LIMITS.recipients,
        description: `Cc recipients; to, cc and bcc together have at most ${LIMITS.recipients} recipients`,
      }),
    ),
    bcc: Type.Optional(
      Type.Array(Mailbox, {
        maxItems: LIMITS.recipients,
        description: 'Bcc recipients, who get the message and appear in no header',
      }),
    ),
    reply_to: Type.Optional(
      Type.Union([Mailbox, Type.Array(Mailbox, { minItems: 1, maxItems: LIMITS.recipients })], {
        description: 'a mailbox `{ email, name }` or an array of them',
      }),
    ),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        description: `Subject of at most ${LIMITS.subjectBytes} bytes; required unless a template contains a subject`,
      }),
    ),
    html: Type.Optional(
      Type.String({
        description: 'HTML part; without a template, at least one of html and text is required',
      }),
    ),
    text: Type.Optional(Type.String({ description: 'Plain-text part' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'Custom header fields by name, at most 50; fields that the service writes itself are refused',
      }),
    ),
    attachments: Type.Optional(Type.Array(Attachment, { maxItems: 200, description: 'Files to attach' })),
    stream: Type.Optional(
      Type.String({ maxLength: 100, description: 'Alias of the stream; default: transactional' }),
    ),
    tag: Type.Optional(
      Type.String({
        maxLength: LIMITS.tagLength,
        description: 'Label by which messages can be found and counted',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.tagsLength }), {
        maxItems: LIMITS.tags,
        description:
          'Several labels, instead of `tag`: each finds the message, and statistics count the first',
      }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: `Your own data, at most ${LIMITS.metadataKeys} keys and ${LIMITS.metadataBytes / 1_024} KiB; returned with the message, which is found by the values of the first ${SEARCHABLE_KEYS} keys`,
      }),
    ),
    require_tls: Type.Optional(
      Type.Boolean({
        description:
          'True to require TLS and a verified certificate; the message is deferred until a host has both. Default: false',
      }),
    ),
    track_opens: tracking('opens of the HTML part'),
    track_links: tracking('clicks on links of the HTML part'),
    guard: guardOfMessage,
    send_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Time to send the message (RFC 3339; seconds may be omitted), at most 30 days ahead. The message is `scheduled` until then. A time up to one minute in the past counts as now.',
      }),
    ),
    template_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'ID of the template that provides subject, html and text' }),
    ),
    template_alias: Type.Optional(
      Type.String({ maxLength: 100, description: 'Alias of the template, instead of template_id' }),
    ),
    layout: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Alias or ID of a layout that replaces the layout of the template, or `none`',
      }),
    ),
    template_model: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Variables of the template; ignored without a template. Numbers are printed as written: 1.10, 123456789123456789',
        },
      ),
    ),
  },
  {
    ...closed,
    description: 'Send request. An optional field that is `null` or an empty list counts as omitted',
    examples: [EXAMPLE],
  },
)

export const RawQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        maxLength: 400,
        description:
          'Envelope sender in the domain of the key; by default the address in the `From` field of the message',
      }),
    ),
    to: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 20_000 }), {
        maxItems: 200,
        description: `Recipients of the envelope, separated by commas or in several parameters, at most ${LIMITS.recipients}; by default the addresses in the fields \`To\`, \`Cc\` and \`Bcc\``,
      }),
    ),
    stream: Type.Optional(
      Type.String({ maxLength: 100, description: 'Alias of the stream, instead of the field `X-Stream`' }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.tagsLength }), {
        maxItems: LIMITS.tags,
        description: 'Tags, each in its own parameter, instead of the fields `X-Tag`',
      }),
    ),
  },
  closed,
)

export const MessagePatch = Type.Object(
  {
    send_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'a time (RFC 3339) at most 30 days ahead, or null to send the message now; `send_at` of the message is then the time of this request',
    }),
  },
  { ...closed, description: 'New time of a scheduled message', examples: [{ send_at: null }] },
)

export const SendAnswer = Type.Object({
  message_id: Type.String({ description: 'ID with which the message can be retrieved' }),
  status: Type.Enum(['queued', 'scheduled']),
  warnings: Type.Optional(
    Type.Array(WarningView, { description: 'Findings of the check, with the guard `warn` only' }),
  ),
})

const { guard: _guard, send_at: _sendAt, ...content } = SendBody.properties

export const CheckBody = Type.Object(
  {
    ...content,
    from: Type.Optional(content.from),
    to: Type.Optional(content.to),
    ...checkFields,
  },
  {
    ...closed,
    description:
      'Send request of which any field may be missing, the source of a template, or a complete message in `raw`',
    examples: [
      {
        from: 'shop@example.com',
        to: [{ email: 'ann@example.net' }],
        subject: 'Your receipt',
        html: '<p>Thank you, undefined.</p>',
      },
    ],
  },
)

export const BatchAnswer = Type.Object({
  data: Type.Array(
    Type.Union([
      SendAnswer,
      Type.Object(
        { error: ProblemDocument },
        { description: 'Refusal of this request; the other requests are not affected' },
      ),
    ]),
    { description: 'One result for each send request, in the same order' },
  ),
})

/** Hold that keeps a recipient from being attempted. */
export const HeldView = Type.Object(
  {
    by: Type.Enum([...HELD_BY], {
      description:
        '`account`: the account is suspended. `domain`: the account paused the sending domain. `stream`: the operator paused the stream. `operator`: the operator paused the destination or the sending domain, or has to decide after a restore',
    }),
    cause: Type.Enum([...HOLD_CAUSES]),
    value: Type.String({
      description: 'Name of the destination, stream or domain, ID of the account, or time of the restore',
    }),
    since: Timestamp,
    reason: Type.String({ description: 'Cause as a sentence' }),
  },
  {
    description:
      'Origin and beginning of the hold. No attempt is made until the hold ends; the status stays `queued` or `deferred`',
  },
)

export const RecipientView = Type.Object({
  email: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum(RECIPIENT_STATUSES),
  last_event_at: Timestamp,
  smtp_code: Type.Optional(Type.Integer()),
  smtp_response: Type.Optional(Type.String()),
  mx: Type.Optional(Type.String()),
  next_attempt_at: Type.Optional(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'Earliest time of the next attempt; present while the recipient is deferred and not held',
    }),
  ),
  held: Type.Optional(HeldView),
})

const HistoryEntry = Type.Object({
  id: Type.String(),
  type: Type.Enum(EVENT_TYPES),
  at: Timestamp,
  email: Type.String(),
  detail: Type.Object({}, { additionalProperties: true }),
})

const SkipReason = Type.Enum([...SKIP_REASONS], {
  description:
    'Why the message is unchanged: signed or encrypted content, a structure of parts or an encoding that cannot be read for certain, a body that is too large, or HTML that is nested too deep or takes too long to parse',
})

const Tracking = Type.Object(
  {
    opens: Type.Boolean({ description: 'True if the HTML contains a tracking pixel' }),
    links: Type.Boolean({ description: 'True if links in the HTML are tracked' }),
    skipped: Type.Optional(SkipReason),
  },
  {
    description: 'Tracking of the message, as recorded in its `accepted` events; absent if tracking was off',
  },
)

const Footer = Type.Object(
  { skipped: SkipReason },
  { description: 'Present if a broadcast without a visible unsubscribe link got no footer with this link' },
)

const summary = {
  ...ofDomain,
  message_id: Type.String(),
  message_id_header: Type.String({
    description: 'Message-ID header without angle brackets; replies refer to this ID',
  }),
  status: Type.Enum(MESSAGE_STATUSES),
  stream: Type.String(),
  from: Type.String(),
  from_name: Type.Union([Type.String(), Type.Null()]),
  subject: Type.String(),
  tag: Type.Union([Type.String(), Type.Null()], { description: 'First tag' }),
  tags: Type.Array(Type.String(), { description: 'All tags' }),
  metadata: Type.Record(Type.String(), Type.String()),
  to: Type.Array(RecipientView),
  cc: Type.Array(RecipientView),
  bcc: Type.Array(RecipientView),
  send_at: Type.Union([Timestamp, Type.Null()], {
    description: 'Time at which the message is to be sent; null for immediately',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  size: Type.Integer({
    description:
      'Size of the stored content in bytes: the rendered request as JSON, or the message as submitted by SMTP; the message as sent is usually larger',
  }),
  test: Type.Optional(
    Type.Literal(true, {
      description: 'True for a test message, which went to a test inbox; absent otherwise',
    }),
  ),
  inbox_id: Type.Optional(Type.String({ description: 'Test inbox of a test message' })),
  tracking: Type.Optional(Tracking),
  warnings: Type.Optional(
    Type.Array(WarningView, {
      description: 'Findings of the check at acceptance, with the guard `warn` only',
    }),
  ),
  footer: Type.Optional(Footer),
}

export const MessageSummary = Type.Object(summary)

const Submitter = Type.Object({
  key_id: Type.String({ description: 'ID of the key, the SMTP credential or the user' }),
  name: nullable(
    Type.String({ description: 'Name of the key, credential or user; null for a user without a name' }),
  ),
  kind: Type.Enum(['sending', 'smtp', 'management', 'user'], {
    description: 'A Sending API key, an SMTP credential, a management key, or a user of the dashboard',
  }),
})

export const RetryAnswer = Type.Object({
  ...ofDomain,
  recipients: Type.Integer({ description: 'Number of recipients that are due now' }),
})

export const MessageView = Type.Object({
  ...summary,
  template_id: Type.Optional(
    Type.String({ description: 'ID of the template of the content; absent without a template' }),
  ),
  template_alias: Type.Optional(
    Type.String({
      description: 'Alias of the template when the message was accepted; absent if the template had no alias',
    }),
  ),
  layout: Type.Optional(
    Type.String({
      description: 'Alias of the layout, or its ID if the layout had no alias; absent without a layout',
    }),
  ),
  reply_to: Type.Optional(
    Type.Array(Type.Object({ email: Type.String(), name: nullable(Type.String()) }), {
      description: `Addresses to which replies go, at most the first ${MAX_REPLY_TO}; absent if replies go to the sender`,
    }),
  ),
  key: Type.Union([Submitter, Type.Null()], {
    description:
      'Key, credential or user that submitted the message; null for messages of the service itself, and for a removed user',
  }),
  resend_of: Type.Optional(
    Type.String({ description: 'ID of the original message that this message resends' }),
  ),
  events: Type.Array(HistoryEntry, { description: 'Oldest first' }),
  html: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'With `?include=content`: HTML part' }),
  ),
  text: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'With `?include=content`: text part' }),
  ),
  content_incomplete: Type.Optional(
    Type.Boolean({
      description:
        'With `?include=content`: true if html or text is truncated, which happens after about 2 MB; the complete message is at `raw_url`',
    }),
  ),
  headers: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'With `?include=content`: header fields as sent, in order',
    }),
  ),
  raw_url: Type.Optional(
    Type.String({ description: 'With `?include=content`: URL of the complete message as sent' }),
  ),
})

export const MessageList = Type.Object({
  data: Type.Array(MessageSummary),
  next_cursor: nullable(Type.String()),
})
