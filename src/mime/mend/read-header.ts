// Reads a malformed header section: finds its fields and the start of the body.

import { endOfField, endOfHeader } from '../raw-message.ts'
import type { MendProblem } from './problem.ts'

/** A field in its written form. */
export interface FoundField {
  readonly name: string
  /** All bytes after the colon, including folds and the final CRLF, as a `latin1` string. */
  readonly rest: string
}

export interface FoundHeader {
  readonly fields: FoundField[]
  /** Offset of the body in the message. */
  readonly bodyStart: number
}

/** Bounds of a header section. */
export interface HeaderLimits {
  /** Maximum size of the header section in bytes. */
  readonly headerBytes: number
  /** Maximum number of fields. */
  readonly fields: number
}

/** Field names that show that a line after a broken line is a header field, not text. */
const KNOWN =
  /^(?:From|To|Cc|Bcc|Subject|Date|Message-ID|Reply-To|Sender|MIME-Version|Content-[A-Z-]{2,40}|X-[A-Z0-9-]{1,60}|List-[A-Z-]{2,30}|Resent-[A-Z-]{2,20}|Received|Return-Path|In-Reply-To|References|Importance|Priority|Precedence|Auto-Submitted|User-Agent|Organization)[ \t]*:/gim

/** The line before each message of an mbox file, with or without a quoting `>`. */
const MBOX = /^>?From [^:\r\n][^\r\n]*\r\n/
/** A blank before the colon is obsolete syntax (RFC 5322 §4.5). */
const FIELD = /^([!-9;-~]+)[ \t]*:/
/** A byte order mark in UTF-8, which editors and scripts write at the start of a file. */
const BYTE_ORDER_MARK = '\xef\xbb\xbf'
/**
 * The beginning of a line that was meant as a field, but whose name has a blank or other characters: `Reply To:`. A
 * colon of a time, an address or a parameter does not end such a name.
 */
const MISWRITTEN_FIELD = /^[^\r\n:;,<>()[\]@="]{1,76}(?<!\d):/

/**
 * Reads the header section leniently. Drops a byte order mark, lines of mbox files and blank lines before the first
 * field, and the indentation of the whole section. A line that does not begin a field continues the previous field if known fields
 * follow; otherwise the empty line before the body is missing, or the message consists only of a body. Runs in time
 * linear in the header.
 */
export function readHeader(
  message: Buffer,
  { headerBytes, fields: maxFields }: HeaderLimits,
): FoundHeader | MendProblem {
  const headEnd = endOfHeader(message)
  const hasEmptyLine = headEnd < message.length
  const isCut = headEnd > headerBytes
  const start =
    message.toString('latin1', 0, BYTE_ORDER_MARK.length) === BYTE_ORDER_MARK ? BYTE_ORDER_MARK.length : 0
  const written = message.toString('latin1', start, Math.min(headEnd, headerBytes))
  const text = unindented(written)
  const fields: FoundField[] = []
  let lastKnown: number | undefined
  let line = 1
  for (let at = 0; at < text.length; ) {
    const end = endOfField(text, at)
    const chunk = text.slice(at, end)
    const name = FIELD.exec(chunk)
    if (fields.length > maxFields)
      return { fault: 'size', problem: `The message has over ${maxFields} header fields` }
    if (name !== null) fields.push({ name: name[1]!, rest: chunk.slice(name[0].length) })
    else if (fields.length > 0 || !(MBOX.test(chunk) || chunk.trim() === '')) {
      lastKnown ??= hasEmptyLine && !isCut ? lastKnownField(text) : -1
      const goesOn = lastKnown >= end
      if (!goesOn && text === written) return wholeOr(fields, start + at, start)
      const last = fields.pop()
      if (!goesOn || last === undefined || MISWRITTEN_FIELD.test(chunk)) return brokenLine(line, chunk)
      fields.push({ name: last.name, rest: `${last.rest} ${chunk}` })
    }
    line += chunk.split('\n').length - 1
    at = end
  }
  if (isCut) return { fault: 'size', problem: `The header section is larger than ${headerBytes} bytes` }
  return wholeOr(fields, Math.min(headEnd + 2, message.length), start)
}

/** Returns the start of the last line that begins a known field; -1 if there is none. */
function lastKnownField(text: string): number {
  let last = -1
  for (const { index } of text.matchAll(KNOWN)) last = index
  return last
}

/**
 * Returns the found header, or the whole message after `start` as a body if no field is known: lines of plain text may
 * contain a colon by chance.
 */
function wholeOr(fields: FoundField[], bodyStart: number, start: number): FoundHeader {
  const isHeader = fields.length === 0 || fields.some(({ name }) => lastKnownField(`${name}:`) === 0)
  return isHeader ? { fields, bodyStart } : { fields: [], bodyStart: start }
}

/** Removes the indentation that all lines share, or the indentation of the first line. */
function unindented(text: string): string {
  const [indent] = /^[ \t]+/.exec(text) ?? []
  if (indent === undefined) return text
  const lines = text.split('\r\n')
  const isAll = lines.every((line) => line === '' || line.startsWith(indent))
  return isAll ? lines.map((line) => line.slice(indent.length)).join('\r\n') : text.slice(indent.length)
}

function brokenLine(line: number, chunk: string): MendProblem {
  const [first = ''] = chunk.split('\r\n')
  const begins = first.length > 40 ? `${first.slice(0, 40)}…` : first
  const remedy = first.includes(':')
    ? 'the name before its colon has characters other than printable ASCII without blanks'
    : 'it has no colon; a line that continues the previous line begins with a blank'
  return { fault: 'header', problem: `Line ${line} of the header is no field ("${begins}"): ${remedy}` }
}
