// Shapes of requests to send, check and change messages.

import { Type } from 'typebox'
import { SEARCHABLE_KEYS } from '../../model/message.ts'
import { LIMITS } from '../../model/send-request.ts'
import { closed } from './common.ts'
import { checkFields, guardOfMessage } from './guard.ts'

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
