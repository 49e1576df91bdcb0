// Postmark's outbound messages, their opens and their clicks.

import type { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { callerOf } from '../../api/caller.ts'
import type { MessageEventView } from '../../api/contract/event.ts'
import type { MessageSummary, MessageView } from '../../api/contract/message.ts'
import { uuidOfId } from '../../lib/ids.ts'
import { numberOfEvent } from '../../model/event-number.ts'
import { streamId } from '../../webhooks/formats/postmark.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, orMissing, uuidIn } from './objects.ts'
import { PAGE, RANGE, readPage, readRange } from './paging.ts'
import { CODES, PostmarkProblem } from './problem.ts'
import { streamAlias } from './streams.ts'
import { timeOf } from './times.ts'

const noun = 'Messages'
const LIST = new FieldNames(
  ...[...PAGE, ...RANGE, 'recipient', 'fromemail', 'tag', 'status', 'subject', 'messagestream'],
)
const HITS = new FieldNames(
  ...[
    ...PAGE,
    ...RANGE,
    'recipient',
    'tag',
    'messagestream',
    'client_name',
    'client_company',
    'client_family',
  ],
  ...['os_name', 'os_family', 'os_company', 'platform', 'country', 'region', 'city'],
)
const METADATA = 'metadata_'
const COUNTED = '`TotalCount` is exact on the last page, and otherwise one more than the messages so far.'
/** Our states in which a message still waits. */
const WAITING: ReadonlySet<string> = new Set(['queued', 'scheduled', 'sending'])

type Summary = Static<typeof MessageSummary>
type Message = Static<typeof MessageView>

export const messageCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/messages/outbound', noun, scope: 'messages:read' },
    summary: 'List messages',
    state: 'differs',
    differences: `${COUNTED} \`Attachments\` is empty.`,
    handler: listOutbound,
  },
  {
    ...{ method: 'GET', path: '/messages/outbound/:id/details', noun, scope: 'messages:read' },
    summary: 'Read a message with its content and events',
    state: 'differs',
    differences: 'The content needs the scope `content:read`; without it the bodies are empty.',
    handler: details,
  },
  {
    ...{ method: 'GET', path: '/messages/outbound/:id/dump', noun, scope: 'content:read' },
    summary: 'Read a message as it was sent',
    state: 'served',
    handler: async (translation) => ({ Body: await rawOf(translation, messageIn(translation)) }),
  },
  ...(['opens', 'clicks'] as const).flatMap((hits): VendorCall[] => [
    {
      ...{ method: 'GET', path: `/messages/outbound/${hits}`, noun, scope: 'messages:read' },
      summary: `List ${hits}`,
      state: 'differs',
      differences: `${COUNTED} Clients, systems and places of readers are not recorded, and filters by them are refused.`,
      handler: (translation) => listHits(translation, hits),
    },
    {
      ...{ method: 'GET', path: `/messages/outbound/${hits}/:id`, noun, scope: 'messages:read' },
      summary: `List the ${hits} of a message`,
      state: 'differs',
      differences: 'Clients, systems and places of readers are not recorded.',
      handler: (translation) => listHits(translation, hits, messageIn(translation)),
    },
  ]),
]

const messageIn = (translation: Translation): string => uuidIn(translation, 'msg', MISSING.message)

async function listOutbound(translation: Translation): Promise<object> {
  const { reading, request } = translation
  const { metadata, others } = withoutMetadata(request.query as Readonly<Record<string, unknown>>)
  const fields = reading.fields(others, LIST)
  const page = readPage(fields, reading)
  const status = fields.word('status', ['queued', 'sent', 'processed'])
  const from = fields.text('fromemail')?.toLowerCase()
  const query = {
    ...metadata,
    ...readRange(fields, reading),
    ...given(fields, ['recipient', 'tag', 'subject']),
    ...ofStream(fields),
  }
  const isWanted = (row: Summary): boolean =>
    (status === undefined || WAITING.has(row.status) === (status === 'queued')) &&
    (from === undefined || row.from.toLowerCase() === from)
  const rows = rowsWhere(rowsOf<Summary>(translation, 'messages.list', query), isWanted)
  const found = await pageOf(rows, page)
  return { TotalCount: found.total, Messages: found.rows.map(viewOf) }
}

/** Separates the filters by metadata, whose names the client chooses. */
function withoutMetadata(query: Readonly<Record<string, unknown>>) {
  const isMetadata = (name: string): boolean => name.toLowerCase().startsWith(METADATA)
  const entries = Object.entries(query)
  const metadata = entries
    .filter(([name]) => isMetadata(name))
    .map(([name, value]) => [`metadata.${name.slice(METADATA.length)}`, value])
  const others = entries.filter(([name]) => !isMetadata(name))
  return { metadata: Object.fromEntries(metadata), others: Object.fromEntries(others) }
}

/** Returns the fields that have a value. */
function given(fields: Fields, names: readonly string[]): Readonly<Record<string, string>> {
  const entries = names.map((name) => [name, fields.text(name)] as const)
  return Object.fromEntries(entries.filter((one): one is [string, string] => one[1] !== undefined))
}

function ofStream(fields: Fields): { readonly stream?: string } {
  const stream = streamAlias(fields.text('messagestream'))
  return stream === undefined ? {} : { stream }
}

/** Returns a message in Postmark's form. */
function viewOf(message: Summary): object {
  const { message_id, tag, to, cc, bcc, created_at, from, from_name, subject, status, metadata } = message
  const mailboxes = (list: Summary['to']) => list.map(({ email, name }) => ({ Email: email, Name: name }))
  return {
    MessageID: uuidOfId(message_id),
    Tag: tag ?? '',
    ...{ To: mailboxes(to), Cc: mailboxes(cc), Bcc: mailboxes(bcc) },
    Recipients: [...to, ...cc, ...bcc].map(({ email }) => email),
    ReceivedAt: timeOf(created_at),
    From: from_name === null ? from : `"${from_name.replace(/["\\]/g, '\\$&')}" <${from}>`,
    Subject: subject,
    Attachments: [],
    Status: WAITING.has(status) ? 'Queued' : 'Sent',
    TrackOpens: message.tracking?.opens ?? false,
    TrackLinks: message.tracking?.links ? 'HtmlOnly' : 'None',
    Metadata: metadata,
    MessageStream: streamId(message.stream),
    Sandboxed: false,
  }
}

async function details(translation: Translation): Promise<object> {
  const message_id = messageIn(translation)
  const showsContent = callerOf(translation.request).scopes.has('content:read')
  const shown = translation.v1<Message>('messages.get', {
    params: { message_id },
    query: showsContent ? { include: 'content' } : {},
  })
  const { body } = await orMissing(MISSING.message, shown)
  return {
    ...viewOf(body),
    TextBody: body.text ?? null,
    HtmlBody: body.html ?? null,
    Body: showsContent ? await rawOf(translation, message_id) : '',
    MessageEvents: body.events.flatMap(eventOf),
  }
}

/** Maximum size of a message that is shown in one JSON text, in bytes. */
const MAX_SHOWN = 40 * 1_048_576

/** Returns a message as it was sent. */
async function rawOf(translation: Translation, message_id: string): Promise<string> {
  const shown = translation.v1<Readable>('messages.getRaw', { params: { message_id } })
  const { body } = await orMissing(MISSING.message, shown)
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body) {
    size += (piece as Buffer).length
    if (size > MAX_SHOWN) {
      body.destroy()
      throw new PostmarkProblem('body_too_large', CODES.message, 'The message is too large to be shown.')
    }
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Returns an event of a message in Postmark's form; nothing for an event that Postmark has not. */
function eventOf({ id, type, at, email, detail }: Message['events'][number]): object[] {
  const facts = detail as Readonly<Record<string, unknown>>
  const text = (name: string): string => (typeof facts[name] === 'string' ? facts[name] : '')
  const shown = (Type: string, Details: object): object[] => [
    { Recipient: email, Type, ReceivedAt: timeOf(at), Details },
  ]
  switch (type) {
    case 'delivered':
      return shown('Delivered', {
        DeliveryMessage: text('smtp_response'),
        DestinationServer: text('mx'),
        DestinationIP: text('address'),
      })
    case 'deferred':
      return shown('Transient', { DeliveryMessage: text('smtp_response'), DestinationServer: text('mx') })
    case 'bounced':
    case 'failed': {
      const number = numberOfEvent({ id, at: Date.parse(at) })
      const summary = text('smtp_response') || text('diagnostic') || text('category')
      return shown('Bounced', { Summary: summary, BounceID: String(number) })
    }
    case 'opened':
      return shown('Opened', { Summary: `Email opened with ${text('user_agent') || 'an unknown program'}` })
    case 'clicked':
      return shown('LinkClicked', {
        Summary: `Tracked link was clicked: ${text('url')}`,
        Link: text('url'),
        ClickLocation: 'HTML',
      })
    default:
      return []
  }
}

async function listHits(translation: Translation, hits: 'opens' | 'clicks', id?: string): Promise<object> {
  const { reading } = translation
  const fields = translation.query(HITS)
  const page = readPage(fields, reading)
  for (const name of UNRECORDED) {
    if (fields.has(name)) reading.refuse(name, 'This is not recorded, so messages cannot be found by it.')
  }
  const query = {
    type: hits === 'opens' ? 'opened' : 'clicked',
    ...readRange(fields, reading),
    ...given(fields, ['recipient', 'tag']),
    ...ofStream(fields),
    ...(id === undefined ? {} : { message_id: id }),
  }
  const found = await pageOf(rowsOf<MessageEventView>(translation, 'events.list', query), page)
  const rows = found.rows.map((event) => hitView(event, hits))
  return { TotalCount: found.total, [hits === 'opens' ? 'Opens' : 'Clicks']: rows }
}

/** Filters by facts that no event has. */
const UNRECORDED = [
  ...['client_name', 'client_company', 'client_family', 'os_name', 'os_family', 'os_company'],
  ...['platform', 'country', 'region', 'city'],
]

const UNKNOWN = { Name: '', Company: '', Family: '' }

function hitView(event: MessageEventView, hits: 'opens' | 'clicks'): object {
  const detail = event.detail as Readonly<Record<string, unknown>>
  const text = (name: string): string => (typeof detail[name] === 'string' ? detail[name] : '')
  return {
    RecordType: hits === 'opens' ? 'Open' : 'Click',
    ...(hits === 'opens'
      ? { FirstOpen: detail.kind === 'first', ReadSeconds: 0 }
      : { ClickLocation: 'HTML', OriginalLink: text('url') }),
    ...{ Client: UNKNOWN, OS: UNKNOWN, Platform: 'Unknown', UserAgent: text('user_agent'), Geo: {} },
    MessageID: uuidOfId(event.message_id),
    MessageStream: streamId(event.stream),
    ReceivedAt: timeOf(event.at),
    Tag: event.tag ?? '',
    Recipient: event.email,
  }
}
