// Replaces the text of some bodies of a message; all other bytes, the boundaries and the order of the parts stay.

import type { PersonalBody } from '../model/personal-content.ts'
import { base64Length, base64Lines } from './base64-lines.ts'
import type { BodyText } from './body-text.ts'
import type { LeafPart } from './parts.ts'
import { quotedPrintable } from './quoted-printable.ts'
import { startOfBody } from './raw-message.ts'
import { transferEncoding } from './transfer-decoding.ts'

/** A part and its new text. */
export interface ReplacedBody {
  readonly leaf: LeafPart
  readonly body: BodyText
  readonly encoding: PersonalBody['encoding']
}

/** One replacement in the bytes of a message. */
export interface ByteEdit {
  readonly from: number
  readonly to: number
  readonly by: Buffer
}

/**
 * Returns a transfer encoding in which any inserted text is safe (RFC 2045 §6): the encoding of the body if it is
 * base64 or quoted-printable, otherwise the shorter of these two encodings.
 */
export function safeEncoding({ head }: Pick<LeafPart, 'head'>, bytes: Buffer): PersonalBody['encoding'] {
  const given = transferEncoding(head)
  if (given === 'base64' || given === 'quoted-printable') return given
  return quotedPrintable(bytes, base64Length(bytes.length)) === undefined ? 'base64' : 'quoted-printable'
}

/** Encodes bytes; the lines must end in CRLF if the encoding is quoted-printable. */
export function encoded(bytes: Buffer, encoding: PersonalBody['encoding']): Buffer {
  if (encoding === 'base64') return base64Lines(bytes)
  // Each byte takes at most three characters, and each group of 25 bytes needs a soft line break.
  const quoted = quotedPrintable(bytes, 4 * bytes.length + 100)
  if (quoted === undefined) throw new RangeError('quoted-printable is longer than it can be')
  return quoted
}

/**
 * Replaces these bodies, given in the order of the message; returns the new message and the place of each body within
 * the body of the message. A part whose encoding and charset stay keeps its header, except for a digest of its bytes;
 * otherwise the new values replace the old values.
 *
 * @param message message with its header section; the parts are views of this buffer
 */
export function withBodies(
  message: Buffer,
  replaced: readonly ReplacedBody[],
): { readonly message: Buffer; readonly places: readonly PersonalBody['place'][] } {
  const edits = replaced.map((one) => editsOf(message, one))
  const made = applied(message, edits.flat())
  const bodyStart = startOfBody(made)
  let grown = 0
  const places = edits.map(([head, body]): PersonalBody['place'] => {
    grown += head.by.length - (head.to - head.from)
    const start = body.from + grown - bodyStart
    grown += body.by.length - (body.to - body.from)
    return [start, start + body.by.length]
  })
  return { message: made, places }
}

function editsOf(message: Buffer, { leaf, body, encoding }: ReplacedBody): [head: ByteEdit, body: ByteEdit] {
  const edit = (part: Buffer, by: Buffer): ByteEdit => {
    const from = part.byteOffset - message.byteOffset
    return { from, to: from + part.length, by }
  }
  const isMessageHead = leaf.head.byteOffset === message.byteOffset
  const head = headWith(leaf.head, body.relabel, encoding, isMessageHead)
  return [edit(leaf.head, head), edit(leaf.body, encoded(body.bytes, encoding))]
}

const ENCODING_FIELD = /^content-transfer-encoding[ \t]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim
/** Fields with a digest or length of the old bytes (RFC 1864). */
const DIGEST_FIELD = /^content-(?:md5|length)[ \t]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim
const TYPE_FIELD = /^content-type[ \t]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/im
const CHARSET_PARAMETER = /;\s{0,80}charset(?:\*\d{0,3}\*?)?[ \t]*=[ \t]*(?:"[^"\r\n]*"?|[^\s;"]*)/gi

/** Returns the header section with this transfer encoding and, if `charset` is given, with this charset. */
function headWith(
  head: Buffer,
  charset: string | undefined,
  encoding: PersonalBody['encoding'],
  isMessageHead: boolean,
): Buffer {
  let text = head.toString('latin1').replace(DIGEST_FIELD, '')
  if (charset !== undefined) {
    const given = TYPE_FIELD.exec(text)?.[0]
    const type =
      given?.replace(CHARSET_PARAMETER, '').trimEnd().replace(/;$/, '') ?? 'Content-Type: text/plain'
    const field = `${type};\r\n charset=${charset}\r\n`
    text = given === undefined ? text + field : text.replace(TYPE_FIELD, () => field)
  }
  if (!saysExactly(text, encoding)) {
    text = `${text.replace(ENCODING_FIELD, '')}Content-Transfer-Encoding: ${encoding}\r\n`
  }
  // Content-… fields have no meaning without MIME-Version (RFC 2045 §4).
  if (isMessageHead && !/^mime-version[ \t]*:/im.test(text)) text += 'MIME-Version: 1.0\r\n'
  return Buffer.from(text, 'latin1')
}

/** True if a header section has this encoding exactly once, without a comment or parameter. */
function saysExactly(text: string, encoding: PersonalBody['encoding']): boolean {
  const [given = '', more] = text.match(ENCODING_FIELD) ?? []
  return (
    more === undefined &&
    given
      .slice(given.indexOf(':') + 1)
      .trim()
      .toLowerCase() === encoding
  )
}

/** Applies edits, which are in order and do not overlap. */
export function applied(whole: Buffer, edits: readonly ByteEdit[]): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  for (const { from, to, by } of edits) {
    pieces.push(whole.subarray(at, from), by)
    at = to
  }
  return Buffer.concat([...pieces, whole.subarray(at)])
}
