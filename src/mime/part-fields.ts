// Reads the Content-… fields of a part: media type, parameters and file name (RFC 2045, RFC 2183, RFC 2231).

import { decodeBytes } from './charset.ts'
import { decodeWords } from './encoded-word.ts'
import { legalText } from './legal-text.ts'

/** Maximum number of characters read from a value; encoded file names in other scripts are long. */
const MAX_VALUE = 8_000

/** Returns the value of the first field with this name in a header section, unfolded, as a `latin1` string. */
function fieldValue(head: Buffer, name: 'type' | 'disposition' | 'id'): string | undefined {
  const text = head.toString('latin1')
  const start = STARTS[name].exec(text)
  if (start === null) return undefined
  const from = start.index + start[0].length
  const rest = text.slice(from, from + MAX_VALUE)
  const end = /\n(?![ \t])/.exec(rest)
  return rest.slice(0, end?.index).replace(/[\r\n]/g, '')
}

const STARTS = {
  type: /^content-type[ \t]*:/im,
  disposition: /^content-disposition[ \t]*:/im,
  id: /^content-id[ \t]*:/im,
}

/**
 * Returns the value of the first Content-Type of a header section, unfolded, as a `latin1` string. Some programs encode
 * the whole value in encoded-words, which is illegal; such a value is decoded.
 */
export function contentTypeValue(head: Buffer): string | undefined {
  const value = fieldValue(head, 'type')
  return value?.trimStart().startsWith('=?') ? Buffer.from(decodeWords(value)).toString('latin1') : value
}

const MEDIA_TYPE =
  /^[\s"'<]*(?:\([^()]{0,200}\)\s*)?([a-z0-9!#$&^_.+-]{1,127}) ?\/ ?([a-z0-9!#$&^_.+-]{1,127})(?![a-z0-9!#$&^_.+\-/=*])/i

/** Returns the media type in lower case; undefined if the value has no readable media type. */
export function mediaTypeOf(value: string): string | undefined {
  const found = MEDIA_TYPE.exec(value)
  return found === null ? undefined : `${found[1]}/${found[2]}`.toLowerCase()
}

const CHARSET = /\bcharset[ \t]{0,20}=[ \t]{0,20}["']?([^\s;"']{1,60})/i

/** Returns the charset label in a Content-Type, even if the semicolon before it is missing. */
export const charsetIn = (contentType: string): string | undefined => CHARSET.exec(contentType)?.[1]

/** Fields of a part that describe the part as a file. */
export interface PartFields {
  /** Content-Disposition in lower case, without parameters; empty if the field is missing. */
  readonly disposition: string
  /** Decoded file name on one line, from Content-Disposition or else from the `name` parameter of Content-Type. */
  readonly fileName: string | undefined
  /** Content-ID without angle brackets. */
  readonly contentId: string | undefined
}

/** Reads the fields of a part that describe the part as a file. Never throws, and runs in linear time. */
export function partFieldsOf(head: Buffer): PartFields {
  const disposition = fieldValue(head, 'disposition') ?? ''
  const named = [
    parametersOf(disposition).get('filename'),
    parametersOf(contentTypeValue(head) ?? '').get('name'),
  ]
  const id = fieldValue(head, 'id')?.trim()
  return {
    disposition: /^[\s"']*([a-z0-9-]+)/i.exec(disposition)?.[1]?.toLowerCase() ?? '',
    fileName: named.find((name) => name !== undefined && name !== ''),
    contentId: id === undefined ? undefined : decodeBytes(Buffer.from(id.replace(/^<|>$/g, ''), 'latin1')),
  }
}

/** One section of a parameter that is split as RFC 2231 §3 describes. */
interface Section {
  readonly number: number
  readonly isExtended: boolean
  readonly value: string
}

const MAX_PARAMETERS = 200
/** A parameter: its name, and a quoted string or the characters up to the semicolon. */
const PARAMETER = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"?[^;]*|([^;]*))/gs
const NAME = /^(.*?)(?:\*(\d{1,3}))?(\*)?$/

/**
 * Returns the parameters after the first semicolon, decoded, by their names in lower case. The first of two
 * parameters with one name counts, but an extended parameter (`filename*`) takes precedence over a plain parameter (RFC
 * 6266 §4.3).
 *
 * @param value field value as a `latin1` string
 */
function parametersOf(value: string): ReadonlyMap<string, string> {
  const plain = new Map<string, string>()
  const sections = new Map<string, Section[]>()
  let count = 0
  for (const [, written = '', quoted, token = ''] of value.matchAll(PARAMETER)) {
    if (++count > MAX_PARAMETERS) break
    const said =
      quoted === undefined ? token.replace(/\s\([^()]*\)\s*$/, '').trim() : quoted.replace(/\\(["\\])/g, '$1')
    const [, name = '', number, star] = NAME.exec(written.toLowerCase()) ?? []
    if (number === undefined && star === undefined) {
      if (!plain.has(name)) plain.set(name, legalText(decodeWords(decodeBytes(Buffer.from(said, 'latin1')))))
      continue
    }
    const section = { number: Number(number ?? 0), isExtended: star !== undefined, value: said }
    const before = sections.get(name)
    if (before === undefined) sections.set(name, [section])
    else if (!before.some((one) => one.number === section.number)) before.push(section)
  }
  for (const [name, found] of sections) plain.set(name, legalText(joinedSections(found)))
  return plain
}

/** Joins the sections of a parameter before decoding, since a character may be split between two sections. */
function joinedSections(sections: Section[]): string {
  sections.sort((a, b) => a.number - b.number)
  let label: string | undefined
  const pieces = sections.map(({ number, isExtended, value }) => {
    if (!isExtended) return Buffer.from(value, 'latin1')
    const parts = number === 0 ? /^([^']{0,60})'[^']{0,60}'(.*)$/s.exec(value) : null
    if (parts !== null) label = parts[1]
    return withoutPercents(parts === null ? value : parts[2]!)
  })
  const text = decodeBytes(Buffer.concat(pieces), label)
  return sections.every(({ isExtended }) => !isExtended) ? decodeWords(text) : text
}

const withoutPercents = (value: string): Buffer =>
  Buffer.from(
    value.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
