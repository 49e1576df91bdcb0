// Shapes of messages in the API, in requests and responses.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { HELD_BY, HOLD_CAUSES } from '../../model/held.ts'
import { MESSAGE_STATUSES } from '../../model/message.ts'
import { MAX_REPLY_TO } from '../../model/message-origin.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { LIMITS } from '../../model/send-request.ts'
import { SKIP_REASONS } from '../../model/tracking.ts'
import { closed, nullable, ofDomain, ProblemDocument, Timestamp } from './common.ts'

const literals = <const T extends readonly string[]>(values: T) => Type.Enum(values)

export const Mailbox = Type.Object(
  {
    email: Type.String({ description: 'The address' }),
    name: Type.Optional(Type.String({ maxLength: LIMITS.nameLength, description: 'The display name' })),
  },
  closed,
)

const Attachment = Type.Object(
  {
    filename: Type.String({ minLength: 1, description: 'With its extension' }),
    content: Type.String({
      description: 'Base64, also in lines, in the alphabet for URLs or without padding',
    }),
    content_type: Type.Optional(
      Type.String({
        description:
          'By default what the extension of the file name says. `text/calendar` with a `method`, such as `text/calendar; method=REQUEST`, makes a meeting request: a form of the content beside text and HTML (RFC 6047), and a file as well. `text/x-amp-html` is a form alone. A mail (`message/rfc822`, an .eml file) or another `message/…` or `multipart/…` is attached with its bytes and name, as `application/octet-stream`: attachments are base64, in which these types must not be (RFC 2046 §5.1, §5.2.1)',
      }),
    ),
    content_id: Type.Optional(
      Type.String({
        description:
          'Makes it inline where the HTML refers to it as `cid:<content_id>`; a file that the HTML does not show is attached as any other',
      }),
    ),
  },
  closed,
)

const tracking = (what: string) =>
  Type.Optional(
    Type.Boolean({ description: `Whether ${what} are tracked; without it the stream or the domain says so` }),
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
    from: Type.String({ description: "Sender address; of the key's domain" }),
    from_name: Type.Optional(
      Type.String({ maxLength: LIMITS.nameLength, description: 'Display name of the sender' }),
    ),
    to: Type.Array(Mailbox, { minItems: 1, maxItems: LIMITS.recipients, description: 'The recipients' }),
    cc: Type.Optional(
      Type.Array(Mailbox, {
        maxItems: LIMITS.recipients,
        description: `With to and bcc together at most ${LIMITS.recipients}`,
      }),
    ),
    bcc: Type.Optional(
      Type.Array(Mailbox, {
        maxItems: LIMITS.recipients,
        description: 'Get the message and stand in no header',
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
        description: `Required, unless a template gives one; at most ${LIMITS.subjectBytes} bytes`,
      }),
    ),
    html: Type.Optional(
      Type.String({
        description: 'The HTML part; without a template at least one of html and text is required',
      }),
    ),
    text: Type.Optional(Type.String({ description: 'The plain-text part' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Custom header fields by name, at most 50; those that the service writes are refused',
      }),
    ),
    attachments: Type.Optional(
      Type.Array(Attachment, { maxItems: 200, description: 'Files that go with the message' }),
    ),
    stream: Type.Optional(
      Type.String({ maxLength: 100, description: 'The alias of the stream; default: transactional' }),
    ),
    tag: Type.Optional(
      Type.String({ maxLength: LIMITS.tagLength, description: 'A word to find messages by' }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'At most 20 keys and 4 KiB; comes back with the message',
      }),
    ),
    require_tls: Type.Optional(
      Type.Boolean({
        description:
          'Deliver only over TLS to a host whose certificate was verified; until then the message is deferred. Default: false',
      }),
    ),
    track_opens: tracking('opens of the HTML part'),
    track_links: tracking('clicks on links of the HTML part'),
    send_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When to send, RFC 3339, seconds may be left out, at most 7 days ahead; the message is `scheduled` until then. At most a minute ago counts as now.',
      }),
    ),
    template_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Takes subject, html and text from this template' }),
    ),
    template_alias: Type.Optional(Type.String({ maxLength: 100, description: 'The same by its alias' })),
    layout: Type.Optional(
      Type.String({ maxLength: 100, description: "Alias or ID instead of the template's layout, or `none`" }),
    ),
    template_model: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The variables of the template; without one it has no effect. Numbers print as they are written: 1.10, 123456789123456789',
        },
      ),
    ),
  },
  {
    ...closed,
    description:
      'A send request. `null` and an empty list in place of an optional field mean that it is not given',
    examples: [EXAMPLE],
  },
)

export const SendAnswer = Type.Object({
  message_id: Type.String({ description: 'Retrieve the message with it' }),
  status: literals(['queued', 'scheduled']),
})

export const BatchAnswer = Type.Object({
  data: Type.Array(
    Type.Union([
      SendAnswer,
      Type.Object({ error: ProblemDocument }, { description: 'This one was refused; the others were not' }),
    ]),
    { description: 'One for each send request, in the same order' },
  ),
})

/** Hold that keeps a recipient from being attempted. */
export const HeldView = Type.Object(
  {
    by: Type.Enum([...HELD_BY], {
      description:
        '`account`: it is suspended; `domain`: the account paused its sending domain; `stream`: the operator paused the stream; `operator`: the operator paused the destination or the sending domain, or decides after a restore',
    }),
    cause: Type.Enum([...HOLD_CAUSES]),
    value: Type.String({
      description:
        'The name of the destination, stream or domain; the ID of the account; the time of the restore',
    }),
    since: Timestamp,
    reason: Type.String({ description: 'The cause in a sentence' }),
  },
  {
    description:
      'Who holds the recipient, and since when: no attempt is made until the hold ends; the status stays `queued` or `deferred`',
  },
)

export const RecipientView = Type.Object({
  email: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  status: literals(RECIPIENT_STATUSES),
  last_event_at: Timestamp,
  smtp_code: Type.Optional(Type.Integer()),
  smtp_response: Type.Optional(Type.String()),
  mx: Type.Optional(Type.String()),
  next_attempt_at: Type.Optional(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'While it is deferred and not held: the next attempt is not made before',
    }),
  ),
  held: Type.Optional(HeldView),
})

const HistoryEntry = Type.Object({
  id: Type.String(),
  type: literals(EVENT_TYPES),
  at: Timestamp,
  email: Type.String(),
  detail: Type.Object({}, { additionalProperties: true }),
})

const summary = {
  ...ofDomain,
  message_id: Type.String(),
  message_id_header: Type.String({
    description: 'The Message-ID of the mail without angle brackets, as replies to it name it',
  }),
  status: literals(MESSAGE_STATUSES),
  stream: Type.String(),
  from: Type.String(),
  from_name: Type.Union([Type.String(), Type.Null()]),
  subject: Type.String(),
  tag: Type.Union([Type.String(), Type.Null()]),
  metadata: Type.Record(Type.String(), Type.String()),
  to: Type.Array(RecipientView),
  cc: Type.Array(RecipientView),
  bcc: Type.Array(RecipientView),
  send_at: Type.Union([Timestamp, Type.Null()], { description: 'When it is to be sent; null for at once' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  size: Type.Integer({
    description:
      'Bytes of the content as stored: the rendered request as JSON, or the mail as submitted by SMTP',
  }),
}

export const MessageSummary = Type.Object(summary)

const Tracking = Type.Object(
  {
    opens: Type.Boolean({ description: 'An open pixel is in its HTML' }),
    links: Type.Boolean({ description: 'Links of its HTML are tracked' }),
    skipped: Type.Optional(
      Type.Enum([...SKIP_REASONS], {
        description:
          'The cause for which nothing is tracked though it was to be: signed or encrypted content, a structure of parts or an encoding that cannot be read for certain, a body that is too large, or HTML that is nested too deep or takes too long to parse',
      }),
    ),
  },
  { description: 'What is tracked, as the `accepted` events say it; absent where nothing was to be tracked' },
)

const Submitter = Type.Object({
  key_id: Type.String({ description: 'ID of the key, the SMTP credential or the user' }),
  name: nullable(Type.String({ description: 'Null for a user without a name' })),
  kind: Type.Enum(['sending', 'smtp', 'management', 'user'], {
    description: 'A Sending API key, an SMTP credential, a management key, or a user of the dashboard',
  }),
})

export const MessageView = Type.Object({
  ...summary,
  tracking: Type.Optional(Tracking),
  template_id: Type.Optional(
    Type.String({ description: 'The template that gave the content; absent without one' }),
  ),
  template_alias: Type.Optional(
    Type.String({ description: 'Its alias when the message was accepted; absent if it had none' }),
  ),
  layout: Type.Optional(
    Type.String({ description: 'Alias of the layout, or its ID if it had none; absent without a layout' }),
  ),
  reply_to: Type.Optional(
    Type.Array(Type.Object({ email: Type.String(), name: nullable(Type.String()) }), {
      description: `The addresses that replies go to, the first ${MAX_REPLY_TO} at most; absent if replies go to the sender`,
    }),
  ),
  key: Type.Union([Submitter, Type.Null()], {
    description: 'What submitted it; null for a mail of the service itself, and for a user who was removed',
  }),
  resend_of: Type.Optional(Type.String({ description: 'ID of the message whose content it sends again' })),
  events: Type.Array(HistoryEntry, { description: 'Oldest first' }),
  html: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'With `?include=content`' })),
  text: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'With `?include=content`' })),
  content_incomplete: Type.Optional(
    Type.Boolean({
      description:
        'With `?include=content`: whether html or text is cut, as they are after about 2 MB; the whole is at `raw_url`',
    }),
  ),
  headers: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'With `?include=content`: as sent, in order',
    }),
  ),
  raw_url: Type.Optional(
    Type.String({ description: 'With `?include=content`: the whole message as it is sent' }),
  ),
})

export const MessageList = Type.Object({
  data: Type.Array(MessageSummary),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})
