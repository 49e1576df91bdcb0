// A message handed over by SMTP as a send request: for what puts its content together anew, as templates do.

import { attachmentType } from '../mime/body.ts'
import { decodeWords } from '../mime/encoded-word.ts'
import { type LeafPart, splitParts } from '../mime/parts.ts'
import { fieldsNamed, type RawMessage } from '../mime/raw-message.ts'
import { isFile, readContent } from '../mime/read-content.ts'
import { isOwnedField } from '../model/custom-field.ts'
import type { AttachmentInput, MailboxInput, SendRequest } from '../model/send-request.ts'
import type { MimeSubmission } from '../submission/accept.ts'
import type { CheckedRecipient } from '../submission/validate.ts'
import { Refusal } from './replies.ts'
import { isServiceField } from './service-fields.ts'

/** Signatures and encryption end when a message is put together anew (RFC 1847, RFC 8551). */
const SEALED = /^multipart\/encrypted|^application\/(x-)?pkcs7-mime/i

/**
 * Reads all of a message into a request. Throws `Refusal` for what a request cannot hold: content that is signed or
 * encrypted, other forms of a content than text and HTML, more than anyone would read, a field twice.
 */
export async function requestOf(
  raw: RawMessage,
  octets: Buffer,
  read: Pick<MimeSubmission, 'from' | 'fromName' | 'recipients' | 'tag' | 'metadata' | 'requireTls'>,
): Promise<SendRequest> {
  const { leaves, isSigned } = splitParts(octets)
  if (isSigned || SEALED.test(fieldsNamed(raw, 'Content-Type')[0]?.value ?? '')) {
    throw refusal('The message is signed or encrypted, so that its content cannot be put together anew')
  }
  refuseOtherForms(leaves)
  const content = await readContent(octets, 'content')
  if (content.incomplete) throw refusal('The message has more text or more parts than can be read')
  const { subject, html, text, replyTo } = content
  const ofRole = (role: CheckedRecipient['role']): MailboxInput[] =>
    read.recipients
      .filter((one) => one.role === role)
      .map(({ address, name }) => mailbox(address.email, name))
  return {
    ...mailboxFields(read),
    to: ofRole('to'),
    cc: ofRole('cc'),
    bcc: ofRole('bcc'),
    ...(replyTo.length === 0 ? {} : { reply_to: replyTo.map(({ address, name }) => mailbox(address, name)) }),
    ...(subject === '' ? {} : { subject }),
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
    headers: customFields(raw),
    attachments: content.attachments.map(
      ({ filename = 'attachment', fullType, contentId, inline, content: octets = Buffer.alloc(0) }) =>
        ({
          filename,
          content: octets.toString('base64'),
          content_type: fileType(fullType, filename),
          ...(inline && contentId !== undefined ? { content_id: contentId } : {}),
        }) satisfies AttachmentInput,
    ),
    ...(read.tag === null ? {} : { tag: read.tag }),
    ...(read.metadata === null ? {} : { metadata: read.metadata }),
    ...(read.requireTls ? { require_tls: true } : {}),
  } as SendRequest
}

/** A request has one text and one HTML, which say the same: what else they are to a reader would be lost. */
function refuseOtherForms(leaves: readonly LeafPart[]): void {
  const other = leaves.find(({ type, alternative }) => alternative === 'itself' && !FORMS.has(type))
  if (other !== undefined) {
    throw refusal(`The message has a form of type ${other.type}, with which it cannot be put together anew`)
  }
  const shown = leaves.filter(({ type, head }) => FORMS.has(type) && !isFile(type, head))
  const isMixed = shown.some(({ type, alternative }) => type === 'text/plain' && alternative === undefined)
  if (isMixed && shown.some(({ type }) => type === 'text/html')) {
    throw refusal(
      'The message has text beside its HTML, not as another form of it: give both in a multipart/alternative',
    )
  }
}

const FORMS: ReadonlySet<string> = new Set(['text/plain', 'text/html'])

/** The media type of a file, with the parameters by which it is read (charset, method) as long as a request can hold them. */
function fileType(given: string | undefined, filename: string): string {
  const value = attachmentType(given, filename).replaceAll('\r\n', '')
  const end = value.indexOf(';')
  return end < 0 || value.length - end <= MAX_TYPE_PARAMETERS ? value : value.slice(0, end)
}

/** Bytes with the first semicolon, as validation takes them. */
const MAX_TYPE_PARAMETERS = 200

const mailboxFields = ({ from, fromName }: Pick<MimeSubmission, 'from' | 'fromName'>) => ({
  from: from.email,
  ...(fromName === null ? {} : { from_name: fromName }),
})

const mailbox = (email: string, name: string | null): MailboxInput => (name ? { email, name } : { email })

/** The fields that are neither for us nor ours, decoded. */
function customFields(raw: RawMessage): Record<string, string> {
  const found = new Map<string, string>()
  const seen = new Set<string>()
  for (const { name, value } of raw.fields) {
    const key = name.toLowerCase()
    if (isServiceField(name) || isOwnedField(key)) continue
    if (seen.has(key)) throw refusal(`There is more than one ${name} field`)
    seen.add(key)
    found.set(name, decodeWords(value))
  }
  return Object.fromEntries(found)
}

const refusal = (text: string): Refusal => new Refusal(554, '5.6.0', text)
