// Reads a message in Postmark's form.

import { parseSoleMailbox } from '../../mime/read-mailboxes.ts'
import type { AttachmentInput, MailboxInput, SendRequest } from '../../model/send-request.ts'
import { LIMITS } from '../../model/send-request.ts'
import { plainMailbox, readMailboxes } from '../mailboxes.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import { streamAlias } from './streams.ts'

/** Fields that a message and a bulk have. */
export const MESSAGE_FIELDS = [
  ...['From', 'ReplyTo', 'Subject', 'HtmlBody', 'TextBody', 'Tag', 'TrackOpens', 'TrackLinks', 'Headers'],
  ...['Metadata', 'MessageStream', 'Attachments', 'TemplateId', 'TemplateAlias', 'InlineCss'],
] as const

/** Fields of a message, with and without a template. */
export const MESSAGE = new FieldNames(...MESSAGE_FIELDS, 'To', 'Cc', 'Bcc', 'TemplateModel')
const HEADER = new FieldNames('Name', 'Value')
const ATTACHMENT = new FieldNames('Name', 'Content', 'ContentType', 'ContentID', 'ContentLength')

/** Values of `TrackLinks`; only links in HTML are tracked. */
const TRACK_LINKS = ['None', 'HtmlOnly', 'TextOnly', 'HtmlAndText'] as const

/** Fields of a message in Postmark's form, by the first name of a path at `/v1`. */
const PLACES: Readonly<Record<string, string>> = {
  from: 'From',
  from_name: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'ReplyTo',
  subject: 'Subject',
  html: 'HtmlBody',
  text: 'TextBody',
  headers: 'Headers',
  attachments: 'Attachments',
  stream: 'MessageStream',
  tag: 'Tag',
  tags: 'Tag',
  metadata: 'Metadata',
  track_opens: 'TrackOpens',
  track_links: 'TrackLinks',
  template_id: 'TemplateId',
  template_alias: 'TemplateAlias',
  template_model: 'TemplateModel',
}

/** Returns the field of Postmark that a path of `/v1` is about; the path itself if there is none. */
export function placeOf(path: string): string {
  const [name = '', rest = ''] = /^([a-z_]+)(.*)$/s.exec(path)?.slice(1) ?? []
  const field = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined
  if (field === undefined) return path
  return name === 'attachments' || name === 'metadata' || name === 'template_model' ? field + rest : field
}

/** Name of the address field, and of its list at `/v1`. */
const ADDRESS_FIELDS = [
  ['To', 'to'],
  ['Cc', 'cc'],
  ['Bcc', 'bcc'],
] as const

/** Returns a message as a send request, without its template, whose number has to be looked up. */
export function readMessage(fields: Fields, reading: Reading): SendRequest {
  const from = readFrom(fields)
  const request: Record<string, unknown> = {
    from: from.email,
    ...(from.name === undefined ? {} : { from_name: from.name }),
    to: [],
  }
  for (const [field, name] of ADDRESS_FIELDS) {
    const mailboxes = readMailboxes(fields.text(field) ?? '')
    if (mailboxes.length > 0) request[name] = mailboxes
  }
  const replyTo = readMailboxes(fields.text('ReplyTo') ?? '')
  if (replyTo.length > 0) request.reply_to = replyTo
  set(request, 'subject', fields.text('Subject'))
  set(request, 'html', fields.text('HtmlBody'))
  set(request, 'text', fields.text('TextBody'))
  const tag = fields.text('Tag')
  if (tag !== undefined) {
    if (tag.length <= LIMITS.tagLength) request.tag = tag
    else request.tags = [tag]
  }
  set(request, 'track_opens', fields.flag('TrackOpens'))
  set(request, 'track_links', readTrackLinks(fields, reading))
  set(request, 'metadata', fields.texts('Metadata'))
  set(request, 'stream', streamAlias(fields.text('MessageStream')))
  const headers = readHeaders(fields, reading)
  if (headers !== undefined) request.headers = headers
  const attachments = fields.objects('Attachments', ATTACHMENT).map(readAttachment)
  if (attachments.length > 0) request.attachments = attachments
  set(request, 'template_model', fields.model('TemplateModel'))
  return request as unknown as SendRequest
}

function set(request: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) request[name] = value
}

/** Returns the sender; the text as address if it is not exactly one mailbox, so that the check of addresses names it. */
function readFrom(fields: Fields): MailboxInput {
  const text = fields.text('From') ?? ''
  return plainMailbox(text) ?? parseSoleMailbox(text) ?? { email: text }
}

function readTrackLinks(fields: Fields, reading: Reading): boolean | undefined {
  const wish = fields.word('TrackLinks', TRACK_LINKS)
  if (wish === undefined) return undefined
  if (wish === 'TextOnly') reading.ignore('TrackLinks')
  return wish === 'HtmlOnly' || wish === 'HtmlAndText'
}

/** Returns the header fields by name; undefined if there are none. */
function readHeaders(fields: Fields, reading: Reading): Record<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const header of fields.objects('Headers', HEADER)) {
    const name = header.text('Name')
    if (name === undefined) {
      reading.wrong(header.at('Name'), 'required', 'The header has no name.')
    } else if (headers.keys().some((one) => one.toLowerCase() === name.toLowerCase())) {
      reading.wrong(header.at('Name'), 'duplicate_field', `The header ${name} occurs twice; give it once.`)
    } else headers.set(name, header.text('Value') ?? '')
  }
  return headers.size === 0 ? undefined : Object.fromEntries(headers)
}

function readAttachment(file: Fields): AttachmentInput {
  const id = file.text('ContentID')?.replace(/^cid:/i, '')
  const type = file.text('ContentType')
  return {
    filename: file.text('Name') ?? 'attachment',
    content: file.text('Content') ?? '',
    ...(type === undefined ? {} : { content_type: type }),
    ...(id === undefined || id === '' ? {} : { content_id: id }),
  }
}

/** Returns the mailbox that a path such as `to[2].email` names. */
export function mailboxAt(request: SendRequest, path: string): MailboxInput | undefined {
  const [, role, index] = /^(to|cc|bcc|reply_to)(?:\[(\d+)\])?\.email$/.exec(path) ?? []
  if (role === undefined) return undefined
  const list = request[role as 'to' | 'cc' | 'bcc' | 'reply_to']
  return [list ?? []].flat()[Number(index ?? 0)] as MailboxInput | undefined
}
