// Reads the form of a message in the form of Mailgun.

import type { FormFields, FormFile } from '../../http/form-fields.ts'
import { parseSoleMailbox } from '../../mime/read-mailboxes.ts'
import { isAddress, parseAddress } from '../../model/address.ts'
import { isOwnedField } from '../../model/custom-field.ts'
import type { AttachmentInput, MailboxInput, SendRequest } from '../../model/send-request.ts'
import { UNSUBSCRIBE_MARK } from '../../model/unsubscribe-link.ts'
import { plainMailbox, readMailboxes } from '../mailboxes.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import { deliveryTime } from './times.ts'

/** Maximum number of addresses in `to`, `cc` and `bcc` each. */
const MAX_RECIPIENTS = 1_000
/** Maximum depth of the objects and lists in the variables of a template. */
const MAX_DEPTH = 50

const FIELDS = new FieldNames(
  ...['from', 'to', 'cc', 'bcc', 'subject', 'text', 'html', 'amp-html', 'recipient-variables'],
  ...['template', 't:version', 't:text', 't:variables', 'o:tag', 'o:stream', 'o:testmode', 'o:deliverytime'],
  ...['o:tracking', 'o:tracking-clicks', 'o:tracking-opens', 'o:require-tls', 'o:skip-verification'],
  ...['o:dkim', 'o:sending-ip', 'o:sending-ip-pool', 'o:archive-to', 'o:time-zone-localize'],
  ...['o:deliverytime-optimize-period', 'o:suppress-headers'],
)

/** Wishes that change the meaning of a message and cannot be fulfilled. */
const REFUSED: readonly (readonly [name: string, message: string])[] = [
  ['t:version', 'Only the newest version of a template is sent; leave the field out.'],
  ['o:sending-ip', 'The installation chooses the IP address of each delivery; leave the field out.'],
  ['o:sending-ip-pool', 'There are no pools of IP addresses; leave the field out.'],
  ['o:archive-to', 'Copies are not sent to a URL; add an address to bcc instead.'],
  ['o:time-zone-localize', 'Times do not depend on the recipient; give o:deliverytime.'],
  ['o:deliverytime-optimize-period', 'The service does not choose the time; give o:deliverytime.'],
]

/** A message to one or many recipients. */
export interface MailgunMessage {
  /** Fields of the message without its recipients. */
  readonly shared: Omit<SendRequest, 'to' | 'cc' | 'bcc' | 'subject'> & { readonly subject?: string }
  readonly to: readonly MailboxInput[]
  readonly cc: readonly MailboxInput[]
  readonly bcc: readonly MailboxInput[]
  /** Variables by the address in lower case; undefined for a message whose recipients see each other. */
  readonly variables: ReadonlyMap<string, object> | undefined
  /** True for a test message. */
  readonly isTest: boolean
}

/** Options of a message that a complete message (`messages.mime`) has as well. */
export interface MailgunOptions
  extends Pick<
    SendRequest,
    'stream' | 'tags' | 'require_tls' | 'track_opens' | 'track_links' | 'send_at' | 'metadata'
  > {
  readonly isTest: boolean
}

/** Reads a message. Problems and ignored fields are noted in `reading`. */
export function readMessageForm(form: FormFields, reading: Reading, now: number): MailgunMessage {
  const { fields, headers, values } = fieldsOf(form, reading)
  const { isTest, metadata, ...options } = readOptions(fields, headers, values, reading, now)
  const recipients = readRecipients(fields, reading)
  const variables = readVariables(fields, recipients.to, reading)
  const content = readContent(fields, reading)
  const attachments = readFiles(form, content.attachments)
  const model = readModel(fields, metadata, reading)
  return {
    shared: {
      ...readFrom(fields, reading),
      ...content.texts,
      ...options,
      ...readHeaders(headers, reading),
      ...(metadata === undefined ? {} : { metadata }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(fields.has('template') ? { template_model: model } : {}),
    },
    ...recipients,
    ...{ variables, isTest },
  }
}

/** Fields of a form: those with fixed names, the header fields (`h:`), and the values of the sender (`v:`). */
export interface SortedFields {
  readonly fields: Fields
  readonly headers: ReadonlyMap<string, string>
  readonly values: ReadonlyMap<string, string>
}

/** Sorts the fields of a form by their meaning; an unknown field, and a file with an unknown name, is ignored. */
export function fieldsOf(form: FormFields, reading: Reading, files = ['attachment', 'inline']): SortedFields {
  const known: Record<string, unknown> = {}
  const headers = new Map<string, string>()
  const values = new Map<string, string>()
  for (const name of form.names) {
    const kind = name.length > 2 && name[1] === ':' ? name[0]?.toLowerCase() : undefined
    if (kind === 'h') headers.set(name.slice(2), form.text(name) ?? '')
    else if (kind === 'v') values.set(name.slice(2), form.text(name) ?? '')
    else {
      const all = form.texts(name)
      const texts = all.length > 1 ? all.filter((text) => text !== '') : all
      known[name] = texts.length > 1 ? texts : texts[0]
    }
  }
  for (const name of form.fileNames) if (!files.includes(name)) reading.ignore(name)
  return { fields: reading.fields(known, FIELDS), headers, values }
}

/** Reads the options that begin with `o:`, and the values of the sender. */
export function readOptions(
  fields: Fields,
  headers: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, string>,
  reading: Reading,
  now: number,
): MailgunOptions {
  for (const [name, message] of REFUSED) if (fields.has(name)) reading.refuse(name, message)
  if (fields.flag('o:dkim') === false) {
    reading.refuse('o:dkim', 'Every message is signed; leave the field out.')
  }
  if (fields.flag('o:skip-verification') === true) reading.ignore('o:skip-verification')
  const tags = fields.list('o:tag').map(String)
  const tracked = trackedOf(fields)
  const at = fields.text('o:deliverytime')
  const sendAt = at === undefined ? undefined : deliveryTime(at, now)
  if (at !== undefined && sendAt === undefined) {
    reading.wrong('o:deliverytime', 'invalid_time', 'Give a date such as Fri, 25 Dec 2026 09:00:00 +0000.')
  }
  const stream = fields.text('o:stream')
  const metadata = metadataOf(headers, values, reading)
  return {
    ...(tags.length === 0 ? {} : { tags: [...new Set(tags)] }),
    ...(stream === undefined ? {} : { stream }),
    ...(fields.flag('o:require-tls') === true ? { require_tls: true } : {}),
    ...tracked,
    ...(sendAt === undefined || sendAt <= now ? {} : { send_at: new Date(sendAt).toISOString() }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    isTest: fields.flag('o:testmode') === true,
  }
}

/** Returns the tracking of opens and links; `htmlonly` is what tracking of links always means. */
function trackedOf(fields: Fields): Pick<SendRequest, 'track_opens' | 'track_links'> {
  const both = fields.flag('o:tracking')
  const isHtmlOnly = fields.text('o:tracking-clicks')?.toLowerCase() === 'htmlonly'
  const links = isHtmlOnly ? true : fields.flag('o:tracking-clicks')
  const opens = fields.flag('o:tracking-opens')
  if (both === false) return { track_opens: false, track_links: false }
  return {
    ...((opens ?? both) === undefined ? {} : { track_opens: opens ?? both }),
    ...((links ?? both) === undefined ? {} : { track_links: links ?? both }),
  } as Pick<SendRequest, 'track_opens' | 'track_links'>
}

/** Name of the header field with further values as JSON. */
const VARIABLES_HEADER = 'x-mailgun-variables'

function metadataOf(
  headers: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, string>,
  reading: Reading,
): Record<string, string> {
  const metadata: [string, string][] = []
  for (const [name, text] of headers) {
    if (name.toLowerCase() !== VARIABLES_HEADER) continue
    const object = objectIn(text, `h:${name}`, reading)
    for (const [key, value] of Object.entries(object)) {
      metadata.push([key, typeof value === 'string' ? value : JSON.stringify(value)])
    }
  }
  return Object.fromEntries([...metadata, ...values])
}

/** Returns the object in a JSON text; an empty object, and a problem, for another text. */
function objectIn(text: string, path: string, reading: Reading): Record<string, unknown> {
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && depthOf(value) <= MAX_DEPTH) {
    return value as Record<string, unknown>
  }
  reading.wrong(path, 'invalid_json', `The value must be a JSON object with at most ${MAX_DEPTH} levels.`)
  return {}
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the depth of a value, at most one more than `MAX_DEPTH`. */
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return depth
  if (depth > MAX_DEPTH) return depth
  return Object.values(value).reduce<number>(
    (most, one) => Math.max(most, depthOf(one, depth + 1)),
    depth + 1,
  )
}

function readFrom(fields: Fields, reading: Reading): Pick<SendRequest, 'from' | 'from_name'> {
  const text = fields.text('from')
  if (text === undefined) {
    reading.wrong('from', 'required', 'Give the address of the sender.')
    return { from: '' }
  }
  const { email, name } = plainMailbox(text) ?? parseSoleMailbox(text) ?? { email: text }
  return { from: email, ...(name === undefined ? {} : { from_name: name }) }
}

function readRecipients(fields: Fields, reading: Reading): Pick<MailgunMessage, 'to' | 'cc' | 'bcc'> {
  const seen = new Set<string>()
  const read = (name: 'to' | 'cc' | 'bcc'): MailboxInput[] => {
    if (!fields.has(name)) return []
    const all = fields
      .list(name)
      .flatMap((text) => readMailboxes(String(text)))
      .filter(({ email }) => !seen.has(email.toLowerCase()) && seen.add(email.toLowerCase()))
    if (all.length > MAX_RECIPIENTS) {
      reading.wrong(
        name,
        'too_many_recipients',
        `A message has at most ${MAX_RECIPIENTS} addresses in ${name}.`,
      )
    }
    for (const { email } of all.slice(0, MAX_RECIPIENTS)) {
      const address = parseAddress(email)
      if (!isAddress(address)) {
        reading.wrong(name, 'invalid_email', `${JSON.stringify(email.slice(0, 100))} ${address.problem}.`)
      }
    }
    return all
  }
  const recipients = { to: read('to'), cc: read('cc'), bcc: read('bcc') }
  if (recipients.to.length === 0) reading.wrong('to', 'too_few', 'Give at least one address.')
  return recipients
}

/** Returns the variables by address; variables of an address that is not in `to` are ignored. */
function readVariables(
  fields: Fields,
  to: readonly MailboxInput[],
  reading: Reading,
): MailgunMessage['variables'] {
  const name = 'recipient-variables'
  const text = fields.text(name)
  if (text === undefined) return undefined
  const known = new Set(to.map(({ email }) => email.toLowerCase()))
  const variables = new Map<string, object>()
  for (const [email, value] of Object.entries(objectIn(text, name, reading))) {
    const key = email.toLowerCase()
    if (!known.has(key)) reading.ignore(`${name}.${email}`)
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) variables.set(key, value)
    else reading.wrong(name, 'invalid_type', `The variables of ${email.slice(0, 100)} must be an object.`)
  }
  return variables
}

/** Placeholders of Mailgun for the unsubscribe link of the recipient. */
const UNSUBSCRIBE = /%(?:tag_|mailing_list_)?unsubscribe_(?:url|email)%/g

function readContent(
  fields: Fields,
  reading: Reading,
): { readonly texts: Partial<SendRequest>; readonly attachments: readonly AttachmentInput[] } {
  const body = (name: string): string | undefined => {
    const written = fields.text(name)
    return written?.includes('unsubscribe_') ? written.replace(UNSUBSCRIBE, () => UNSUBSCRIBE_MARK) : written
  }
  const [html, text, amp] = [body('html'), body('text'), body('amp-html')]
  const subject = fields.text('subject')
  const template = fields.text('template')?.toLowerCase()
  if (template !== undefined && (html ?? text ?? amp) !== undefined) {
    reading.wrong('template', 'conflict', 'Give either a template, or html, text and amp-html.')
  }
  const attachments =
    amp === undefined
      ? []
      : [{ filename: 'amp.html', content: base64(Buffer.from(amp)), content_type: 'text/x-amp-html' }]
  return {
    texts: {
      ...(subject === undefined ? {} : { subject }),
      ...(html === undefined ? {} : { html }),
      ...(text === undefined ? {} : { text }),
      ...(template === undefined ? {} : { template_alias: template }),
    },
    attachments,
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** Returns the files of a form; HTML refers to a file in `inline` by the name of the file. */
function readFiles(form: FormFields, others: readonly AttachmentInput[]): AttachmentInput[] {
  const ids = new Set<string>()
  const file = (one: FormFile, index: number): AttachmentInput => ({
    filename: one.filename === '' ? `attachment-${index + 1}` : one.filename,
    content: base64(one.bytes),
    ...(isGeneral(one.contentType) ? {} : { content_type: one.contentType }),
  })
  const inline = form.files('inline').map((one, index) => {
    const { filename } = one
    const isNew = filename !== '' && !ids.has(filename) && CONTENT_ID.test(filename)
    if (isNew) ids.add(filename)
    return { ...file(one, index), ...(isNew ? { content_id: filename } : {}) }
  })
  return [...others, ...form.files('attachment').map(file), ...inline]
}

/** Matches a file name that can be a Content-ID. */
const CONTENT_ID = /^[^\s<>\0-\x1f\x7f-\u{10ffff}]{1,200}$/u

/** True for a media type that clients give when they do not know the type; the name of the file tells the type better. */
const isGeneral = (type: string): boolean => type === '' || /^application\/octet-stream$/i.test(type)

/** Returns the variables of a template: the values of the sender, and `t:variables`, which win. */
function readModel(
  fields: Fields,
  metadata: Readonly<Record<string, string>> | undefined,
  reading: Reading,
): object {
  const text = fields.text('t:variables')
  const values = Object.entries(metadata ?? {}).map(([name, value]) => [name, jsonOrText(value)])
  return {
    ...Object.fromEntries(values),
    ...(text === undefined ? {} : objectIn(text, 't:variables', reading)),
  }
}

/** Returns the object or list that a text contains as JSON, or the text itself. */
function jsonOrText(text: string): unknown {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined
  return typeof value === 'object' && value !== null && depthOf(value) <= MAX_DEPTH ? value : text
}

function readHeaders(
  headers: ReadonlyMap<string, string>,
  reading: Reading,
): Pick<SendRequest, 'headers' | 'reply_to'> {
  const own: [string, string][] = []
  let replyTo: MailboxInput[] = []
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (lower === 'reply-to') replyTo = readMailboxes(value)
    else if (lower === VARIABLES_HEADER) continue
    else if (isOwnedField(lower)) reading.ignore(`h:${name}`)
    else if (lower === 'list-unsubscribe') {
      const links = withoutService(value)
      if (links === '') reading.ignore(`h:${name}`)
      else own.push([name, links])
    } else own.push([name, value])
  }
  return {
    ...(own.length === 0 ? {} : { headers: Object.fromEntries(own) }),
    ...(replyTo.length === 0 ? {} : { reply_to: replyTo }),
  }
}

/** Returns the links of a List-Unsubscribe field without the links that Mailgun would fill in. */
const withoutService = (value: string): string =>
  value
    .split(',')
    .filter((link) => link.search(UNSUBSCRIBE) < 0)
    .join(',')
    .trim()
