// Shapes of messages in responses.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../../model/event.ts'
import { HELD_BY, HOLD_CAUSES } from '../../model/held.ts'
import { MESSAGE_STATUSES } from '../../model/message.ts'
import { MAX_REPLY_TO } from '../../model/message-origin.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { SKIP_REASONS } from '../../model/tracking.ts'
import { nullable, ofDomain, ProblemDocument, Timestamp } from './common.ts'
import { WarningView } from './guard.ts'

export const SendAnswer = Type.Object({
  message_id: Type.String({ description: 'ID with which the message can be retrieved' }),
  status: Type.Enum(['queued', 'scheduled']),
  warnings: Type.Optional(
    Type.Array(WarningView, { description: 'Findings of the check, with the guard `warn` only' }),
  ),
})

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
