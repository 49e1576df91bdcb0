// Parses a raw message submitted by SMTP, so strictly that no two mail programs can read the message differently.

import { isAscii, isUtf8 } from 'node:buffer'
import type { HeaderField } from '../model/composed-message.ts'

/** One field of a raw message. */
export interface RawField extends HeaderField {
  /** Unfolded value (RFC 5322 §2.2.3), without surrounding white space; encoded-words stay encoded. */
  readonly value: string
}

export interface RawMessage {
  readonly fields: readonly RawField[]
  /** The fields by their names in lower case; the index is built on the first call. */
  readonly byName: () => ReadonlyMap<string, readonly RawField[]>
  /** The bytes after the empty line; a view of the parsed bytes, not a copy. */
  readonly body: Buffer
  /** True if the body has bytes over 127. */
  readonly has8Bit: boolean
  /** True if a line of the body is over 998 bytes (RFC 5322 §2.1.1): such a message must be mended or refused. */
  readonly hasLongLines: boolean
}

/** Reason why the bytes are not a message that may be relayed. */
export interface RawMessageProblem {
  readonly code:
    | 'nul'
    | 'bare_newline'
    | 'header_too_large'
    | 'too_many_headers'
    | 'malformed_header'
    | 'line_too_long'
  /** Sentence for the sender of the message. */
  readonly problem: string
}

export interface RawMessageLimits {
  /** Maximum size of the header section in bytes, 100 KiB by default. */
  readonly headerBytes?: number
  /** Maximum number of fields, 1,000 by default. */
  readonly fields?: number
}

const LF = 10
const CR = 13
/** Maximum length of a line in bytes, without its CRLF (RFC 5322 §2.1.1). */
export const MAX_LINE = 998

/**
 * Splits a message into its fields and its body. Refuses NUL, bare CR or LF (SMTP smuggling), a header section that is
 * too large, and invalid header lines: too long, not UTF-8 (RFC 6532), or not a field (RFC 5322 §3.6.8; the obsolete
 * space before the colon is also refused). Never throws, and runs in linear time.
 */
export function parseRawMessage(
  bytes: Buffer,
  limits: RawMessageLimits = {},
): RawMessage | RawMessageProblem {
  const { headerBytes = 100 * 1024, fields: maxFields = 1000 } = limits
  const headEnd = endOfHeader(bytes)
  const head = bytes.subarray(0, headEnd)
  const body = bytes.subarray(startOfBody(bytes, headEnd))
  const inHead = survey(head)
  const inBody = survey(body)
  const code = inHead.problem ?? inBody.problem
  if (code !== undefined) return { code, problem: SURVEY_PROBLEMS[code] }
  if (headEnd > headerBytes) {
    return { code: 'header_too_large', problem: `The header section is larger than ${headerBytes} bytes` }
  }
  if (inHead.longest > MAX_LINE) {
    return { code: 'line_too_long', problem: `A header line is longer than ${MAX_LINE} bytes` }
  }

  const fields = readFields(head, inHead.has8Bit, maxFields)
  if ('code' in fields) return fields
  let index: ReadonlyMap<string, readonly RawField[]> | undefined
  const byName = () => (index ??= indexOf(fields))
  return { fields, byName, body, has8Bit: inBody.has8Bit, hasLongLines: inBody.longest > MAX_LINE }
}

/** Number of bytes that are read in one piece: less than a millisecond. */
const PIECE = 256 * 1024

/**
 * Returns the reason why another mail server could read two messages in the bytes (NUL, bare CR or bare LF); undefined
 * if there is no reason. Runs in linear time, in pieces.
 * @param turn resolves when the next piece may begin
 */
export async function findBareNewline(bytes: Buffer, turn: () => Promise<void>): Promise<string | undefined> {
  const found: Lines = { start: 0, longest: 0 }
  for (let at = 0; at < bytes.length && found.problem === undefined; ) {
    await turn()
    at = readLines(bytes, at, Math.min(at + PIECE, bytes.length), found)
  }
  return found.problem && SURVEY_PROBLEMS[found.problem]
}

/** True if `parseRawMessage` found a message. */
export function isRawMessage(result: RawMessage | RawMessageProblem): result is RawMessage {
  return 'fields' in result
}

/** Returns a message with other fields. */
export function withFields(message: RawMessage, fields: readonly RawField[]): RawMessage {
  let index: ReadonlyMap<string, readonly RawField[]> | undefined
  return { ...message, fields, byName: () => (index ??= indexOf(fields)) }
}

const NO_FIELDS: readonly RawField[] = []

/** Returns all fields with this name (case-insensitive) from top to bottom. */
export const fieldsNamed = (message: RawMessage, name: string): readonly RawField[] =>
  message.byName().get(name.toLowerCase()) ?? NO_FIELDS

function indexOf(fields: readonly RawField[]): ReadonlyMap<string, readonly RawField[]> {
  const index = new Map<string, RawField[]>()
  for (const field of fields) {
    const key = field.name.toLowerCase()
    const same = index.get(key)
    if (same === undefined) index.set(key, [field])
    else same.push(field)
  }
  return index
}

/** Counts the hosts that a message has passed (RFC 5321 §6.3): too many hosts mean a mail loop. */
export function countReceived(message: RawMessage): number {
  return fieldsNamed(message, 'Received').length
}

/** Returns the end of the header section: the start of the empty line, or the end of the bytes. */
export function endOfHeader(bytes: Buffer): number {
  if (bytes[0] === CR && bytes[1] === LF) return 0
  const empty = bytes.indexOf('\r\n\r\n')
  return empty < 0 ? bytes.length : empty + 2
}

/** Returns the start of the body, after the empty line; the end of the bytes if there is no empty line. */
export const startOfBody = (bytes: Buffer, headEnd = endOfHeader(bytes)): number =>
  Math.min(headEnd + 2, bytes.length)

/** Lines that have been read. */
interface Lines {
  problem?: 'nul' | 'bare_newline'
  /** Start of the line that is being read. */
  start: number
  /** Length of the longest line in bytes, without its CRLF. */
  longest: number
}

interface Survey extends Lines {
  readonly has8Bit: boolean
}

const SURVEY_PROBLEMS = {
  nul: 'The message has a NUL byte',
  bare_newline: 'The message has a CR or LF that is not part of a CRLF',
}

function survey(bytes: Buffer): Survey {
  const found: Survey = { has8Bit: !isAscii(bytes), start: 0, longest: 0 }
  readLines(bytes, 0, bytes.length, found)
  if (found.problem === undefined) found.longest = Math.max(found.longest, bytes.length - found.start)
  return found
}

/**
 * Reads lines from `from`, and returns the position from which to read on, which is `to` or one byte later. Reads byte by
 * byte, because native searches are faster on text but twenty times slower on a message of empty lines.
 */
function readLines(bytes: Buffer, from: number, to: number, found: Lines): number {
  let at = from
  for (; at < to; at++) {
    const byte = bytes[at]!
    if (byte > CR) continue
    if (byte === CR && bytes[at + 1] === LF) {
      if (at - found.start > found.longest) found.longest = at - found.start
      at++
      found.start = at + 1
    } else if (byte === CR || byte === LF || byte === 0) {
      found.problem = byte === 0 ? 'nul' : 'bare_newline'
      return at
    }
  }
  return at
}

function readFields(head: Buffer, has8Bit: boolean, max: number): RawField[] | RawMessageProblem {
  const text = head.toString('latin1')
  const fields: RawField[] = []
  for (let from = 0; from < text.length; ) {
    const end = endOfField(text, from)
    if (fields.length === max)
      return { code: 'too_many_headers', problem: `The message has over ${max} header fields` }
    const field = readField(text.slice(from, end), has8Bit)
    if (field === undefined) {
      const line = `line ${text.slice(0, from).split('\n').length} of the header`
      return { code: 'malformed_header', problem: `The ${line} does not begin a field in UTF-8` }
    }
    fields.push(field)
    from = end
  }
  return fields
}

/** Returns the position after the CRLF that ends the field at `from`: the first CRLF without white space after it. */
export function endOfField(text: string, from: number): number {
  let end = text.indexOf('\n', from) + 1
  while (end > 0 && (text[end] === ' ' || text[end] === '\t')) end = text.indexOf('\n', end) + 1
  return end === 0 ? text.length : end
}

function readField(line: string, has8Bit: boolean): RawField | undefined {
  const name = /^[!-9;-~]+(?=:)/.exec(line)?.[0]
  if (name === undefined) return undefined
  const raw = line.endsWith('\r\n') ? line : `${line}\r\n`
  const folded = raw.slice(name.length + 1)
  const text = has8Bit ? fromUtf8(folded) : folded
  return text === undefined
    ? undefined
    : { name, raw, value: withoutOuterBlanks(text.replaceAll('\r\n', '')) }
}

function fromUtf8(latin1: string): string | undefined {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/**
 * Removes spaces and tabs at the ends: `trim` would remove more characters, and a regular expression could take
 * quadratic time.
 */
export function withoutOuterBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && (text[from] === ' ' || text[from] === '\t')) from++
  while (to > from && (text[to - 1] === ' ' || text[to - 1] === '\t')) to--
  return text.slice(from, to)
}
