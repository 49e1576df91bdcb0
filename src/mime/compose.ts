// Composes the header fields and the body of a message; the same content always gives the same bytes.

import type { ComposedMessage, HeaderField } from '../model/composed-message.ts'
import { asciiAddressField } from './address-field.ts'
import type { Allocate } from './allocate.ts'
import { composeBody } from './body.ts'
import type { Content } from './content.ts'
import { ADDRESS_FIELD, ID_FIELD, LINK_FIELD, PHRASE_LIST_FIELD } from './field-kinds.ts'
import { isReservedName, legalName, linkField, phraseListField, textField } from './header-field.ts'
import { mailboxField } from './mailbox-field.ts'

/**
 * Composes a message (RFC 5322, RFC 2045–2047, RFC 2231). Only UTF-8 local parts contain bytes over 127, no line is
 * longer than 998 bytes, and all line ends are CRLF. Reads neither the clock nor random numbers, so that a retry sends
 * the same bytes. Each field that the content asks for appears once: text that could end a field is replaced (see
 * `legalText`), and custom fields with a reserved name are left out.
 *
 * Throws a TypeError for an invalid address and a RangeError for an invalid date.
 *
 * @param allocate allocates the memory of the body
 */
export function compose(content: Content, allocate: Allocate = Buffer.allocUnsafe): ComposedMessage {
  const body = composeBody(content, allocate)
  const headers: HeaderField[] = [
    { name: 'Date', raw: `Date: ${dateTime(content.date)}\r\n` },
    { name: 'From', raw: mailboxField('From', [content.from]) },
  ]
  // An address list may not be empty (RFC 5322 §3.6.3), but a message may lack the To field.
  if (content.to.length > 0) headers.push({ name: 'To', raw: mailboxField('To', content.to) })
  if (content.cc?.length) headers.push({ name: 'Cc', raw: mailboxField('Cc', content.cc) })
  if (content.replyTo?.length)
    headers.push({ name: 'Reply-To', raw: mailboxField('Reply-To', content.replyTo) })
  headers.push({ name: 'Subject', raw: textField('Subject', content.subject) })
  headers.push({ name: 'Message-ID', raw: `Message-ID: <${legalMessageId(content.messageId)}>\r\n` })
  for (const [given, value] of content.headers ?? []) {
    const name = legalName(given)
    const raw = isReservedName(name) ? undefined : customField(name, value)
    if (raw !== undefined) headers.push({ name, raw })
  }
  headers.push({ name: 'MIME-Version', raw: 'MIME-Version: 1.0\r\n' })
  headers.push({ name: 'Content-Type', raw: `Content-Type: ${body.contentType}\r\n` })
  if (body.transferEncoding !== undefined) {
    const raw = `Content-Transfer-Encoding: ${body.transferEncoding}\r\n`
    headers.push({ name: 'Content-Transfer-Encoding', raw })
  }
  return { headers, body: body.bytes, needs8Bit: false, needsSmtpUtf8: headers.some(hasUtf8) }
}

/** Returns the whole field; undefined for an address field without any text. */
function customField(name: string, value: string): string | undefined {
  if (ADDRESS_FIELD.test(name) && (/[^ -~]/.test(value) || value.includes('=?'))) {
    return asciiAddressField(name, value, true)
  }
  if (LINK_FIELD.test(name) || ID_FIELD.test(name)) return linkField(name, value)
  return PHRASE_LIST_FIELD.test(name) ? phraseListField(name, value) : textField(name, value)
}

function hasUtf8(field: HeaderField): boolean {
  return /[\x80-\xff]/.test(field.raw)
}

/** Formats a date by RFC 5322 §3.3, in UTC. */
function dateTime(ms: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) throw new RangeError(`Not a date: ${ms}`)
  return date.toUTCString().replace('GMT', '+0000')
}

/**
 * Replaces characters that are illegal in a msg-id by `_` (RFC 5322 §3.6.4). A msg-id cannot be folded, so it is cut to
 * fit on a line.
 */
function legalMessageId(id: string): string {
  return id.slice(0, 900).replace(/[^!-;=?-~]/g, '_')
}
