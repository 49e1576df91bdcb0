// Converts a message submitted by SMTP for a template into a send request without content, which the template provides.

import { attachmentType } from '../mime/attachment-place.ts'
import { decodeWords } from '../mime/encoded-word.ts'
import { type LeafPart, splitParts } from '../mime/parts.ts'
import { fieldsNamed, type RawMessage } from '../mime/raw-message.ts'
import { readContent } from '../mime/read-content.ts'
import { isOwnedField } from '../model/custom-field.ts'
import type { AttachmentInput, MailboxInput, SendRequest } from '../model/send-request.ts'
import type { MimeSubmission } from '../submission/accept.ts'
import type { CheckedRecipient } from '../submission/validate.ts'
import { Refusal } from './replies.ts'
import { isServiceField } from './service-fields.ts'

/** Content types in which text and HTML cannot be separated from signatures and encryption (RFC 1847, RFC 8551). */
const SEALED = /^multipart\/encrypted|^application\/(x-)?pkcs7-mime/i

/**
 * Converts a message into a send request without text and HTML. Throws `Refusal` for content that a request cannot
 * hold: a signed or encrypted message, alternatives other than text and HTML, more parts than the limit, or a repeated
 * field.
 */
export async function requestOf(
  raw: RawMessage,
  bytes: Buffer,
  read: Pick<MimeSubmission, 'from' | 'fromName' | 'recipients' | 'tags' | 'metadata' | 'requireTls'>,
): Promise<Partial<SendRequest>> {
  const { leaves, isSigned } = splitParts(bytes)
  if (isSigned || SEALED.test(fieldsNamed(raw, 'Content-Type')[0]?.value ?? '')) {
    throw refusal('The message is signed or encrypted, so a template cannot provide the content')
  }
  refuseOtherForms(leaves)
  const content = await readContent(bytes, 'content')
  if (content.incomplete) throw refusal('The message has more text or more parts than can be read')
  const { subject, replyTo } = content
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
    headers: customFields(raw),
    attachments: content.attachments.map(
      ({ filename = 'attachment', fullType, contentId, content: bytes = Buffer.alloc(0) }) =>
        ({
          filename,
          content: bytes.toString('base64'),
          content_type: fileType(fullType, filename),
          // The HTML of the template may show a file by its content ID, regardless of the disposition of the file.
          ...(contentId === undefined ? {} : { content_id: contentId }),
        }) satisfies AttachmentInput,
    ),
    ...(read.tags.length === 0 ? {} : { tags: read.tags }),
    ...(read.metadata === null ? {} : { metadata: read.metadata }),
    ...(read.requireTls ? { require_tls: true } : {}),
  }
}

/** Refuses alternatives other than text and HTML, which the template would drop. */
function refuseOtherForms(leaves: readonly LeafPart[]): void {
  const other = leaves.find(({ type, alternative }) => alternative === 'itself' && !FORMS.has(type))
  if (other === undefined) return
  throw refusal(`The message has an alternative of type ${other.type}, which the template cannot provide`)
}

const FORMS: ReadonlySet<string> = new Set(['text/plain', 'text/html'])

/**
 * Returns the media type of a file, with the parameters needed to read it (charset, method) if a request can hold them.
 */
function fileType(given: string | undefined, filename: string): string {
  const value = attachmentType(given, filename).replaceAll('\r\n', '')
  const end = value.indexOf(';')
  return end < 0 || value.length - end <= MAX_TYPE_PARAMETERS ? value : value.slice(0, end)
}

/** Maximum length of the parameters that validation accepts, including the first semicolon, in bytes. */
const MAX_TYPE_PARAMETERS = 200

const mailboxFields = ({ from, fromName }: Pick<MimeSubmission, 'from' | 'fromName'>) => ({
  from: from.email,
  ...(fromName === null ? {} : { from_name: fromName }),
})

const mailbox = (email: string, name: string | null): MailboxInput => (name ? { email, name } : { email })

/** Returns the decoded header fields that the service neither interprets nor writes. */
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
