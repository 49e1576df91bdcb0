// The text of a leaf part: out of its transfer encoding and its charset, whatever octets it has.

import { isUtf8 } from 'node:buffer'
import type { LeafPart } from './parts.ts'

/**
 * Decodes at most `most` octets of a part (RFC 2045 §6, RFC 2047 charsets as browsers know them). Never throws:
 * what is not in the charset that is named is read as UTF-8 or Windows-1252. Linear.
 */
export function leafText({ head, body }: LeafPart, most: number): string {
  const fields = head.toString('latin1')
  const charset = /\bcharset[ \t]*=[ \t]*"?([^\s;"]{1,40})/i.exec(
    /^content-type:[^\n]*(?:\n[ \t][^\n]*)*/im.exec(fields)?.[0] ?? '',
  )?.[1]
  return decodeOctets(leafOctets({ head, body: body.subarray(0, most) }), charset)
}

/** The octets of a part out of its transfer encoding. Never throws; linear. */
export function leafOctets({ head, body }: Pick<LeafPart, 'head' | 'body'>): Buffer {
  const named = /^content-transfer-encoding:[ \t]*([a-z0-9-]+)/im.exec(head.toString('latin1'))?.[1]
  return withoutEncoding(body, named?.toLowerCase())
}

function withoutEncoding(octets: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(octets.toString('latin1'), 'base64')
  if (encoding !== 'quoted-printable') return octets
  const decoded = octets
    .toString('latin1')
    .replace(/=(?:([0-9A-Fa-f]{2})|[ \t]{0,80}\r?\n)/g, (_, code?: string) =>
      code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
    )
  return Buffer.from(decoded, 'latin1')
}

/** Octets as text: in the charset that is named if they are, else UTF-8, else Windows-1252, which takes anything. */
export function decodeOctets(octets: Buffer, charset = 'utf-8'): string {
  const named = decoder(charset)
  if (named !== undefined && named.encoding !== 'utf-8') return named.decode(octets)
  return isUtf8(octets) ? octets.toString('utf8') : new TextDecoder('windows-1252').decode(octets)
}

function decoder(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}
