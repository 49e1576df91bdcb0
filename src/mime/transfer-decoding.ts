// Decodes transfer encodings (RFC 2045 §6), and computes decoded sizes.

import { fromQuotedPrintable } from './quoted-printable.ts'

const TRANSFER_ENCODING =
  /^content-transfer-encoding[ \t]*:(?:[ \t"']|\([^()\n]{0,80}\)|\r?\n[ \t]){0,80}([a-z0-9_-]+)/im
/** Names of uuencode, which is older than MIME. */
const UUENCODE = /^(?:x-)?uu(?:e|encoded?|code)?$/

/** Returns the transfer encoding that a header section names, in lower case. */
export function transferEncoding(head: Buffer): string | undefined {
  const written = TRANSFER_ENCODING.exec(head.toString('latin1'))?.[1]?.toLowerCase()
  if (written === undefined) return undefined
  if (UUENCODE.test(written)) return 'x-uuencode'
  if (written === 'quoted_printable' || written === 'quotedprintable') return 'quoted-printable'
  return written === 'base-64' ? 'base64' : written
}

/** Decodes a transfer encoding. Never throws, and runs in linear time. */
export function withoutEncoding(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return base64Bytes(bytes.toString('latin1'))
  if (encoding === 'x-uuencode') return uudecoded(bytes)
  return encoding === 'quoted-printable' ? fromQuotedPrintable(bytes) : bytes
}

/**
 * Decodes base64, including the text after padding, where Node's decoder would stop: some programs concatenate padded
 * pieces.
 */
function base64Bytes(text: string): Buffer {
  const padding = text.indexOf('=')
  if (padding < 0 || !/[A-Za-z0-9+/]/.test(text.slice(padding))) return Buffer.from(text, 'base64')
  return Buffer.concat(text.split(/=+/).map((piece) => Buffer.from(piece, 'base64')))
}

/** Returns the length of the result of `withoutEncoding`, without decoding where possible. */
export function decodedSize(bytes: Buffer, encoding: string | undefined): number {
  if (encoding === undefined) return bytes.length
  if (encoding !== 'quoted-printable') return withoutEncoding(bytes, encoding).length
  let size = bytes.length
  for (const [code] of bytes.toString('latin1').matchAll(/=(?:[0-9A-Fa-f]{2}|[ \t]{0,80}(?:\r?\n|\r))/g)) {
    size -= /[\r\n]$/.test(code) ? code.length : 2
  }
  return size
}

const BEGIN = /(?:^|[\r\n])begin(-base64)?[ \t][0-7]{3,4}[ \t][^\r\n]{0,1000}(?:\r\n|\r|\n|$)/

/**
 * Decodes uuencoded bytes (POSIX `uuencode`): the lines between `begin 644 name` and `end`; all lines if there is no
 * `begin`. Blanks lost at the end of a line count as zero bits. Never throws, and runs in linear time.
 */
function uudecoded(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  const begin = BEGIN.exec(text)
  const from = begin === null ? 0 : begin.index + begin[0].length
  if (begin?.[1] !== undefined) {
    const end = text.indexOf('====', from)
    return Buffer.from(text.slice(from, end < 0 ? undefined : end), 'base64')
  }
  const decoded = Buffer.alloc(Math.ceil(((text.length - from) * 3) / 4))
  let length = 0
  for (const line of text.slice(from).split(/\r\n|\r|\n/)) {
    if (line === 'end') break
    const wanted = sixBits(line, 0)
    for (let at = 1, left = wanted; left > 0 && at < line.length; at += 4, left -= 3) {
      const bits =
        (sixBits(line, at) << 18) |
        (sixBits(line, at + 1) << 12) |
        (sixBits(line, at + 2) << 6) |
        sixBits(line, at + 3)
      for (let byte = 0; byte < Math.min(3, left); byte++) decoded[length++] = bits >> (16 - 8 * byte)
    }
  }
  return decoded.subarray(0, Math.min(length, decoded.length))
}

const sixBits = (line: string, at: number): number => (at < line.length ? (line.charCodeAt(at) - 32) & 63 : 0)
