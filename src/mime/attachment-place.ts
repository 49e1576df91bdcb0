// Finds the media type of each attachment and its place in the message: alternative, inline part of the HTML, or file.

import mime from 'mime'
import { decodeBytes } from './charset.ts'
import type { Attachment, Content } from './content.ts'

/** An alternative of the content in addition to text and HTML (RFC 2046 §5.1.4). */
export interface Form {
  readonly type: MediaType
  readonly text: string
}

export interface AttachmentPlaces {
  /** The AMP part, placed between text and HTML: mail clients without AMP show the last alternative that they know. */
  readonly amp: Form | undefined
  /** The meeting request, placed after the HTML (RFC 6047 §2.4). */
  readonly calendar: Form | undefined
  /** Files that the HTML shows. */
  readonly inline: readonly Attachment[]
  readonly files: readonly Attachment[]
}

/**
 * Finds the place of each attachment. A meeting request is also sent as a file, since some mail clients do not show
 * calendar parts.
 */
export function attachmentPlaces({ attachments = [], html }: Content): AttachmentPlaces {
  let amp: Form | undefined
  let calendar: Form | undefined
  const inline: Attachment[] = []
  const files: Attachment[] = []
  const isNamed = attachments.some(({ contentId }) => contentId !== undefined)
  // No part can be inline without HTML.
  const shown = html === undefined || !isNamed ? undefined : shownContentIds(html)
  for (const attachment of attachments) {
    const { contentId, contentType, filename } = attachment
    const id = contentId === undefined || shown === undefined ? undefined : shownSpelling(contentId, shown)
    if (id !== undefined) {
      inline.push({ ...attachment, contentId: id })
      continue
    }
    const type = mediaType(contentType, filename)
    if (amp === undefined && type.name === 'text/x-amp-html') {
      amp = formOf(attachment, type)
    } else if (calendar === undefined && isMeetingRequest(type)) {
      calendar = formOf(attachment, type)
      // Some mail clients would take a file of type text/calendar for a second invitation.
      files.push({ ...attachment, contentType: 'application/ics' })
    } else files.push(attachment)
  }
  return { amp, calendar, inline, files }
}

const isMeetingRequest = (type: MediaType): boolean =>
  type.name === 'text/calendar' && parameterOf(type, 'method') !== undefined

const formOf = ({ content }: Attachment, type: MediaType): Form => ({
  type: { ...type, parameters: type.parameters.filter(([name]) => name !== 'charset') },
  text: decodeBytes(content, parameterOf(type, 'charset')).replace(/^\ufeff/, ''),
})

/**
 * Link to a part (`cid:…`), with the colon as a character, an entity or percent-encoded; ends before a quote, an angle
 * bracket or white space.
 */
const LINK = /\bcid(?::|&colon;|&#0{0,9}58;|&#x0{0,9}3a;|%3a)([^"'<>\s]{1,1000})/gi

/** Characters that end a link in CSS or in a list of links. A Content-ID may contain these characters as well. */
const ENDS = /[),]|&quot;|&#0{0,9}3[49];|&apos;/

/**
 * Returns the Content-IDs that the HTML links to, as spelled in the HTML, keyed by the ID in lower case. Decodes
 * entities, and includes each ID both with and without percent-decoding. Runs in linear time.
 */
function shownContentIds(html: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [, link = ''] of html.matchAll(LINK)) {
    const end = link.search(ENDS)
    for (const written of end < 0 ? [link] : [link, link.slice(0, end)]) {
      const plain = withoutEntities(written)
      for (const id of [percentDecoded(plain), plain]) {
        if (!found.has(id.toLowerCase())) found.set(id.toLowerCase(), id)
      }
    }
  }
  return found
}

/**
 * Returns the Content-ID as the HTML spells it, since mail clients compare IDs byte by byte; undefined for an ID that
 * the HTML does not link to.
 */
function shownSpelling(id: string, shown: ReadonlyMap<string, string>): string | undefined {
  const bare = id.replace(/^(["'])(.*)\1$/, '$2')
  for (const spelling of shown.values()) if (spelling === bare) return bare
  return shown.get(bare.toLowerCase()) ?? (shown.has(percentDecoded(bare).toLowerCase()) ? bare : undefined)
}

const ENTITY = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|commat|period|lowbar|hyphen));/gi
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ commat: '@', period: '.', lowbar: '_', hyphen: '-' },
}

const withoutEntities = (text: string): string =>
  text.replace(ENTITY, (whole, hexadecimal, decimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A media type with its parameters; the value of each parameter is a token or a quoted string. */
interface MediaType {
  /** Name in lower case. */
  readonly name: string
  /** Parameters with their names in lower case. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** A token (RFC 2045 §5.1), with the length limit of RFC 6838 §4.2. */
const TOKEN = "[!#$%&'*+.^_`|{}~0-9A-Za-z-]{1,127}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?=[ \\t]*(?:;|$))`)
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=("[ !#-\\[\\]-~]{0,200}"|${TOKEN})`, 'y')
const UNKNOWN: MediaType = { name: 'application/octet-stream', parameters: [] }

/** Media type parameters that repeat other fields, or would change how the message is split into parts. */
const UNWANTED = /^(?:name|filename|boundary)(?:\*.*)?$/i

/**
 * Reads a media type. Returns application/octet-stream for a value that is no media type, and for types that must not
 * be encoded in base64 (`message/*`, `multipart/*`: RFC 2045 §6.4). Drops all parameters from the first malformed
 * parameter on. Derives a missing media type from the extension of the file name.
 */
function mediaType(given: string | undefined, filename: string): MediaType {
  const text = given?.trim() ?? typeOfName(filename) ?? ''
  const name = TYPE.exec(text)?.[0].toLowerCase()
  if (name === undefined || /^(?:message|multipart)\//.test(name)) return UNKNOWN

  const parameters: (readonly [string, string])[] = []
  PARAMETER.lastIndex = name.length
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const [, parameter = '', value = ''] = found
    if (!UNWANTED.test(parameter)) parameters.push([parameter.toLowerCase(), value])
  }
  return { name, parameters }
}

/** Returns the value of a parameter without its quotes; undefined when the value is missing or empty. */
function parameterOf({ parameters }: MediaType, name: string): string | undefined {
  const value = parameters.find((parameter) => parameter[0] === name)?.[1].replace(/^"(.*)"$/, '$1')
  return value === '' ? undefined : value
}

/** Returns the value of Content-Type, each parameter on a folded line. */
export const typeField = ({ name, parameters }: MediaType): string =>
  parameters.reduce((value, [parameter, content]) => `${value};\r\n ${parameter}=${content}`, name)

/** Returns the value of Content-Type for an attachment. */
export const attachmentType = (given: string | undefined, filename: string): string =>
  typeField(mediaType(given, filename))

/** Returns the media type of a file name's extension; null for a name without a dot, even if the name is `pdf`. */
const typeOfName = (filename: string): string | null =>
  filename.includes('.') ? mime.getType(filename) : null
