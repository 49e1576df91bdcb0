// useSend's calls that send, show, reschedule and cancel emails.

import { callerOf } from '../../api/caller.ts'
import { isId } from '../../lib/ids.ts'
import { parseSoleMailbox } from '../../mime/read-mailboxes.ts'
import type { EventType } from '../../model/event.ts'
import { Problem } from '../../model/problem.ts'
import type { MailboxInput, SendRequest } from '../../model/send-request.ts'
import type { VendorCall } from '../declaration.ts'
import { plainMailbox, readMailboxes } from '../mailboxes.ts'
import { findObject } from '../numbers.ts'
import { pageOf, rowsOf } from '../pages.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import { sendMany, sendOne, type TranslatedMessage } from '../send.ts'
import type { Translation } from '../translation.ts'

const noun = 'Emails'
const CONTENT = { maxBytes: 'content', problems: 'handler' } as const
const BATCH = { maxBytes: 50 * 1_048_576, problems: 'handler' } as const
const MAX_BATCH = 100
const path = '/api/v1/emails'

export const emailCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path, noun, scope: 'messages:send', once: 'handler', body: CONTENT },
    ...{ summary: 'Send an email', state: 'served' },
    handler: send,
  },
  {
    ...{ method: 'POST', path: `${path}/batch`, noun, scope: 'messages:send', once: 'handler', body: BATCH },
    ...{ takesArray: true, summary: 'Send up to 100 emails', state: 'served' },
    handler: sendBatch,
  },
  {
    ...{ method: 'GET', path, noun, scope: 'messages:read', summary: 'List emails', state: 'differs' },
    differences: '`count` tells whether more emails follow, not how many.',
    handler: listEmails,
  },
  {
    ...{ method: 'GET', path: `${path}/:id`, noun, scope: 'messages:read', summary: 'Show an email' },
    ...{ state: 'differs', differences: '`html` and `text` need the scope `content:read`.' },
    handler: showEmail,
  },
  {
    ...{
      method: 'PATCH',
      path: `${path}/:id`,
      noun,
      scope: 'messages:write',
      summary: 'Reschedule an email',
    },
    state: 'served',
    async handler(translation) {
      const id = emailId(translation)
      const send_at = translation.body(new FieldNames('scheduledAt')).text('scheduledAt')
      if (send_at === undefined) translation.reading.wrong('scheduledAt', 'required', 'Give a time.')
      await translation.v1('messages.update', { params: { message_id: id }, body: { send_at } })
      return { emailId: id }
    },
  },
  {
    ...{ method: 'POST', path: `${path}/:id/cancel`, noun, scope: 'messages:write' },
    ...{ summary: 'Cancel a scheduled email', state: 'served' },
    async handler(translation) {
      const id = emailId(translation)
      await translation.v1('messages.cancel', { params: { message_id: id }, body: {} })
      return { emailId: id }
    },
  },
]

const EMAIL = new FieldNames(
  ...['to', 'from', 'subject', 'templateId', 'variables', 'replyTo', 'cc', 'bcc', 'text', 'html', 'headers'],
  ...['attachments', 'scheduledAt', 'inReplyToId'],
)
const ATTACHMENT = new FieldNames('filename', 'content')

async function send(translation: Translation): Promise<object> {
  const { reading } = translation
  const request = await readEmail(translation, translation.body(EMAIL), reading)
  const { message_id } = await sendOne(translation, { request, problems: reading.problems })
  return { emailId: message_id }
}

async function sendBatch(translation: Translation): Promise<object> {
  const given = translation.request.body as readonly unknown[]
  if (given.length > MAX_BATCH) {
    throw new Problem('limit_reached', `Cannot send more than ${MAX_BATCH} emails in a single bulk request`)
  }
  const messages: TranslatedMessage[] = []
  for (const [index, one] of given.entries()) {
    const reading = translation.reading.ofPart()
    const request = await readEmail(translation, reading.fields(one, EMAIL), reading)
    messages.push({ request, problems: reading.problems })
    for (const ignored of reading.ignored) translation.reading.ignore(`[${index}].${ignored}`)
  }
  if (messages.length === 0) return { data: [] }
  const { results } = await sendMany(translation, messages, { whole: true })
  return { data: results.flatMap((one) => ('message_id' in one ? [{ emailId: one.message_id }] : [])) }
}

async function readEmail(translation: Translation, fields: Fields, reading: Reading): Promise<SendRequest> {
  const from = fields.text('from') ?? ''
  const sender = plainMailbox(from) ?? parseSoleMailbox(from) ?? { email: from }
  const list = (name: string): MailboxInput[] =>
    fields.list(name).flatMap((text) => readMailboxes(String(text)))
  const filled = (name: string, mailboxes: readonly MailboxInput[]): object =>
    mailboxes.length === 0 ? {} : { [name]: mailboxes }
  const text = (name: string, as: string): object => {
    const value = fields.text(name)
    return value === undefined ? {} : { [as]: value }
  }
  const attachments = fields.objects('attachments', ATTACHMENT).map((file) => ({
    ...{ filename: file.text('filename') ?? '', content: file.text('content') ?? '' },
  }))
  const headers = { ...(await repliesTo(translation, fields, reading)), ...fields.texts('headers') }
  return {
    from: sender.email,
    ...(sender.name === undefined ? {} : { from_name: sender.name }),
    to: list('to'),
    ...filled('cc', list('cc')),
    ...filled('bcc', list('bcc')),
    ...filled('reply_to', list('replyTo')),
    ...text('subject', 'subject'),
    ...text('html', 'html'),
    ...text('text', 'text'),
    ...text('scheduledAt', 'send_at'),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...templateOf(fields),
  } as SendRequest
}

/** Returns the fields that a template adds; the template is named by its ID or its alias. */
function templateOf(fields: Fields): Partial<SendRequest> {
  const template = fields.text('templateId')
  if (template === undefined) return {}
  const name = isId('tpl', template) ? { template_id: template } : { template_alias: template }
  return { ...name, template_model: fields.texts('variables') ?? {} }
}

/** Returns the header fields of a reply to an email that was sent before. */
async function repliesTo(
  translation: Translation,
  fields: Fields,
  reading: Reading,
): Promise<Record<string, string>> {
  const id = fields.text('inReplyToId')
  if (id === undefined) return {}
  try {
    const { body } = await translation.v1<Shown>('messages.get', { params: { message_id: id } })
    const reference = `<${body.message_id_header}>`
    return { 'In-Reply-To': reference, References: reference }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    reading.wrong(fields.at('inReplyToId'), 'not_found', 'There is no such email.')
    return {}
  }
}

interface Mailbox {
  readonly email: string
  readonly name: string | null
}

/** A message, as `GET /v1/messages` and `GET /v1/messages/{message_id}` show it. */
interface Shown {
  readonly message_id: string
  readonly message_id_header: string
  readonly status: string
  readonly from: string
  readonly from_name: string | null
  readonly subject: string
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly reply_to?: readonly Mailbox[]
  readonly send_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly html?: string | null
  readonly text?: string | null
  readonly events?: readonly {
    readonly type: EventType
    readonly at: string
    readonly detail: Readonly<Record<string, unknown>>
  }[]
}

/** Returns the ID in the path. Throws `not_found` for a text that is no ID. */
function emailId(translation: Translation): string {
  const id = translation.param('id')
  if (isId('msg', id)) return id
  throw absent()
}

const absent = (): Problem => new Problem('not_found', 'Email not found')

/** useSend's words for the types of events. */
const EVENTS: Readonly<Partial<Record<EventType, string>>> = {
  accepted: 'QUEUED',
  scheduled: 'SCHEDULED',
  sending: 'SENT',
  delivered: 'DELIVERED',
  deferred: 'DELIVERY_DELAYED',
  bounced: 'BOUNCED',
  failed: 'FAILED',
  suppressed: 'SUPPRESSED',
  cancelled: 'CANCELLED',
  opened: 'OPENED',
  clicked: 'CLICKED',
  complained: 'COMPLAINED',
}

/** useSend's words for the states of a message. */
const STATUSES: Readonly<Record<string, string>> = {
  scheduled: 'SCHEDULED',
  queued: 'QUEUED',
  sending: 'SENT',
  delivered: 'DELIVERED',
  partially_delivered: 'DELIVERED',
  bounced: 'BOUNCED',
  suppressed: 'SUPPRESSED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
}

async function showEmail(translation: Translation): Promise<object> {
  const id = emailId(translation)
  const isAllowed = callerOf(translation.request).scopes.has('content:read')
  const { body } = await translation.v1<Shown>('messages.get', {
    params: { message_id: id },
    query: isAllowed ? { include: 'content' } : {},
  })
  return {
    ...emailOf(body),
    teamId: 0,
    emailEvents: (body.events ?? []).flatMap(({ type, at, detail }) => {
      const status = EVENTS[type]
      return status === undefined ? [] : [{ emailId: id, status, createdAt: at, data: detail }]
    }),
  }
}

const emailOf = (message: Shown): object => {
  const addresses = (all: readonly Mailbox[] = []): string[] => all.map(({ email }) => email)
  const { message_id: id, from, from_name: name, subject, html = null, text = null } = message
  return {
    ...{ id, to: addresses(message.to), cc: addresses(message.cc), bcc: addresses(message.bcc) },
    ...{ replyTo: addresses(message.reply_to), from: name === null ? from : `${name} <${from}>` },
    ...{ subject, html, text, createdAt: message.created_at, updatedAt: message.updated_at },
  }
}

const LIST = new FieldNames('page', 'limit', 'startDate', 'endDate', 'domainId')
const LIMIT = 50

async function listEmails(translation: Translation): Promise<object> {
  const fields = translation.query(LIST)
  const count = Math.min(Math.max(fields.integer('limit') ?? LIMIT, 1), LIMIT)
  const offset = (Math.max(fields.integer('page') ?? 1, 1) - 1) * count
  const [after, before] = [fields.text('startDate'), fields.text('endDate')]
  const filter = {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(await domainOf(translation, fields)),
  }
  const { rows, total } = await pageOf(rowsOf<Shown>(translation, 'messages.list', filter), { count, offset })
  const data = rows.map((message) => ({
    ...emailOf(message),
    ...{ latestStatus: STATUSES[message.status] ?? null, scheduledAt: message.send_at, domainId: null },
  }))
  return { data, count: total }
}

async function domainOf(translation: Translation, fields: Fields): Promise<{ readonly domain?: string }> {
  const number = fields.integer('domainId')
  if (number === undefined) return {}
  const { services, request } = translation
  const id = await findObject(services, callerOf(request), 'domain', number)
  if (id === undefined) translation.reading.wrong('domainId', 'not_found', 'There is no such domain.')
  return id === undefined ? {} : { domain: id }
}
