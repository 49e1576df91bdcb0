// Reads the parts of a returned mail that reports need, from any bytes.

import { decodeBytes } from '../mime/charset.ts'
import { decodeWords } from '../mime/encoded-word.ts'
import { legalText } from '../mime/legal-text.ts'
import { type LeafPart, leafText, splitParts } from '../mime/parts.ts'

/**
 * Maximum number of bytes read from each MIME part; `MAX_TEXT_PARTS` limits the number of text parts. Real reports stay
 * far below these limits.
 */
const MAX_BYTES = 64 * 1024
const MAX_TEXT_PARTS = 4
/**
 * Minimum length, in characters, of a plain text that is read without the HTML; a shorter text may lack the
 * explanation.
 */
const FEWEST_CHARACTERS = 20

const MESSAGES = new Set(['message/rfc822', 'message/global'])
const HEADERS = new Set([
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
  'text/global-headers',
])

/** The parts of a returned mail that reports need. */
export interface ReturnedMail {
  readonly fields: Fields
  /** Text for human readers before the returned message; lines end in LF. */
  readonly text: string
  /** The header section of the returned message; empty if no message was returned. */
  readonly original: string
  /** Returns the text of the first part of one of these media types. */
  part(...types: readonly string[]): string | undefined
}

/** Reads a whole mail. Never throws; bounded in time and memory by the limits of `splitParts`. */
export function readReturnedMail(bytes: Buffer): ReturnedMail {
  const { head, leaves } = splitParts(bytes)
  const returned = leaves.find(({ type }) => MESSAGES.has(type) || HEADERS.has(type))
  const textOf = (leaf: LeafPart): string => leafText(leaf, MAX_BYTES).replaceAll('\r\n', '\n')
  return {
    fields: new Fields(decodeBytes(head)),
    text: writtenText(leaves, textOf) || bodyOf(bytes, head),
    original: returned === undefined ? '' : headerSection(textOf(returned)),
    part(...types) {
      const leaf = leaves.find(({ type }) => types.includes(type))
      return leaf === undefined ? undefined : textOf(leaf)
    },
  }
}

/** Returns the whole body as text, for a multipart mail whose boundary does not occur in the body. */
const bodyOf = (bytes: Buffer, head: Buffer): string =>
  decodeBytes(bytes.subarray(head.length, head.length + MAX_BYTES))
    .replaceAll('\r\n', '\n')
    .trim()

function writtenText(leaves: readonly LeafPart[], textOf: (leaf: LeafPart) => string): string {
  const end = leaves.findIndex(({ type }) => type.startsWith('message/') || HEADERS.has(type))
  const written = leaves.slice(0, end < 0 ? leaves.length : end)
  const all = (wanted: string): string =>
    written
      .filter(({ type }) => type === wanted)
      .slice(0, MAX_TEXT_PARTS)
      .map(textOf)
      .join('\n')
  const text = all('text/plain')
  return text.trim().length < FEWEST_CHARACTERS ? `${text}\n${plainText(all('text/html'))}`.trim() : text
}

/** Returns the header section, up to the empty line, at most 64 KiB. */
export function headerSection(message: string): string {
  const text = message.replace(/^[ \t\r\n]{1,1000}/, '').slice(0, MAX_BYTES)
  const end = text.search(/\n[ \t\r]*\n/)
  return end < 0 ? text : text.slice(0, end + 1)
}

const HIDDEN = ['style', 'script', 'title']

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  nbsp: ' ',
  apos: "'",
}

/** Converts HTML to text roughly, with a new line for each block and without tags. The time is linear for any HTML. */
function plainText(html: string): string {
  return HIDDEN.reduce(withoutElement, html)
    .replace(/<!--[^<>]{0,1000}-->/g, '')
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/<(?:br|\/p|\/div|\/tr|\/h\d|\/li|\/table|hr)\b[^<>]{0,1000}>/gi, '\n')
    .replace(/<[a-z/!][^<>]{0,1000}>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hexadecimal, name) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    })
    .replace(/^ +/gm, '')
}

/** Removes the elements with this name, including their content; an unclosed element extends to the end. */
function withoutElement(html: string, name: string): string {
  const lower = html.toLowerCase()
  // A character with a longer lower-case form would shift the positions; HTML with such a character loses only its
  // tags.
  if (lower.length !== html.length) return html
  let kept = ''
  let from = 0
  for (;;) {
    const start = lower.indexOf(`<${name}`, from)
    if (start < 0) return kept + html.slice(from)
    kept += html.slice(from, start)
    const end = lower.indexOf(`</${name}`, start)
    if (end < 0) return kept
    from = end
  }
}

const MAX_FIELDS = 500
const MAX_VALUE = 2_000

/** Header fields by their names in lower case. Lines that are no field are skipped. */
export class Fields {
  readonly #values = new Map<string, string[]>()

  /** Reads at most 500 fields, and the first 2,000 characters of each field. Lines may end in CRLF or LF. */
  constructor(text: string) {
    let count = 0
    const lines = /^([!-9;-~]{1,100})[ \t]*:([^\n]*(?:\n[ \t]+[^\s][^\n]*)*)/gm
    for (const [, name = '', value = ''] of text.matchAll(lines)) {
      if (++count > MAX_FIELDS) break
      const key = name.toLowerCase()
      const read = legalText(value.slice(0, MAX_VALUE).replace(/\r?\n[ \t]+/g, ' ')).trim()
      const same = this.#values.get(key)
      if (same === undefined) this.#values.set(key, [read])
      else same.push(read)
    }
  }

  /** Returns the first value of a field; undefined if the field is missing. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** Returns the first value of a field with its encoded-words decoded; empty if the field is missing. */
  decoded(name: string): string {
    return decodeWords(this.get(name) ?? '')
  }
}
