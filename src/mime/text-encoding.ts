// Chooses the transfer encoding of a text part: 7bit where safe, otherwise the shorter of quoted-printable and base64.

import type { Allocate } from './allocate.ts'
import { base64Length, base64Lines } from './base64-lines.ts'
import { quotedPrintable } from './quoted-printable.ts'

export interface EncodedText {
  /** The value of Content-Transfer-Encoding (RFC 2045 §6.1). */
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  /** Lines separated by CRLF; no line end is added to the text. */
  readonly bytes: Buffer
}

/**
 * Encodes a text. Line breaks of any kind become CRLF, and lone surrogates become U+FFFD. The result never contains the
 * start of a multipart boundary of the composer (`--=_`).
 *
 * @param allocate allocates the memory of the result and of intermediate bytes
 */
export function encodeText(text: string, allocate: Allocate = Buffer.allocUnsafe): EncodedText {
  const lines = text.replace(/\r\n?|\n/g, '\r\n')
  const bytes = allocate(Buffer.byteLength(lines))
  bytes.write(lines)
  if (bytes.length === lines.length && !lines.includes('--=_') && isSafe(bytes)) {
    return { encoding: '7bit', bytes }
  }
  const limit = base64Length(bytes.length)
  // Each UTF-16 code unit above ASCII has one or two extra bytes in UTF-8, and each byte takes three characters.
  const atLeast = bytes.length + 3 * (bytes.length - lines.length)
  const quoted = atLeast > limit ? undefined : quotedPrintable(bytes, limit, allocate)
  if (quoted !== undefined) return { encoding: 'quoted-printable', bytes: quoted }
  return { encoding: 'base64', bytes: base64Lines(bytes) }
}

const CR = 13
const MAX_LINE = 998 // Maximum length of a line in bytes, without the CRLF (RFC 5322 §2.1.1).
const FROM = Buffer.from('\r\nFrom ')

/**
 * True if no host has a reason to change these lines: printable ASCII and tabs, no line over 998 bytes, no trailing
 * blanks, no line that begins with `From ` (RFC 2049 §3).
 */
function isSafe(bytes: Buffer): boolean {
  let lineStart = 0
  let last = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte > 32 && byte < 127) {
      last = byte
    } else if (byte === 32 || byte === 9) {
      last = 32
    } else if (byte === CR) {
      if (last === 32 || at - lineStart > MAX_LINE) return false
      last = CR
      at++
      lineStart = at + 1
    } else {
      return false
    }
  }
  if (last === 32 || bytes.length - lineStart > MAX_LINE) return false
  return !bytes.includes(FROM) && bytes.compare(FROM, 2, 7, 0, Math.min(5, bytes.length)) !== 0
}
