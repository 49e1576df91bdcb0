// The text of a body: UTF-8, or what its byte order mark or its Content-Type names.

import { isUtf8 } from 'node:buffer'
import { Problem } from '../model/problem.ts'

/** Fields of a request that say how its text is encoded. */
export interface TextFields {
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
}

interface BodyText {
  /** Without a byte order mark. */
  readonly text: string
  /** The bytes are the text in UTF-8, without a mark. */
  readonly isPlain: boolean
}

const MARK = 0xfeff
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*["']?([\w.:-]{1,40})/i

/**
 * Reads the text of a body. UTF-8 is read as such whatever the Content-Type says: programs that name another charset mostly
 * send UTF-8 all the same. Throws `malformed_request` for bytes that no charset is known of.
 */
export function readText(octets: Buffer, { contentType, contentEncoding }: TextFields): BodyText {
  const charset = utf16Of(octets) ?? namedCharset(contentType)
  // ASCII in UTF-16 is valid UTF-8 as well.
  if (charset?.startsWith('utf-16') !== true && isUtf8(octets)) {
    const text = octets.toString('utf8')
    return text.charCodeAt(0) === MARK ? { text: text.slice(1), isPlain: false } : { text, isPlain: true }
  }
  const text = charset === undefined ? undefined : decoded(octets, charset)
  if (text !== undefined) return { text, isPlain: false }
  const encoding = contentEncoding?.slice(0, 50)
  const remedy =
    encoding === undefined
      ? 'save or encode it as UTF-8'
      : `send it as it is, without Content-Encoding: ${encoding}`
  throw new Problem('malformed_request', `The body is not UTF-8; ${remedy}.`)
}

/** UTF-16 by its byte order mark, which UTF-8 never begins with. */
function utf16Of([first, second]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** The name of the charset by the Encoding Standard; undefined for none and for one that nobody knows. */
function namedCharset(contentType: string | undefined): string | undefined {
  const label = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1]
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** The text without its byte order mark; undefined for bytes that the charset does not have. */
function decoded(octets: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(octets)
  } catch {
    return undefined
  }
}
