// Chooses the transfer encoding of a text part: none where that is safe, otherwise the shorter of the two encodings.

import type { Allocate } from './allocate.ts'
import { base64Length, base64Lines } from './base64-lines.ts'
import { quotedPrintable } from './quoted-printable.ts'

export interface EncodedText {
  /** The value of Content-Transfer-Encoding (RFC 2045 §6.1). */
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  /** Lines separated by CRLF; no line end is added to the text. */
  readonly octets: Buffer
}

/**
 * Encodes a text. Line breaks of any kind become CRLF, and lone surrogates become U+FFFD. The result never contains the
 * start of a multipart boundary of the composer (`--=_`).
 *
 * @param allocate allocates the memory of the result and of intermediate bytes
 */
export function encodeText(text: string, allocate: Allocate = Buffer.allocUnsafe): EncodedText {
  const lines = text.replace(/\r\n?|\n/g, '\r\n')
  const octets = allocate(Buffer.byteLength(lines))
  octets.write(lines)
  if (octets.length === lines.length && !lines.includes('--=_') && isSafe(octets)) {
    return { encoding: '7bit', octets }
  }
  const limit = base64Length(octets.length)
  // Each UTF-16 unit above ASCII takes one or two extra bytes, and each of its bytes takes three characters.
  const atLeast = octets.length + 3 * (octets.length - lines.length)
  const quoted = atLeast > limit ? undefined : quotedPrintable(octets, limit, allocate)
  if (quoted !== undefined) return { encoding: 'quoted-printable', octets: quoted }
  return { encoding: 'base64', octets: base64Lines(octets) }
}

const CR = 13
const MAX_LINE = 998 // RFC 5322 §2.1.1
const FROM = Buffer.from('\r\nFrom ')

/**
 * True if no host has a reason to change these lines: printable ASCII and tabs, no line over 998 bytes, no trailing
 * blanks, no line that begins with `From ` (RFC 2049 §3).
 */
function isSafe(octets: Buffer): boolean {
  let lineStart = 0
  let last = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (octet > 32 && octet < 127) {
      last = octet
    } else if (octet === 32 || octet === 9) {
      last = 32
    } else if (octet === CR) {
      if (last === 32 || at - lineStart > MAX_LINE) return false
      last = CR
      at++
      lineStart = at + 1
    } else {
      return false
    }
  }
  if (last === 32 || octets.length - lineStart > MAX_LINE) return false
  return !octets.includes(FROM) && octets.compare(FROM, 2, 7, 0, Math.min(5, octets.length)) !== 0
}
