// Composes the body of a message: parts, enclosing multiparts and boundaries (RFC 2046).

import { freeBuffers } from '../threads/free-buffers.ts'
import { Scratch } from '../threads/scratch.ts'
import type { Allocate } from './allocate.ts'
import { attachmentPlaces, attachmentType, type Form, typeField } from './attachment-place.ts'
import { base64Lines } from './base64-lines.ts'
import type { Attachment, Content } from './content.ts'
import { fileNameParameters, legalContentId, legalFileName, nameParameter } from './file-name.ts'
import { encodeText } from './text-encoding.ts'

/** A part with its own Content-… fields; `content` is a list of pieces in ASCII. */
interface Part {
  readonly type: string
  readonly encoding: string | undefined
  /** Further header fields of the part, each with its CRLF. */
  readonly more: string
  readonly content: readonly (string | Buffer)[]
}

/** A body, and the values of the header fields that describe the body. */
export interface ComposedBody {
  readonly contentType: string
  /** Value of Content-Transfer-Encoding; undefined for a multipart, because 7bit is the default. */
  readonly transferEncoding: string | undefined
  /** Bytes of the body, which end in one CRLF. */
  readonly bytes: Buffer
}

/** Reused memory that holds the encoded texts until they are joined. */
const scratch = new Scratch()

/**
 * Composes text alone, HTML alone, or a multipart/alternative of text, HTML and further alternatives. A
 * multipart/related encloses the HTML with its inline parts, and a multipart/mixed encloses the content with files (RFC
 * 2046 §5.1, RFC 2387).
 */
export function composeBody(content: Content, allocate: Allocate): ComposedBody {
  scratch.clear()
  const { amp, calendar, inline, files } = attachmentPlaces(content)

  // Neither 7bit parts nor encoded parts contain `--=_`, so no boundary occurs in the parts that it separates.
  const boundary = content.messageId.replace(/[^A-Za-z0-9]+/g, '').slice(0, 40)
  const forms: Part[] = []
  if (content.text !== undefined || content.html === undefined)
    forms.push(textPart('text/plain', content.text ?? ''))
  if (amp !== undefined) forms.push(formPart(amp))
  if (content.html !== undefined) {
    const html = textPart('text/html', content.html)
    const shown = inline.map((one) => attachmentPart(one, 'inline'))
    forms.push(shown.length === 0 ? html : multipart('related', `=_r_${boundary}`, [html, ...shown]))
  }
  if (calendar !== undefined) forms.push(formPart(calendar))
  const readable = forms.length === 1 ? forms[0]! : multipart('alternative', `=_a_${boundary}`, forms)
  const attached = files.map((one) => attachmentPart(one, 'attachment'))
  const whole =
    attached.length === 0 ? readable : multipart('mixed', `=_m_${boundary}`, [readable, ...attached])
  return {
    contentType: whole.type,
    transferEncoding: whole.encoding,
    bytes: joined(whole.content, allocate),
  }
}

/** @param parameters parameters of the media type other than the charset, as written in Content-Type */
function textPart(type: string, text: string, parameters = ''): Part {
  const { encoding, bytes } = encodeText(text, scratch.take)
  return { type: `${type}; charset=utf-8${parameters}`, encoding, more: '', content: [bytes] }
}

const formPart = ({ type, text }: Form): Part => textPart(type.name, text, typeField({ ...type, name: '' }))

function attachmentPart(attachment: Attachment, disposition: 'inline' | 'attachment'): Part {
  const { contentId, contentType, filename, content } = attachment
  const name = legalFileName(filename)
  const id = contentId === undefined ? '' : `Content-ID: <${legalContentId(contentId)}>\r\n`
  return {
    type: attachmentType(contentType, filename) + nameParameter(name),
    encoding: 'base64',
    more: `Content-Disposition: ${disposition};${fileNameParameters(name)}\r\n${id}`,
    content: [base64Lines(content)],
  }
}

function multipart(subtype: string, boundary: string, parts: readonly Part[]): Part {
  const content: (string | Buffer)[] = []
  let before = ''
  for (const part of parts) {
    const encoding = part.encoding === undefined ? '' : `Content-Transfer-Encoding: ${part.encoding}\r\n`
    content.push(`${before}--${boundary}\r\nContent-Type: ${part.type}\r\n${encoding}${part.more}\r\n`)
    content.push(...part.content)
    before = '\r\n'
  }
  content.push(`\r\n--${boundary}--`)
  // A multipart/related names the media type of its root (RFC 2387 §3.1).
  const root = subtype === 'related' ? '\r\n type="text/html";' : ''
  return {
    type: `multipart/${subtype};${root}\r\n boundary="${boundary}"`,
    encoding: undefined,
    more: '',
    content,
  }
}

const CR = 13
const LF = 10

/** Joins the pieces, adds one CRLF at the end, and frees the memory of the pieces. */
function joined(pieces: readonly (string | Buffer)[], allocate: Allocate): Buffer {
  let length = 2
  for (const piece of pieces) length += piece.length
  const bytes = allocate(length)
  let to = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') bytes.write(piece, to, 'latin1')
    else bytes.set(piece, to)
    to += piece.length
    if (typeof piece !== 'string') freeBuffers(piece)
  }
  while (to >= 2 && bytes[to - 1] === LF) to -= 2
  bytes[to++] = CR
  bytes[to++] = LF
  return bytes.subarray(0, to)
}
