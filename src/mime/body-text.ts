// Decodes the text of a body from its charset, edits the text, and encodes the edited text with a correct charset
// label.

import { isAscii, isUtf8 } from 'node:buffer'
import { charsetIn, contentTypeValue } from './part-fields.ts'
import type { LeafPart } from './parts.ts'
import { transferEncoding, withoutEncoding } from './transfer-decoding.ts'

/** A body, decoded from its transfer encoding. */
export interface BodyText {
  readonly text: string
  /** The text as bytes in its charset, in which bytes below 128 are ASCII. */
  readonly bytes: Buffer
  /** True if the bytes are UTF-8; otherwise each byte stands for one UTF-16 code unit of the text. */
  readonly isUtf8: boolean
  /** Charset label to write in place of the label of the part; undefined if the label of the part is correct. */
  readonly relabel: string | undefined
}

/** Replacement of a range of a text; positions count UTF-16 code units. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly by: string
}

/**
 * Stateful charsets that `TextDecoder` does not support: bytes below 128 are not always ASCII (RFC 2152, RFC 1843, RFC
 * 1557, RFC 1922).
 */
const STATEFUL =
  /^(?:utf-?7|(?:x-)?unicode-1-1-utf-7|unicode-2-0-utf-7|utf-7-imap|hz-gb-2312|csiso2022kr|iso-2022-(?:kr|cn|cn-ext))$/i
const ASCII =
  /^(?:us-ascii|ascii|ansi_x3\.4-1968|iso_?646\.irv:1991|iso646-us|us|csascii|cp367|ibm367|unknown-?8bit|x-unknown)$/i
const SINGLE_BYTE =
  /^(?:windows-(?:125\d|874)|iso-8859-\d+(?:-[ei])?|koi8-[ru]|macintosh|x-mac-cyrillic|ibm866)$/
const ESC = 27

/**
 * Reads a text part. Returns undefined if the bytes of the part cannot be read reliably: an unknown transfer encoding
 * (RFC 2045 §6.4), broken base64, or a stateful charset that `TextDecoder` does not support. Bytes that contradict
 * their label are read as UTF-8 if they are valid UTF-8, otherwise as Windows-1252. Never throws, and runs in linear
 * time.
 */
export function readBodyText(leaf: Pick<LeafPart, 'head' | 'body'>): BodyText | undefined {
  const bytes = decoded(leaf)
  const label = charsetIn(contentTypeValue(leaf.head) ?? '')?.replace(/^'|'$/g, '')
  if (bytes === undefined || (label !== undefined && STATEFUL.test(label))) return undefined
  const decoder = label === undefined || ASCII.test(label) ? undefined : decoderOf(label)
  const charset = decoder?.encoding
  if (isAscii(bytes) && !(charset === 'iso-2022-jp' && bytes.includes(ESC))) {
    // Text without NUL bytes is not UTF-16: some programs copy the label `utf-16` from the XML declaration of a string
    // in memory.
    const relabel = charset?.startsWith('utf-16') ? 'utf-8' : undefined
    if (relabel === undefined || !bytes.includes(0)) {
      return { text: bytes.toString('latin1'), bytes, isUtf8: false, relabel }
    }
  }
  if (decoder !== undefined && charset !== undefined && !SINGLE_BYTE.test(charset) && charset !== 'utf-8') {
    const text = multibyteText(bytes, charset)
    if (text !== undefined) return asUtf8(text)
  }
  if (isUtf8(bytes)) {
    const relabel = charset === 'utf-8' ? undefined : 'utf-8'
    return { text: bytes.toString('utf8'), bytes, isUtf8: true, relabel }
  }
  const isNamed = charset !== undefined && SINGLE_BYTE.test(charset)
  const text = new TextDecoder(isNamed ? charset : 'windows-1252', { ignoreBOM: true }).decode(bytes)
  return { text, bytes, isUtf8: false, relabel: isNamed ? undefined : 'windows-1252' }
}

/** Decodes bytes in a multi-byte charset; returns undefined when the bytes are UTF-8 instead. */
function multibyteText(bytes: Buffer, charset: string): string | undefined {
  const isLikelyUtf8 = isUtf8(bytes) && !bytes.includes(0)
  if (charset.startsWith('utf-16') && isLikelyUtf8) return undefined
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return isLikelyUtf8 ? undefined : new TextDecoder(charset).decode(bytes)
  }
}

function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

const asUtf8 = (text: string): BodyText => ({
  text: text.toWellFormed(),
  bytes: Buffer.from(text),
  isUtf8: true,
  relabel: 'utf-8',
})

/**
 * Transfer encodings that are not decoded here. Mail clients ignore names that are no encoding, such as `7-bit` and
 * `plain`.
 */
const UNREADABLE = /^(?:x-)?(?:uu|xx|ye?nc|(?:mac-)?binhex|g?zip|bzip|deflate|compress)/
/** Base64 with white space, and with padding only at the end. */
const BASE64 = /^[\sA-Za-z0-9+/]*={0,2}$/

function decoded({ head, body }: Pick<LeafPart, 'head' | 'body'>): Buffer | undefined {
  const encoding = transferEncoding(head) ?? '7bit'
  if (encoding === 'base64') {
    return BASE64.test(body.toString('latin1').trimEnd()) ? withoutEncoding(body, encoding) : undefined
  }
  return UNREADABLE.test(encoding) ? undefined : withoutEncoding(body, encoding)
}

/** Applies an edit. The text becomes UTF-8 if its charset may lack a character of the inserted text. */
export function editedText(body: BodyText, { start, end, by }: TextEdit): BodyText {
  const text = body.text.slice(0, start) + by + body.text.slice(end)
  const isSame = body.isUtf8 || isAscii(Buffer.from(by))
  if (!isSame) return asUtf8(text)
  if (body.isUtf8) return { ...body, text, bytes: Buffer.from(text) }
  const { bytes } = body
  const put = Buffer.from(by, 'latin1')
  return { ...body, text, bytes: Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(end)]) }
}

/** Returns the text with CRLF between its lines, as quoted-printable requires. */
export function withCrlf(body: BodyText): BodyText {
  const text = crlf(body.text)
  if (text === body.text) return body
  const bytes = body.isUtf8 ? Buffer.from(text) : Buffer.from(crlf(body.bytes.toString('latin1')), 'latin1')
  return { ...body, text, bytes }
}

const crlf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n')

const META = /<meta\b[^>]{0,500}?\bcharset[ \t]{0,9}=[ \t]{0,9}["']?([\w.:-]{1,40})/gi
/** Number of leading characters searched for a `meta` charset: twice as many as browsers search (HTML §13.2.3.2). */
const META_WITHIN = 2_048

/** Returns the HTML with its `meta` charset changed to match the label. */
export function withTrueMeta(body: BodyText): BodyText {
  if (body.relabel === undefined) return body
  META.lastIndex = 0
  const found = META.exec(body.text.slice(0, META_WITHIN))
  const [whole = '', name = ''] = found ?? []
  if (found === null || name.toLowerCase() === body.relabel) return body
  const end = found.index + whole.length
  return editedText(body, { start: end - name.length, end, by: body.relabel })
}

/** Converts positions in a text (in UTF-16 code units, ascending) to positions in the bytes of the text. */
export function bytePositions({ text, isUtf8: counts }: BodyText, units: readonly number[]): number[] {
  if (!counts) return [...units]
  let from = 0
  let bytes = 0
  return units.map((unit) => {
    bytes += Buffer.byteLength(text.slice(from, unit))
    from = unit
    return bytes
  })
}
