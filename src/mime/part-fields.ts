// The Content-… fields of a part: its media type, the parameters, its name as a file (RFC 2045, RFC 2183, RFC 2231).

import { decodeOctets } from './charset.ts'
import { decodeWords } from './encoded-word.ts'
import { legalText } from './legal-text.ts'

/** Characters of a value that are read: names of files in other scripts are long. */
const MAX_VALUE = 8_000

/** The first field of that name in a header section, unfolded, one character a byte. */
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
 * The value of the first Content-Type of a header section, unfolded, one character a byte; out of encoded-words, in which all of it
 * must not stand and sometimes does.
 */
export function contentTypeValue(head: Buffer): string | undefined {
  const value = fieldValue(head, 'type')
  return value?.trimStart().startsWith('=?') ? Buffer.from(decodeWords(value)).toString('latin1') : value
}

const MEDIA_TYPE =
  /^[\s"'<]*(?:\([^()]{0,200}\)\s*)?([a-z0-9!#$&^_.+-]{1,127}) ?\/ ?([a-z0-9!#$&^_.+-]{1,127})(?![a-z0-9!#$&^_.+\-/=*])/i

/** The media type in lower case; undefined where the value has none that can be read. */
export function mediaTypeOf(value: string): string | undefined {
  const found = MEDIA_TYPE.exec(value)
  return found === null ? undefined : `${found[1]}/${found[2]}`.toLowerCase()
}

const CHARSET = /\bcharset[ \t]{0,20}=[ \t]{0,20}["']?([^\s;"']{1,60})/i

/** The label of the charset that a Content-Type names, also where a semicolon is missing before it. */
export const charsetIn = (contentType: string): string | undefined => CHARSET.exec(contentType)?.[1]

/** A part, so far as it is a file. */
export interface PartFields {
  /** In lower case, without parameters; empty if there is none. */
  readonly disposition: string
  /** Decoded, on one line; of the disposition, else the `name` of the media type. */
  readonly fileName: string | undefined
  /** Without angle brackets. */
  readonly contentId: string | undefined
}

/** Never throws; linear. */
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
    contentId: id === undefined ? undefined : decodeOctets(Buffer.from(id.replace(/^<|>$/g, ''), 'latin1')),
  }
}

/** Sections of one parameter by RFC 2231 §3. */
interface Section {
  readonly number: number
  readonly isExtended: boolean
  readonly value: string
}

const MAX_PARAMETERS = 200
/** A name, and a quoted string or what stands up to the semicolon. */
const PARAMETER = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"?[^;]*|([^;]*))/gs
const NAME = /^(.*?)(?:\*(\d{1,3}))?(\*)?$/

/**
 * The parameters behind the first semicolon, by their names in lower case, decoded. Of a name that is there twice the first
 * counts, and an extended form (`filename*`) before a plain one (RFC 6266 §4.3).
 *
 * @param value one character a byte
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
      if (!plain.has(name)) plain.set(name, legalText(decodeWords(decodeOctets(Buffer.from(said, 'latin1')))))
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

/** The bytes of all sections are decoded at once: a character may be split between two. */
function joinedSections(sections: Section[]): string {
  sections.sort((a, b) => a.number - b.number)
  let label: string | undefined
  const pieces = sections.map(({ number, isExtended, value }) => {
    if (!isExtended) return Buffer.from(value, 'latin1')
    const parts = number === 0 ? /^([^']{0,60})'[^']{0,60}'(.*)$/s.exec(value) : null
    if (parts !== null) label = parts[1]
    return withoutPercents(parts === null ? value : parts[2]!)
  })
  const text = decodeOctets(Buffer.concat(pieces), label)
  return sections.every(({ isExtended }) => !isExtended) ? decodeWords(text) : text
}

const withoutPercents = (value: string): Buffer =>
  Buffer.from(
    value.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
