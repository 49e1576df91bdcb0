// Mends the body of a message: encodes or folds long lines, and converts the headers of parts to ASCII or UTF-8.

import { isUtf8 } from 'node:buffer'
import { type Edited, encodeLeaf } from '../downgrade.ts'
import { type LeafPart, splitParts } from '../parts.ts'
import { endOfField, MAX_LINE, withoutOuterBlanks } from '../raw-message.ts'
import { applied, type ByteEdit } from '../replace-bodies.ts'
import { transferEncoding } from '../transfer-decoding.ts'
import type { HeaderText } from './header-text.ts'
import { isUtf8Field } from './header-text.ts'
import { linesIn, longLineIn, withFoldedLines } from './long-lines.ts'
import type { MendProblem } from './problem.ts'
import { asciiField } from './write-field.ts'

/**
 * Maximum size in bytes of lines that are folded: header sections are no larger, and folding takes more time per byte
 * than encoding.
 */
const MAX_FOLDED = 256 * 1024
/** Maximum depth of nested messages; a message with a long line at a greater depth is refused. */
const MAX_DEPTH = 5

/** Media types that show that the part or an adjacent part is signed or encrypted (RFC 8551, RFC 3156). */
const SEALED_TYPE = /^application\/(?:x-)?(?:pkcs7-(?:mime|signature)|pgp-(?:encrypted|signature))$/
const SEALED_TEXT = ['-----BEGIN PGP MESSAGE-----', '-----BEGIN PGP SIGNED MESSAGE-----']

/** Error for a place in a message that cannot be mended. */
class NotMendable extends Error {
  /** Offset of the place in the bytes of the outermost message. */
  readonly at: number

  constructor(at: number, remedy: string) {
    super(remedy)
    this.at = at
  }
}

/**
 * Returns the whole message without body lines over 998 bytes: encodes text in quoted-printable and other content in
 * base64, breaks base64 and quoted-printable into shorter lines, and folds the headers of parts. Part headers that are
 * not UTF-8 become ASCII. Never changes a message with a signed or encrypted part, but returns a problem that names the
 * line and the remedy. Runs in linear time.
 *
 * @param message message with a valid header section, in which MIME fields come with MIME-Version
 * @param bodyLine line number of the start of the body in the message as submitted
 */
export function withMendedBody(message: Buffer, text: HeaderText, bodyLine: number): Buffer | MendProblem {
  try {
    return new BodyMender(message, text).mended()
  } catch (error) {
    if (!(error instanceof NotMendable)) throw error
    const bodyStart = message.indexOf('\r\n\r\n') + 4
    const line = bodyLine + linesIn(message.subarray(bodyStart, error.at))
    return { fault: 'body', problem: `Line ${line} of the message ${error.message}` }
  }
}

/** True if the header section of a part is neither ASCII nor UTF-8. */
export const hasForeignPartHead = (message: Buffer): boolean =>
  splitParts(message).leaves.some(({ head }) => !isUtf8(head))

/** Mends one message: the submitted message, or a nested message. */
class BodyMender {
  readonly #whole: Buffer
  readonly #text: HeaderText
  readonly #depth: number
  /** Offset of this message in the outermost message. */
  readonly #offset: number
  readonly #edits: ByteEdit[] = []

  constructor(whole: Buffer, text: HeaderText, depth = 0, offset = 0) {
    this.#whole = whole
    this.#text = text
    this.#depth = depth
    this.#offset = offset
  }

  /** Returns the mended message, or the message itself if no change is needed. Throws `NotMendable`. */
  mended(): Buffer {
    const whole = this.#whole
    const { leaves, isSigned, incomplete } = splitParts(whole)
    const firstLong = longLineIn(whole)
    const isSealed = isSigned || hasSeal(whole, leaves)
    if (firstLong < 0 && (isSealed || incomplete || leaves.every(({ head }) => isUtf8(head)))) return whole
    if (isSealed) throw this.#tooLong(whole, SEALED)
    if (incomplete)
      throw this.#tooLong(whole, 'and the message has too many parts: encode it (quoted-printable)')
    let done = 0
    for (const leaf of leaves) {
      const { head, body } = this.#leaf(leaf)
      const [headAt, bodyAt] = [this.#at(leaf.head), this.#at(leaf.body)]
      this.#gap(whole.subarray(done, headAt))
      this.#replace(leaf.head, head)
      this.#gap(whole.subarray(headAt + leaf.head.length, bodyAt))
      this.#replace(leaf.body, body)
      done = bodyAt + leaf.body.length
    }
    this.#gap(whole.subarray(done))
    return applied(whole, this.#edits)
  }

  /** Folds long lines between leaf parts: headers of multiparts, and text that no mail client shows. */
  #gap(gap: Buffer): void {
    if (longLineIn(gap) >= 0) this.#replace(gap, this.#folded(gap))
  }

  #leaf(leaf: LeafPart): Edited {
    const head = this.#head(leaf.head)
    const { body, type } = leaf
    if (longLineIn(body) < 0) return { head, body }
    const encoding = transferEncoding(leaf.head)
    if (encoding === 'base64') return { head, body: rewrapped(body) }
    if (encoding === 'quoted-printable') return { head, body: softBroken(body) }
    if (encoding !== undefined && !IDENTITY.test(encoding)) {
      throw this.#tooLong(body, `in a part of the encoding ${encoding}: use quoted-printable or base64`)
    }
    if (/^message\/(?:rfc822|global)$/.test(type)) return { head, body: this.#inner(body) }
    // Parts of these types may not be encoded (RFC 2045 §6.4).
    if (/^(?:message|multipart)\//.test(type)) return { head, body: this.#folded(body) }
    // Quoted-printable keeps text legible in the source, but is too long for text with few ASCII characters.
    const encoded = encodeLeaf({ head, body, type }, 2 * body.length)
    if (encoded === undefined)
      throw this.#tooLong(body, 'in a part with two transfer encodings: leave one of them out')
    return encoded
  }

  /** Mends a nested message; only the parts of a nested message may be encoded (RFC 2046 §5.2.1). */
  #inner(body: Buffer): Buffer {
    if (this.#depth === MAX_DEPTH) throw this.#tooLong(body, 'in too many messages within messages')
    return new BodyMender(body, this.#text, this.#depth + 1, this.#offset + this.#at(body)).mended()
  }

  #head(head: Buffer): Buffer {
    const legible = isUtf8(head) ? head : asciiHead(head, this.#text)
    return longLineIn(legible) < 0 ? legible : this.#folded(head, legible)
  }

  /**
   * @param lines piece of the message, to which an error refers
   * @param instead replacement of the piece; the replacement is folded
   */
  #folded(lines: Buffer, instead = lines): Buffer {
    const folded = instead.length > MAX_FOLDED ? undefined : withFoldedLines(instead.toString('latin1'))
    if (folded === undefined) throw this.#tooLong(lines, 'and has no blank to fold it at')
    return Buffer.from(folded, 'latin1')
  }

  #replace(piece: Buffer, by: Buffer): void {
    if (by !== piece) this.#edits.push({ from: this.#at(piece), to: this.#at(piece) + piece.length, by })
  }

  #at(piece: Buffer): number {
    return piece.byteOffset - this.#whole.byteOffset
  }

  /** Returns the error for the first long line of a piece. */
  #tooLong(piece: Buffer, why: string): NotMendable {
    const place = Math.max(longLineIn(piece), 0)
    return new NotMendable(this.#offset + this.#at(piece) + place, `is over ${MAX_LINE} bytes, ${why}`)
  }
}

const SEALED =
  'and the message is signed or encrypted, so that it cannot be changed: encode it (quoted-printable, or base64 in lines of 76) before it is signed'

/** Identity encodings (RFC 2045 §6.2), in the spellings that programs use. */
const IDENTITY = /^(?:[78]-?bits?|binary|none|identity|us-ascii|ascii|utf-?8)$/

const hasSeal = (whole: Buffer, leaves: readonly LeafPart[]): boolean =>
  leaves.some(({ type }) => SEALED_TYPE.test(type)) || SEALED_TEXT.some((text) => whole.includes(text))

/** Converts the fields of a part's header section that are not UTF-8 to ASCII. */
function asciiHead(head: Buffer, text: HeaderText): Buffer {
  const written = head.toString('latin1')
  let ascii = ''
  for (let at = 0; at < written.length; ) {
    const end = endOfField(written, at)
    const raw = written.slice(at, end)
    const name = isUtf8Field(raw) ? undefined : /^[!-9;-~]+(?=:)/.exec(raw)?.[0]
    const latin1 = raw.slice((name?.length ?? 0) + 1).replaceAll('\r\n', '')
    ascii +=
      name === undefined
        ? raw
        : (asciiField(name, withoutOuterBlanks(text.read(latin1)), withoutOuterBlanks(latin1)) ?? '')
    at = end
  }
  return Buffer.from(ascii, 'latin1')
}

/** Breaks base64 into lines of 76 characters (RFC 2045 §6.8), without any change to the base64 characters. */
function rewrapped(body: Buffer): Buffer {
  const written = body.toString('latin1')
  const lines = written.replace(/[\s]+/g, '').match(/.{1,76}/g) ?? []
  return Buffer.from(`${lines.join('\r\n')}${written.endsWith('\r\n') ? '\r\n' : ''}`, 'latin1')
}

/** Maximum length of a line of quoted-printable, including the `=` of its soft line break (RFC 2045 §6.7 (5)). */
const QUOTED_LINE = 76

/** Adds soft line breaks to the long lines of quoted-printable; the decoded text stays the same. */
function softBroken(body: Buffer): Buffer {
  const lines = body.toString('latin1').split('\r\n')
  const broken = lines.map((line) => (line.length > MAX_LINE ? inPieces(line).join('=\r\n') : line))
  return Buffer.from(broken.join('\r\n'), 'latin1')
}

/** Splits a line into pieces, none of which ends within `=XX`. */
function inPieces(line: string): string[] {
  const pieces: string[] = []
  let from = 0
  while (line.length - from >= QUOTED_LINE) {
    let to = from + QUOTED_LINE - 1
    if (line[to - 1] === '=') to -= 1
    else if (line[to - 2] === '=') to -= 2
    pieces.push(line.slice(from, to))
    from = to
  }
  return [...pieces, line.slice(from)]
}
