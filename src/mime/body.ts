// The body: its parts, which of them form a multipart, and the boundaries between them (RFC 2046).

import mime from 'mime'
import { Scratch } from '../lib/scratch.ts'
import { freeBuffers } from '../threads/free-buffers.ts'
import type { Allocate } from './allocate.ts'
import { base64Lines } from './base64-lines.ts'
import type { Attachment, Content } from './content.ts'
import { fileNameParameters, legalContentId, legalFileName } from './file-name.ts'
import { encodeText } from './text-encoding.ts'

/** A part with its own Content-… fields; `content` in pieces, ASCII all of it. */
interface Part {
  readonly type: string
  readonly encoding: string | undefined
  /** Further fields, each with its CRLF. */
  readonly more: string
  readonly content: readonly (string | Buffer)[]
}

/** A body and the fields that the message's own header needs for it. */
export interface ComposedBody {
  readonly contentType: string
  /** Undefined for a multipart, where it would be 7bit. */
  readonly transferEncoding: string | undefined
  /** Ends in one CRLF. */
  readonly octets: Buffer
}

/** For the encoded texts, until they are joined. */
const scratch = new Scratch()

/**
 * Text alone, HTML alone, or `alternative` of both; HTML with the inline parts it shows in `related`; files
 * around all that in `mixed` (RFC 2046 §5.1, RFC 2387).
 */
export function composeBody(content: Content, allocate: Allocate): ComposedBody {
  scratch.clear()
  const inline: Part[] = []
  const files: Part[] = []
  for (const attachment of content.attachments ?? []) {
    // Without HTML nothing can show it.
    const isInline = attachment.contentId !== undefined && content.html !== undefined
    ;(isInline ? inline : files).push(attachmentPart(attachment, isInline))
  }

  // No 7bit part has `--=_`, nor can any encoded one: a boundary never occurs in what it separates.
  const boundary = content.messageId.replace(/[^A-Za-z0-9]+/g, '').slice(0, 40)
  const readable: Part[] = []
  if (content.text !== undefined || content.html === undefined)
    readable.push(textPart('plain', content.text ?? ''))
  if (content.html !== undefined) {
    const html = textPart('html', content.html)
    readable.push(inline.length === 0 ? html : multipart('related', `=_r_${boundary}`, [html, ...inline]))
  }
  const shown = readable.length === 1 ? readable[0]! : multipart('alternative', `=_a_${boundary}`, readable)
  const whole = files.length === 0 ? shown : multipart('mixed', `=_m_${boundary}`, [shown, ...files])
  return {
    contentType: whole.type,
    transferEncoding: whole.encoding,
    octets: joined(whole.content, allocate),
  }
}

function textPart(subtype: 'plain' | 'html', text: string): Part {
  const { encoding, octets } = encodeText(text, scratch.take)
  return { type: `text/${subtype}; charset=utf-8`, encoding, more: '', content: [octets] }
}

function attachmentPart(attachment: Attachment, isInline: boolean): Part {
  const name = fileNameParameters(legalFileName(attachment.filename))
  const id =
    attachment.contentId === undefined ? '' : `Content-ID: <${legalContentId(attachment.contentId)}>\r\n`
  return {
    type: attachmentType(attachment.contentType, attachment.filename),
    encoding: 'base64',
    more: `Content-Disposition: ${isInline ? 'inline' : 'attachment'};${name}\r\n${id}`,
    content: [base64Lines(attachment.content)],
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
  // RFC 2387 §3.1: related names the type of its root.
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

/** The pieces as one, with one CRLF at its end; their memory is freed. */
function joined(pieces: readonly (string | Buffer)[], allocate: Allocate): Buffer {
  let length = 2
  for (const piece of pieces) length += piece.length
  const octets = allocate(length)
  let to = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') octets.write(piece, to, 'latin1')
    else octets.set(piece, to)
    to += piece.length
    if (typeof piece !== 'string') freeBuffers(piece)
  }
  while (to >= 2 && octets[to - 1] === LF) to -= 2
  octets[to++] = CR
  octets[to++] = LF
  return octets.subarray(0, to)
}

/** RFC 2045 §5.1 token; RFC 6838 §4.2 sets the length. */
const TOKEN = "[!#$%&'*+.^_`|{}~0-9A-Za-z-]{1,127}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?=[ \\t]*(?:;|$))`)
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=("[ !#-\\[\\]-~]{0,200}"|${TOKEN})`, 'y')
const UNKNOWN = 'application/octet-stream'

/** Parameters that say what other fields say, or would change how the message is taken apart. */
const UNWANTED = /^(?:name|filename|boundary)(?:\*.*)?$/i

/**
 * The value of Content-Type, each parameter on a folded line. Not a media type, or one whose parts must not be
 * base64 (`message/*`, `multipart/*`: RFC 2045 §6.4): application/octet-stream. Parameters after the first
 * malformed one are dropped. Of a name only the extension is looked at.
 */
export function attachmentType(given: string | undefined, filename: string): string {
  const text = given?.trim() ?? typeOfName(filename) ?? ''
  const type = TYPE.exec(text)?.[0].toLowerCase()
  if (type === undefined || /^(?:message|multipart)\//.test(type)) return UNKNOWN

  let value = type
  PARAMETER.lastIndex = type.length
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const [, name, content] = found
    if (!UNWANTED.test(name!)) value += `;\r\n ${name!.toLowerCase()}=${content}`
  }
  return value
}

/** A name without a dot has no extension, though it may be spelled like one. */
const typeOfName = (filename: string): string | null =>
  filename.includes('.') ? mime.getType(filename) : null
