// Mends a submitted message (RFC 6409 §8), so that every host accepts the message and all programs read the same
// content.

import { isUtf8 } from 'node:buffer'
import { fieldsNamed, type RawMessage } from '../raw-message.ts'
import { FIELD_RULES, type Sending, SINGLE_FIELDS } from './field-rules.ts'
import { HeaderText } from './header-text.ts'
import { linesIn, longLineIn } from './long-lines.ts'
import { hasForeignPartHead, withMendedBody } from './mend-body.ts'
import { mendedHeader } from './mend-header.ts'
import { isMendProblem, type MendProblem } from './problem.ts'
import { type HeaderLimits, readHeader } from './read-header.ts'

/**
 * True if a message need not be mended: all fields are valid, no field that must be unique is repeated, and no line is
 * too long. Sender fields are not checked, since authorisation reads them anyway.
 */
export function isSound(raw: RawMessage): boolean {
  if (raw.hasLongLines) return false
  const fields = raw.byName()
  for (const [name, same] of fields) {
    if (same.length > 1 && SINGLE.has(name)) return false
    const rule = SENDERS.has(name) ? undefined : FIELD_RULES.get(name)
    if (rule !== undefined && !same.every(({ value }) => rule.isGood(value))) return false
  }
  return fields.has('from') && !(raw.has8Bit && !isUtf8(raw.body) && hasForeignParts(raw))
}

const SINGLE = new Set(SINGLE_FIELDS.map((name) => name.toLowerCase()))
const SENDERS = new Set(['from', 'sender', 'resent-from', 'resent-sender'])

function hasForeignParts(raw: RawMessage): boolean {
  if (!fieldsNamed(raw, 'Content-Type').some(({ value }) => /^multipart\//i.test(value))) return false
  const head = raw.fields.map((field) => field.raw).join('')
  return hasForeignPartHead(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), raw.body]))
}

/**
 * Returns the mended message, in newly allocated memory. The caller must parse the result again before checking
 * permissions: mending finds the sender of a message and permits nothing. The function is deterministic, runs in time
 * linear in the message, and never throws.
 *
 * @param message message with CRLF as its only line end, and without NUL
 * @param limits limits of the header section; a larger header section is refused
 */
export function mend(message: Buffer, sending: Sending, limits: HeaderLimits): Buffer | MendProblem {
  const found = readHeader(message, limits)
  if (isMendProblem(found)) return found
  const text = new HeaderText(message)
  const body = message.subarray(found.bodyStart)
  const header = mendedHeader(found.fields, text, sending, body)
  if (typeof header !== 'string') return header
  const hasLongLines = longLineIn(body) >= 0
  const whole = Buffer.concat([
    Buffer.from(`${header}${hasLongLines ? mimeFields(header, body) : ''}\r\n`, 'latin1'),
    body,
  ])
  if (!hasLongLines && isUtf8(body)) return whole
  return withMendedBody(whole, text, linesIn(message.subarray(0, found.bodyStart)) + 1)
}

/**
 * Returns the MIME fields that a message lacks: mail clients ignore the encoding of a body without these fields
 * (RFC 2045 §4).
 */
function mimeFields(header: string, body: Buffer): string {
  if (/^MIME-Version:/im.test(header)) return ''
  const charset = isUtf8(body) ? 'utf-8' : 'windows-1252'
  const isTyped = /^Content-/im.test(header)
  return `MIME-Version: 1.0\r\n${isTyped ? '' : `Content-Type: text/plain; charset=${charset}\r\n`}`
}
