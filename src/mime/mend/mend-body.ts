// The body of a message with its long lines encoded or folded, and the headers of its parts in ASCII or UTF-8.

import { isUtf8 } from 'node:buffer'
import { applied, type Edit, type Edited, encodeLeaf } from '../downgrade.ts'
import { type LeafPart, splitParts, transferEncoding } from '../parts.ts'
import { endOfField, withoutOuterBlanks } from '../raw-message.ts'
import type { HeaderText } from './header-text.ts'
import { isUtf8Field } from './header-text.ts'
import { longLineIn, MAX_LINE, withFoldedLines } from './long-lines.ts'
import type { MendProblem } from './problem.ts'
import { asciiField } from './write-field.ts'

/** Bytes that are folded: headers are no larger, and folding costs more time a byte than encoding. */
const MAX_FOLDED = 256 * 1024
/** Depth of messages within messages; deeper ones are not mended. */
const MAX_DEPTH = 5

/** Types that are sealed: their bytes, or those around them, are what is signed or encrypted (RFC 8551, RFC 3156). */
const SEALED_TYPE = /^application\/(?:x-)?(?:pkcs7-(?:mime|signature)|pgp-(?:encrypted|signature))$/
const SEALED_TEXT = ['-----BEGIN PGP MESSAGE-----', '-----BEGIN PGP SIGNED MESSAGE-----']

/** A place in a message that cannot be mended. */
class NotMendable extends Error {
  /** Offset in the bytes of the outermost message. */
  readonly at: number

  constructor(at: number, remedy: string) {
    super(remedy)
    this.at = at
  }
}

/**
 * The whole message with no line of its body over 998 bytes: text in quoted-printable, other content in base64, base64 and
 * quoted-printable in shorter lines, headers of parts folded; headers of parts that were not UTF-8 are written in ASCII. A
 * message that is signed or encrypted anywhere is not changed: then the answer names the line and the remedy. Linear.
 *
 * @param message its own header section is in order, and says MIME-Version where it has MIME fields
 * @param bodyLine number of the first line of the body, as its sender counts
 */
export function withMendedBody(message: Buffer, text: HeaderText, bodyLine: number): Buffer | MendProblem {
  try {
    return mended(message, text, 0)
  } catch (error) {
    if (!(error instanceof NotMendable)) throw error
    const bodyStart = message.indexOf('\r\n\r\n') + 4
    let line = bodyLine
    for (
      let at = message.indexOf('\n', bodyStart);
      at >= 0 && at < error.at;
      at = message.indexOf('\n', at + 1)
    )
      line++
    return { fault: 'body', problem: `Line ${line} of the message ${error.message}` }
  }
}

/** True if a header section of a part is neither ASCII nor UTF-8. */
export const hasForeignPartHead = (message: Buffer): boolean =>
  splitParts(message).leaves.some(({ head }) => !isUtf8(head))

function mended(whole: Buffer, text: HeaderText, depth: number, offset = 0): Buffer {
  const at = (part: Buffer): number => part.byteOffset - whole.byteOffset
  const { leaves, isSigned, incomplete } = splitParts(whole)
  const firstLong = longLineIn(whole)
  const refuse = (place: number, remedy: string): never => {
    throw new NotMendable(offset + place, remedy)
  }
  if (firstLong < 0 && leaves.every(({ head }) => isUtf8(head))) return whole
  if (isSigned || isSealed(whole, leaves)) {
    if (firstLong < 0) return whole
    refuse(
      firstLong,
      `is over ${MAX_LINE} bytes, and the message is signed or encrypted, so that it cannot be changed: encode it (quoted-printable, or base64 in lines of 76) before it is signed`,
    )
  }
  if (incomplete)
    refuse(
      Math.max(firstLong, 0),
      `is over ${MAX_LINE} bytes, and the message has too many parts to be mended: encode it (quoted-printable)`,
    )
  const edits: Edit[] = []
  const replace = (part: Buffer, by: Buffer): void => {
    if (by !== part) edits.push({ from: at(part), to: at(part) + part.length, by })
  }
  let done = 0
  for (const leaf of leaves) {
    replaceGap(whole.subarray(done, at(leaf.head)))
    const { head, body } = mendedLeaf(leaf)
    replace(leaf.head, head)
    replaceGap(whole.subarray(at(leaf.head) + leaf.head.length, at(leaf.body)))
    replace(leaf.body, body)
    done = at(leaf.body) + leaf.body.length
  }
  replaceGap(whole.subarray(done))
  return applied(whole, edits)

  /** Between leaves stand headers of multiparts, which fold, and text that no reader shows, which may. */
  function replaceGap(gap: Buffer): void {
    if (longLineIn(gap) >= 0) replace(gap, foldedLines(gap))
  }

  function foldedLines(lines: Buffer): Buffer {
    const folded = lines.length > MAX_FOLDED ? undefined : withFoldedLines(lines.toString('latin1'))
    if (folded === undefined)
      return refuse(at(lines) + longLineIn(lines), `is over ${MAX_LINE} bytes and has no blank to fold it at`)
    return Buffer.from(folded, 'latin1')
  }

  function mendedLeaf(leaf: LeafPart): Edited {
    const head = mendedHead(leaf.head)
    const place = longLineIn(leaf.body)
    if (place < 0) return { head, body: leaf.body }
    const encoding = transferEncoding(leaf.head)
    if (encoding === 'base64') return { head, body: rewrapped(leaf.body) }
    if (encoding === 'quoted-printable') return { head, body: softBroken(leaf.body) }
    const problem = (remedy: string): never => refuse(at(leaf.body) + place, remedy)
    if (encoding !== undefined && !IDENTITY.test(encoding)) {
      return problem(
        `is over ${MAX_LINE} bytes in a part of the encoding ${encoding}: use quoted-printable or base64`,
      )
    }
    if (/^message\/(?:rfc822|global)$/.test(leaf.type)) {
      if (depth === MAX_DEPTH)
        return problem(`is over ${MAX_LINE} bytes, in too many messages within messages`)
      return { head, body: mended(leaf.body, text, depth + 1, offset + at(leaf.body)) }
    }
    // RFC 2045 §6.4: these may not be encoded.
    if (/^(?:message|multipart)\//.test(leaf.type)) return { head, body: foldedLines(leaf.body) }
    // Text stays legible to those who look at its source, unless it has few characters of ASCII.
    return (
      encodeLeaf({ ...leaf, head }, 2 * leaf.body.length) ??
      problem(`is over ${MAX_LINE} bytes in a part with two transfer encodings`)
    )
  }

  function mendedHead(head: Buffer): Buffer {
    const ascii = isUtf8(head) ? head : asciiHead(head, text)
    return longLineIn(ascii) < 0 ? ascii : foldedLines(ascii)
  }
}

/** The encodings that are none (RFC 2045 §6.2), in the spellings that programs have for them. */
const IDENTITY = /^(?:[78]-?bits?|binary|none|identity|us-ascii|ascii|utf-?8)$/

const isSealed = (whole: Buffer, leaves: readonly LeafPart[]): boolean =>
  leaves.some(({ type }) => SEALED_TYPE.test(type)) || SEALED_TEXT.some((text) => whole.includes(text))

/** The header section of a part with its fields that are not UTF-8 in ASCII. */
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

/** Base64 in lines of 76 characters (RFC 2045 §6.8), with all the characters that it had. */
function rewrapped(body: Buffer): Buffer {
  const written = body.toString('latin1')
  const lines = written.replace(/[\s]+/g, '').match(/.{1,76}/g) ?? []
  return Buffer.from(`${lines.join('\r\n')}${written.endsWith('\r\n') ? '\r\n' : ''}`, 'latin1')
}

/** Characters of a line of quoted-printable, with the `=` of its soft line break (RFC 2045 §6.7 (5)). */
const QUOTED_LINE = 76

/** Quoted-printable with soft line breaks in its long lines; what it says stays the same. */
function softBroken(body: Buffer): Buffer {
  const lines = body.toString('latin1').split('\r\n')
  const broken = lines.map((line) => (line.length > MAX_LINE ? inPieces(line).join('=\r\n') : line))
  return Buffer.from(broken.join('\r\n'), 'latin1')
}

/** Pieces of a line, none of which ends within `=XX`. */
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
