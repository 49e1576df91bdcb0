// Shapes of bulk sending: message, rows, progress and the result of each row.

import { type TObject, Type } from 'typebox'
import { BULK_LIMITS, BULK_STATUSES } from '../../model/bulk.ts'
import { PROBLEMS } from '../../model/problem.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { linesFile, tableFiles } from './body-files.ts'
import { closed, ofDomain, PageQuery, ProblemDocument, Timestamp } from './common.ts'
import { HeldView } from './message.ts'
import { Mailbox, SendBody } from './message-requests.ts'

const { to: _to, cc: _cc, bcc: _bcc, template_model, metadata, ...shared } = SendBody.properties

/** Send request without recipients. */
export const BulkMessageBody = Type.Object(
  { ...shared, template_model, metadata },
  {
    ...closed,
    description:
      'The first line of JSON lines: a send request without recipients. `subject`, `html` and `text` are templates. `template_model` and `metadata` apply to all rows; the values of a row take precedence.',
  },
)

/** Row of a bulk, on a separate line. */
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
    'JSON lines: the first line is the message, and every further line is a row',
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
    name: text('Your name for the bulk, such as a file name', BULK_LIMITS.nameLength),
    column: text('CSV only: column of the addresses; required without a usual name such as `email`', 200),
    from: Type.Optional(
      Type.String({ description: 'Sender address; with CSV, the query contains the fields of the message' }),
    ),
    from_name: ofCsv('from_name'),
    subject: ofCsv('subject'),
    html: ofCsv('html'),
    text: ofCsv('text'),
    template_id: ofCsv('template_id'),
    template_alias: ofCsv('template_alias'),
    layout: ofCsv('layout'),
    stream: ofCsv('stream'),
    tag: ofCsv('tag'),
    tags: ofCsv('tags'),
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
  name: textOrNull('Name from the request'),
  status: Type.Enum([...BULK_STATUSES], {
    description:
      'paused: messages cannot be accepted now for the reason in `problem`; the service tries again every 30 seconds. cancelling: waiting messages are being cancelled',
  }),
  stream: Type.String(),
  tag: textOrNull('Tag of all messages, or the first of several tags'),
  template_id: textOrNull('Null if the request contains the content itself'),
  subject: textOrNull('Subject before variables are filled in'),
  total: counted('Rows'),
  accepted: counted('Rows that became messages'),
  refused: counted('Rows that were refused'),
  seconds_left: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Estimated seconds until all rows are accepted or refused, by the speed of the last minute; null while the bulk is not running, and until a second request five seconds later',
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
    { description: 'Reason why the bulk is paused or was ended' },
  ),
  recipients: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: 'With `?include=recipients`: number of messages by the status of the recipient',
    }),
  ),
  created_at: Timestamp,
  finished_at: Type.Union([Timestamp, Type.Null()], {
    description: 'Time at which all rows were accepted or refused, or the waiting messages were cancelled',
  }),
})

export const BulkList = Type.Object({
  data: Type.Array(BulkView),
  next_cursor: textOrNull('Cursor of the next page'),
})

export const BulkRowsQuery = Type.Object(
  {
    ...PageQuery,
    failures: Type.Optional(
      Type.Boolean({
        description:
          'Only rows that were refused or cancelled, and rows with a message that bounced, failed, or was suppressed or cancelled',
      }),
    ),
    format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'csv: one file with all rows' })),
  },
  closed,
)

export const BulkRowView = Type.Object({
  line: Type.Integer({ description: 'Line number in the file, counted from 1' }),
  to: Type.String({ description: 'Address of the recipient; empty after the message was removed' }),
  status: Type.Enum(['waiting', 'refused', 'removed', ...RECIPIENT_STATUSES], {
    description:
      'Status of the message. waiting: no message yet. refused: no message. cancelled without a `message_id`: cancelled before the row became a message',
  }),
  message_id: textOrNull('Null if the row has no message'),
  reason: textOrNull('Reason why the row was refused or the message was not delivered'),
  held: Type.Optional(HeldView),
})

export const BulkRows = Type.Object({
  data: Type.Array(BulkRowView),
  next_cursor: textOrNull('Cursor of the next page'),
})
