// Reads an email in the form of Resend as a send request.

import { formatTime } from '../../lib/rfc3339.ts'
import type { AttachmentInput, MailboxInput, SendRequest } from '../../model/send-request.ts'
import { type GivenHeaders, readGivenHeaders } from '../given-headers.ts'
import { readMailboxes } from '../mailboxes.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import type { TranslatedMessage } from '../send.ts'
import { readScheduledAt } from './scheduled-at.ts'
import { templateReference } from './template-ids.ts'

const EMAIL = new FieldNames(
  ...['from', 'to', 'cc', 'bcc', 'reply_to', 'subject', 'html', 'text', 'headers', 'tags', 'attachments'],
  ...['scheduled_at', 'template', 'topic_id'],
)
const ATTACHMENT = new FieldNames(
  ...['filename', 'content', 'path', 'content_type', 'content_id', 'inline_content_id'],
)
const TAG = new FieldNames('name', 'value', 'X-Tag')
const TEMPLATE = new FieldNames('id', 'variables')

/**
 * Returns the send request of an email. Missing and invalid values are left for the validation of the send request, so
 * that all problems are reported together.
 *
 * @param now time of the request, from which delays such as `in 1 hour` count
 * @param path path of the email in the body; empty for a single email
 */
export function readEmail(reading: Reading, email: unknown, now: number, path = ''): Partial<SendRequest> {
  const fields = reading.fields(email, EMAIL, path)
  if (fields.has('topic_id')) {
    reading.refuse(fields.at('topic_id'), 'Topics are not available; use a broadcast stream of the service.')
  }
  const [from, ...others] = mailboxesIn(reading, fields, 'from')
  if (others.length > 0) reading.wrong(fields.at('from'), 'invalid_email', 'Give one sender.')
  const own = readGivenHeaders(fields.texts('headers') ?? {})
  const labels = labelsIn(fields)
  const replyTo = mailboxesIn(reading, fields, 'reply_to')
  const metadata = { ...own.metadata, ...labels.metadata }
  return {
    ...(from === undefined ? {} : { from: from.email }),
    ...(from?.name === undefined ? {} : { from_name: from.name }),
    to: mailboxesIn(reading, fields, 'to'),
    ...listed('cc', mailboxesIn(reading, fields, 'cc')),
    ...listed('bcc', mailboxesIn(reading, fields, 'bcc')),
    ...listed('reply_to', replyTo.length === 0 ? own.replyTo : replyTo),
    ...given('subject', fields.text('subject')),
    ...given('html', fields.text('html')),
    ...given('text', fields.text('text')),
    ...given('headers', Object.keys(own.headers).length === 0 ? undefined : own.headers),
    ...given('metadata', Object.keys(metadata).length === 0 ? undefined : metadata),
    ...listed('tags', [...own.tags, ...labels.tags]),
    ...listed('attachments', attachmentsIn(reading, fields)),
    ...given('send_at', scheduledIn(reading, fields, now)),
    ...templateIn(fields),
  }
}

/** Returns a field with its value; no field for an absent value. */
const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [One in Name]?: Value }

const listed = <Name extends string, Value>(name: Name, values: readonly Value[]) =>
  given(name, values.length === 0 ? undefined : values)

/** Returns the mailboxes of a field, which has one text or several, each with one mailbox or several. */
function mailboxesIn(reading: Reading, fields: Fields, name: string): MailboxInput[] {
  return fields.list(name).flatMap((one, index) => {
    if (typeof one === 'string') return readMailboxes(one)
    reading.wrong(`${fields.at(name)}[${index}]`, 'invalid_type', 'The value must be a text.')
    return []
  })
}

/** Returns the tags, which are pairs of a name and a value, as metadata; Symfony sends tags without a name. */
function labelsIn(fields: Fields): Pick<GivenHeaders, 'tags' | 'metadata'> {
  const metadata: Record<string, string> = {}
  const tags: string[] = []
  for (const tag of fields.objects('tags', TAG)) {
    const [name, unnamed] = [tag.text('name'), tag.text('X-Tag')]
    if (name !== undefined) metadata[name] = tag.text('value') ?? ''
    else if (unnamed !== undefined) tags.push(unnamed)
  }
  return { tags, metadata }
}

function attachmentsIn(reading: Reading, fields: Fields): AttachmentInput[] {
  return fields.objects('attachments', ATTACHMENT).map((one) => {
    const url = one.text('path')
    const content = contentIn(reading, one)
    const contentId = (one.text('content_id') ?? one.text('inline_content_id'))?.replace(/^<(.+)>$/, '$1')
    return {
      filename: one.text('filename') ?? nameInUrl(url) ?? 'attachment',
      ...given('content', content),
      ...given('url', url),
      ...given('content_type', one.text('content_type')),
      ...given('content_id', contentId),
    } as AttachmentInput
  })
}

/** Returns the content in base64; older clients send the bytes as `{ "type": "Buffer", "data": [...] }`. */
function contentIn(reading: Reading, attachment: Fields): string | undefined {
  const value = attachment.value('content')
  if (value === undefined || typeof value === 'string') return value
  const bytes = Array.isArray(value) ? value : (value as { readonly data?: unknown }).data
  if (Array.isArray(bytes) && bytes.every(isByte)) return Buffer.from(bytes).toString('base64')
  reading.wrong(attachment.at('content'), 'invalid_type', 'Give the content of the file in base64.')
  return undefined
}

const isByte = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256

/** Returns the file name at the end of a URL. */
function nameInUrl(url: string | undefined): string | undefined {
  const path = url !== undefined && URL.canParse(url) ? new URL(url).pathname : ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === '') return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function scheduledIn(reading: Reading, fields: Fields, now: number): string | undefined {
  const text = fields.text('scheduled_at')
  if (text === undefined) return undefined
  const at = readScheduledAt(text, now)
  if (at !== undefined) return formatTime(at)
  reading.wrong(fields.at('scheduled_at'), 'invalid_time', NOT_A_TIME)
  return undefined
}

/** Remedy for a `scheduled_at` that cannot be read. */
export const NOT_A_TIME =
  'Give a time such as 2026-01-31T12:00:00Z, in 1 hour, or tomorrow at 9am UTC; other words are not understood.'

function templateIn(fields: Fields): Partial<SendRequest> {
  const template = fields.object('template', TEMPLATE)
  if (template === undefined) return {}
  return {
    ...templateReference(template.text('id') ?? ''),
    template_model: template.model('variables') ?? {},
  }
}

/** True for an address for tests; mail to `delivered@resend.dev` and its siblings goes to a test inbox. */
const isTestAddress = ({ email }: MailboxInput): boolean => /@resend\.dev$/i.test(email.trim())

/** Returns all recipients of an email, which may have problems. */
const recipientsOf = ({ to, cc = [], bcc = [] }: SendRequest): readonly MailboxInput[] => [
  ...to,
  ...cc,
  ...bcc,
]

/** True for an email to addresses for tests. */
export const isTestEmail = (request: SendRequest): boolean => {
  const recipients = recipientsOf(request)
  return recipients.length > 0 && recipients.every(isTestAddress)
}

/**
 * Returns an email with the problem of its recipients, if a test address is among other recipients, or if the other
 * emails of the batch are no tests: such an address never gets mail of a live message.
 *
 * @param isTest true if the email and all others of its batch are tests
 */
export function withoutMixture(message: TranslatedMessage, isTest: boolean): TranslatedMessage {
  if (isTest || !recipientsOf(message.request).some(isTestAddress)) return message
  const text = 'Addresses at resend.dev are for tests; send tests in requests of their own.'
  return {
    ...message,
    problems: [...message.problems, { path: 'to', code: 'not_together', message: text }],
  }
}
