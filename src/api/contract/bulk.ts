// Shapes of bulk sending: message, rows, progress and the result of each row.

import { type TObject, Type } from 'typebox'
import { BULK_LIMITS, BULK_STATUSES } from '../../model/bulk.ts'
import { PROBLEMS } from '../../model/problem.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { linesFile, tableFiles } from './body-files.ts'
import { closed, ofDomain, PageQuery, ProblemDocument, Timestamp } from './common.ts'
import { Mailbox, SendBody } from './message.ts'

const { to: _to, cc: _cc, bcc: _bcc, template_model, metadata, ...shared } = SendBody.properties

/** Send request without recipients. */
export const BulkMessageBody = Type.Object(
  { ...shared, template_model, metadata },
  {
    ...closed,
    description:
      'The first line of JSON lines: a send request without recipients. Its subject, html and text are template language; template_model and metadata are for all rows, and a row has them before these.',
  },
)

/** Row of a bulk, on a line of its own. */
export const BulkRowBody = Type.Object(
  {
    to: Type.Union([Type.String(), Mailbox], { description: 'an address or a mailbox `{ email, name }`' }),
    template_model,
    metadata,
  },
  closed,
)

const EXAMPLE_LINES = [
  { from: 'shop@example.com', subject: 'Hello {{name}}', text: 'Dear {{name}}, the tea is here.' },
  { to: 'ann@example.net', template_model: { name: 'Ann' } },
  { to: { email: 'bob@example.org', name: 'Bob' }, template_model: { name: 'Bob' }, metadata: { id: '7' } },
]

/** Bodies of a new bulk by media type. */
export const BULK_FILES = {
  'application/x-ndjson': linesFile(
    'JSON lines: the first line is the message, and each further line is a row',
    [BulkMessageBody, BulkRowBody],
    EXAMPLE_LINES.map((line) => `${JSON.stringify(line)}\n`).join(''),
  ),
  ...tableFiles('email,to_name,name,metadata.id\nann@example.net,Ann,Ann,6\nbob@example.org,Bob,Bob,7\n'),
}

const text = (description: string, maxLength = 1_000) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

const ofCsv = (name: keyof typeof shared): TObject['properties'][string] => shared[name]

/** Query of a new bulk; contains the message if the body is CSV. */
export const NewBulkQuery = Type.Object(
  {
    name: text('As you call it, the name of a file say', BULK_LIMITS.nameLength),
    column: text('Of a CSV: the column with the addresses, where it has no usual name such as `email`', 200),
    from: Type.Optional(Type.String({ description: 'With CSV the fields of the message are here' })),
    from_name: ofCsv('from_name'),
    subject: ofCsv('subject'),
    html: ofCsv('html'),
    text: ofCsv('text'),
    template_id: ofCsv('template_id'),
    template_alias: ofCsv('template_alias'),
    layout: ofCsv('layout'),
    stream: ofCsv('stream'),
    tag: ofCsv('tag'),
    send_at: ofCsv('send_at'),
    require_tls: ofCsv('require_tls'),
    track_opens: ofCsv('track_opens'),
    track_links: ofCsv('track_links'),
  },
  closed,
)

export const BulkAnswer = Type.Object({
  bulk_id: Type.String({ description: 'blk_…' }),
  status: Type.Enum(['queued']),
})

const counted = (description: string) => Type.Integer({ description })
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const BulkView = Type.Object({
  ...ofDomain,
  bulk_id: Type.String(),
  name: textOrNull('As it was given'),
  status: Type.Enum([...BULK_STATUSES], {
    description:
      'paused: its messages cannot be accepted now, `problem` says why; it is tried again every half a minute. cancelling: messages that wait are being cancelled',
  }),
  stream: Type.String(),
  tag: textOrNull('Of all messages'),
  template_id: textOrNull('Null for content of its own'),
  subject: textOrNull('Before it is filled'),
  total: counted('Rows'),
  accepted: counted('Rows that became messages'),
  refused: counted('Rows that were refused'),
  seconds_left: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Until all rows are accepted or refused, at the speed of the last minute; null while it is not running, and until it was asked for twice, five seconds apart',
  }),
  problem: Type.Union(
    [
      Type.Object({
        code: Type.Enum(Object.keys(PROBLEMS)),
        detail: Type.String(),
        errors: ProblemDocument.properties.errors,
      }),
      Type.Null(),
    ],
    { description: 'Why it is paused, or was ended' },
  ),
  recipients: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: 'With `?include=recipients`: messages by the status of their recipient',
    }),
  ),
  created_at: Timestamp,
  finished_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When all rows were accepted or refused, or what waited was cancelled',
  }),
})

export const BulkList = Type.Object({
  data: Type.Array(BulkView),
  next_cursor: textOrNull('Of the next page'),
})

export const BulkRowsQuery = Type.Object(
  {
    ...PageQuery,
    failures: Type.Optional(
      Type.Boolean({
        description:
          'Only rows that were refused or cancelled, and those whose message bounced, failed, was suppressed or cancelled',
      }),
    ),
    format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'csv: all of them in one file' })),
  },
  closed,
)

export const BulkRowView = Type.Object({
  line: Type.Integer({ description: 'Line of the file, from 1' }),
  to: Type.String({ description: 'Empty when the message was removed' }),
  status: Type.Enum(['waiting', 'refused', 'removed', ...RECIPIENT_STATUSES], {
    description:
      'Of the message; waiting: it is none yet, refused: it becomes none, cancelled without a message: the bulk was cancelled before',
  }),
  message_id: textOrNull('Null without a message'),
  reason: textOrNull('Why it was refused or not delivered'),
})

export const BulkRows = Type.Object({
  data: Type.Array(BulkRowView),
  next_cursor: textOrNull('Of the next page'),
})
