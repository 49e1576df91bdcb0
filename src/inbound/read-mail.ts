// Reads an inbound message: the content, the kind, and whether a program wrote the message.

import { isWrittenByProgram } from '../dsn/auto-reply.ts'
import { readReturnedMail } from '../dsn/returned-mail.ts'
import { decodeWords } from '../mime/encoded-word.ts'
import { type ReadContent, readContent } from '../mime/read-content.ts'
import type { WrittenMailbox } from '../mime/read-mailboxes.ts'
import type {
  InboundAttachment,
  InboundFlag,
  InboundKind,
  InboundMailbox,
  ParsedInbound,
} from '../model/inbound-message.ts'

/** Findings of `readMail`: all parsed content except the reply text. */
export interface ReadMail {
  readonly kind: InboundKind
  readonly flags: readonly InboundFlag[]
  readonly parsed: Omit<ParsedInbound, 'reply_text'>
}

const MAX_REFERENCES = 100
/** Maximum length of a message ID in angle brackets, equal to the maximum length of a line (RFC 5322 §2.1.1). */
const MAX_ID = 998
const MAX_SUBJECT = 2_000
const MAX_DATE = 100

/**
 * Reads a message in bounded time, even if the bytes are not a valid message (`readContent`). Never rejects because of
 * the content.
 */
export async function readMail(raw: Buffer): Promise<ReadMail> {
  const content = await readContent(raw, 'place')
  const field = (name: string): string | undefined => fieldOf(content, name)
  const flags: InboundFlag[] = []
  if (isWrittenByProgram(readReturnedMail(raw))) flags.push('auto_submitted')
  if (LIST_FIELDS.some((name) => field(name) !== undefined)) flags.push('mailing_list')
  if (content.incomplete) flags.push('incomplete')
  return {
    kind: kindOf(content),
    flags,
    parsed: {
      from: content.from.map(mailbox),
      to: content.to.map(mailbox),
      cc: content.cc.map(mailbox),
      reply_to: content.replyTo.map(mailbox),
      subject: wellFormed(content.subject.slice(0, MAX_SUBJECT)),
      date: dateOf(field('date')),
      message_id: idsIn(field('message-id'))[0] ?? null,
      in_reply_to: idsIn(field('in-reply-to'))[0] ?? null,
      references: idsIn(field('references')).slice(-MAX_REFERENCES),
      headers: content.headers.map(([name, value]) => ({ name: wellFormed(name), value: wellFormed(value) })),
      text: content.text === undefined ? null : wellFormed(content.text),
      html: content.html === undefined ? null : wellFormed(content.html),
      attachments: content.attachments.map(attachment),
    },
  }
}

/** Header fields of mailing lists (RFC 2919, RFC 2369). */
const LIST_FIELDS = ['list-id', 'list-post', 'list-unsubscribe']

const fieldOf = ({ headers }: ReadContent, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Replaces characters that PostgreSQL refuses: NUL and unpaired surrogates. */
const wellFormed = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

const mailbox = ({ address, name }: WrittenMailbox): InboundMailbox => ({
  email: wellFormed(address),
  name: name === '' ? null : wellFormed(name),
})

function attachment(file: ReadContent['attachments'][number]): InboundAttachment {
  const { filename, contentType, size, contentId, inline, place } = file
  return {
    filename: filename === undefined ? null : wellFormed(filename),
    content_type: wellFormed(contentType),
    size,
    content_id: contentId === undefined ? null : wellFormed(contentId),
    inline,
    ...(place ?? { start: 0, end: 0, encoding: '7bit' }),
  }
}

/** Returns the message IDs in a field, without angle brackets (RFC 5322 §3.6.4). */
function idsIn(value = ''): string[] {
  return [...value.matchAll(/<([^<>\s]+)>/g)].flatMap(([, id = '']) =>
    id.length > MAX_ID ? [] : [wellFormed(id)],
  )
}

function dateOf(value: string | undefined): string | null {
  if (value === undefined || value.length > MAX_DATE) return null
  // RFC 5322 §3.2.2: a comment may be anywhere in a date, and usually follows the time zone.
  const text = value.replace(/\([^()]*\)/g, ' ').trim()
  // RFC 5322 §4.3: a time without a zone counts as UTC, not as local time of this process.
  const at = new Date(/(?:[a-z]|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text} UTC`)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

/** File name of a DMARC report (RFC 9990, RFC 7489 §7.2.1.1): `receiver!policy-domain!begin!end[!unique].xml[.gz]`. */
const DMARC_FILE = /^[^!\s]+![^!\s]+!\d{9,11}!\d{9,11}(?:![^!\s]+)?\.(?:xml|xml\.gz|gz|zip)$/i
const DMARC_SUBJECT = /\breport domain:\s*\S+\s+submitter:\s*\S+/i
const TLS_TYPES: ReadonlySet<string> = new Set(['application/tlsrpt+gzip', 'application/tlsrpt+json'])

const REPORTS: Readonly<Record<string, InboundKind>> = {
  'feedback-report': 'feedback_report',
  'delivery-status': 'bounce',
  tlsrpt: 'tls_report',
}

/** Returns the kind of a message, determined by its structure; text that a person wrote never counts as a report. */
function kindOf(content: ReadContent): InboundKind {
  const type = fieldOf(content, 'content-type') ?? ''
  if (/^\s*multipart\/report\b/i.test(type)) {
    const report = /;\s*report-type\s*=\s*"?([a-z-]+)/i.exec(type)?.[1]?.toLowerCase()
    const kind = REPORTS[report ?? '']
    if (kind !== undefined) return kind
  }
  const { attachments } = content
  if (attachments.some(({ contentType }) => TLS_TYPES.has(contentType))) return 'tls_report'
  const isDmarc =
    attachments.some(({ filename }) => DMARC_FILE.test(decodeWords(filename ?? ''))) ||
    (attachments.length > 0 && DMARC_SUBJECT.test(content.subject))
  return isDmarc ? 'dmarc_report' : 'message'
}
