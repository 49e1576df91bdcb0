// Checks the parts of a send request that a schema cannot check: addresses, texts for header fields, base64, and total
// sizes. Reports all problems at once.

import { parseTime } from '../lib/rfc3339.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { customFieldProblems } from '../model/custom-field.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { RecipientRole } from '../model/recipient.ts'
import {
  type AttachmentInput,
  LIMITS,
  type MailboxInput,
  replyToList,
  type SendRequest,
} from '../model/send-request.ts'

/** Recipient with a checked address. */
export interface CheckedRecipient {
  readonly role: RecipientRole
  readonly address: Address
  readonly name: string | null
}

/** Results of the checks. `from` is undefined for a sender that is not a valid address. */
export interface Checked {
  readonly problems: FieldProblem[]
  readonly from: Address | undefined
  readonly recipients: CheckedRecipient[]
  /** Time to send the message, in milliseconds since the epoch; undefined to send the message immediately. */
  readonly sendAt: number | undefined
}

/**
 * Checks a request. Skips values of the wrong type, because the schema reports these values, and both lists of problems
 * are shown together. `now` is in milliseconds since the epoch.
 */
export function validate(request: Partial<SendRequest>, now: number): Checked {
  const problems: FieldProblem[] = []
  const add = (path: string, code: string, message: string): void => {
    problems.push({ path, code, message })
  }
  const from = typeof request.from === 'string' ? checkAddress('from', request.from, add) : undefined
  checkText('from_name', request.from_name, add)
  checkText('subject', request.subject, add)
  if (!hasText(request.subject)) add('subject', 'required', 'Give a subject, or a template with a subject.')
  if (typeof request.subject === 'string' && Buffer.byteLength(request.subject) > LIMITS.subjectBytes) {
    add('subject', 'too_long', `A subject has at most ${LIMITS.subjectBytes} bytes.`)
  }
  checkTags(request, add)
  const recipients: CheckedRecipient[] = []
  checkRecipients('to', request.to, recipients, add)
  checkRecipients('cc', request.cc, recipients, add)
  checkRecipients('bcc', request.bcc, recipients, add)
  const count = size(request.to) + size(request.cc) + size(request.bcc)
  if (count > LIMITS.recipients && size(request.to) <= LIMITS.recipients) {
    add(
      'to',
      'too_many_recipients',
      `to, cc and bcc together may have at most ${LIMITS.recipients} recipients, not ${count}.`,
    )
  }
  const single = !Array.isArray(request.reply_to)
  for (const [index, one] of replyToList(request.reply_to).slice(0, MAX_CHECKED).entries()) {
    checkMailbox(single ? 'reply_to' : `reply_to[${index}]`, one, add)
  }
  if (!hasText(request.html) && !hasText(request.text)) {
    add('html', 'required', 'Give html or text, or both.')
  }
  checkHeaders(request.headers, add)
  if (Array.isArray(request.attachments)) {
    for (const [index, one] of request.attachments.slice(0, MAX_CHECKED).entries())
      checkAttachment(`attachments[${index}]`, one, add)
    checkContentIds(request.attachments, add)
  }
  checkMetadata(request.metadata, add)
  const sendAt = readSendAt(request.send_at, now, 'leave send_at out to send immediately', add)
  return { problems, from, recipients, sendAt }
}

type Add = (path: string, code: string, message: string) => void

const size = (list: readonly unknown[] | undefined): number => (Array.isArray(list) ? list.length : 0)

/** True for any value that is not empty, including values of the wrong type, which the schema reports. */
const hasText = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const HEADER_BREAKING = /[\r\n\0]/

function checkText(path: string, value: unknown, add: Add): void {
  if (typeof value === 'string' && HEADER_BREAKING.test(value)) {
    add(
      path,
      'invalid_characters',
      'This field becomes a header field, which cannot contain CR, LF or NUL; remove these characters.',
    )
  }
}

function checkTags({ tag, tags }: Partial<SendRequest>, add: Add): void {
  checkText('tag', tag, add)
  if (!Array.isArray(tags)) return
  if (hasText(tag))
    add('tag', 'conflict', 'Give either tag or tags; the first of tags has the meaning of tag.')
  for (const [index, one] of tags.slice(0, LIMITS.tags).entries()) checkText(`tags[${index}]`, one, add)
}

function checkAddress(path: string, email: string, add: Add): Address | undefined {
  const result = parseAddress(email)
  if (isAddress(result)) return result
  add(path, 'invalid_email', `This is not an email address: it ${result.problem}.`)
  return undefined
}

function checkMailbox(path: string, mailbox: MailboxInput, add: Add): Address | undefined {
  if (typeof mailbox !== 'object' || mailbox === null) return undefined
  checkText(`${path}.name`, mailbox.name, add)
  return typeof mailbox.email === 'string' ? checkAddress(`${path}.email`, mailbox.email, add) : undefined
}

/** Maximum number of list elements that are checked; a longer list is refused anyway. */
const MAX_CHECKED = 200

function checkRecipients(
  role: RecipientRole,
  mailboxes: readonly MailboxInput[] | undefined,
  into: CheckedRecipient[],
  add: Add,
): void {
  if (!Array.isArray(mailboxes)) return
  for (const [index, one] of (mailboxes as MailboxInput[]).slice(0, MAX_CHECKED).entries()) {
    const address = checkMailbox(`${role}[${index}]`, one, add)
    // An address that occurs twice gets the message once.
    if (address === undefined || into.some((other) => other.address.email === address.email)) continue
    into.push({ role, address, name: one.name ?? null })
  }
}

function checkHeaders(headers: unknown, add: Add): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return
  const entries = Object.entries(headers)
  if (entries.length > LIMITS.headers) {
    const message = `A message has at most ${LIMITS.headers} custom headers, including the headers that its stream adds.`
    add('headers', 'too_many_headers', message)
  }
  for (const [name, value] of entries.slice(0, LIMITS.headers)) {
    for (const { code, message } of customFieldProblems(name, value)) {
      add(`headers.${name.slice(0, 80)}`, code, message)
    }
  }
}

/**
 * Matches a media type: two tokens (RFC 2045 §5.1), each at most as long as in a registered type (RFC 6838 §4.2), and
 * parameters in printable ASCII, which cannot break a header.
 */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|{}~-]{1,127}\/[\w!#$%&'*+.^`|{}~-]{1,127} ?(?:;[\x20-\x7e]{0,200})?$/

function checkAttachment(path: string, attachment: AttachmentInput, add: Add): void {
  if (typeof attachment !== 'object' || attachment === null) return
  const { filename, content, url, content_type: type, content_id: id } = attachment
  checkSource(path, { content, url }, add)
  checkText(`${path}.filename`, filename, add)
  if (typeof filename === 'string' && Buffer.byteLength(filename) > LIMITS.filenameBytes) {
    add(`${path}.filename`, 'too_long', `A file name has at most ${LIMITS.filenameBytes} bytes.`)
  }
  if (typeof content === 'string' && !isBase64(content)) {
    add(
      `${path}.content`,
      'invalid_base64',
      'Encode the content as base64 (RFC 4648 §4), without a "data:" prefix and without spaces.',
    )
  }
  if (typeof type === 'string' && !MEDIA_TYPE.test(type)) {
    add(`${path}.content_type`, 'invalid_content_type', 'Give a media type such as application/pdf.')
  }
  if (typeof id === 'string' && !/^[^\s<>\0-\x1f\x7f-\u{10ffff}]{1,200}$/u.test(id)) {
    add(
      `${path}.content_id`,
      'invalid_content_id',
      'Give 1 to 200 printable ASCII characters without < > and spaces.',
    )
  }
}

/** Checks that an attachment has either its content or a URL. */
function checkSource(
  path: string,
  { content, url }: { readonly content: unknown; readonly url: unknown },
  add: Add,
): void {
  if (url === undefined) {
    if (content === undefined) {
      add(`${path}.content`, 'required', 'Give the content of the file in base64, or the url of the file.')
    }
  } else if (content !== undefined) {
    add(`${path}.url`, 'conflict', 'Give either the content or the url of the file, not both.')
  } else if (typeof url === 'string' && !URL.canParse(url)) {
    add(`${path}.url`, 'invalid_url', 'Give a URL such as https://files.example.com/invoice.pdf.')
  }
}

/** Checks that each Content-ID is unique, because a `cid:` link refers to one part (RFC 2392 §2). */
function checkContentIds(attachments: readonly AttachmentInput[], add: Add): void {
  const first = new Map<string, number>()
  for (const [index, one] of attachments.slice(0, MAX_CHECKED).entries()) {
    const id = one?.content_id
    if (typeof id !== 'string') continue
    const other = first.get(id)
    if (other === undefined) first.set(id, index)
    else {
      const message = `attachments[${other}] already has this content_id; give each file a different one.`
      add(`attachments[${index}].content_id`, 'duplicate_content_id', message)
    }
  }
}

/**
 * True for base64, also with line breaks (RFC 2045 §6.8), in the alphabet for URLs (RFC 4648 §5), or without padding. A
 * space within a line is invalid, because it was usually a plus sign before URL decoding. Takes linear time, and copies
 * the text, which may have megabytes, only if the text has line breaks.
 */
function isBase64(text: string): boolean {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return true
  const joined = /[\r\n]/.test(text) ? text.replace(LINE_BREAK, '').trim() : text
  const padding = /={0,2}$/.exec(joined)?.[0].length ?? 0
  const { length } = joined
  const isWhole = padding === 0 ? length % 4 !== 1 : length % 4 === 0
  return isWhole && (/^[A-Za-z0-9+/]*={0,2}$/.test(joined) || /^[A-Za-z0-9_-]*={0,2}$/.test(joined))
}

/** Matches a line break and the spaces after it. */
const LINE_BREAK = /[\r\n][\r\n\t ]*/g

/** Maximum age of a time that still counts as now, because clocks differ and requests take time. */
const PAST_MS = 60_000

/**
 * Returns the time of a `send_at`; undefined for a time that counts as now, for a value of another type, and for an
 * invalid time, which is added as a problem.
 *
 * @param remedy how to send the message now, as the end of a sentence
 */
export function readSendAt(text: unknown, now: number, remedy: string, add: Add): number | undefined {
  if (typeof text !== 'string') return undefined
  const at = parseTime(text)
  if (at === undefined) {
    add('send_at', 'invalid_time', 'Give a time with its offset, such as 2026-01-31T12:00:00Z.')
  } else if (at < now - PAST_MS) {
    add('send_at', 'in_the_past', `This time is in the past; ${remedy}.`)
  } else if (at > now + LIMITS.scheduleMs) {
    add(
      'send_at',
      'too_far_ahead',
      `A message can be scheduled at most ${LIMITS.scheduleMs / 86_400_000} days ahead.`,
    )
  } else if (at > now) {
    return at
  }
  return undefined
}

function checkMetadata(metadata: unknown, add: Add): void {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return
  if (Object.keys(metadata).length > LIMITS.metadataKeys) {
    add('metadata', 'too_many_keys', `metadata has at most ${LIMITS.metadataKeys} keys.`)
  }
  if (isTooLong(metadata)) {
    add('metadata', 'too_long', `metadata has at most ${LIMITS.metadataBytes} bytes as JSON.`)
  }
}

/**
 * True if the metadata as JSON is too long. The metadata is not serialized if its names and values alone are too long,
 * or if a value is not a string, which the schema reports.
 */
function isTooLong(metadata: object): boolean {
  const entries = Object.entries(metadata)
  const texts = entries.filter(([, value]) => typeof value === 'string')
  const least = texts.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (least > LIMITS.metadataBytes) return true
  return texts.length === entries.length && Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.metadataBytes
}
