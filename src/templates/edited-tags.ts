// Restores template tags changed by HTML editors: encoded braces, typographic quotes, special spaces and elements
// within the tag.

import { positionOf } from '../template-language/syntax-problem.ts'
import type { Position } from '../template-language/tree.ts'

/** The text of a template with restored tags. */
export interface EditedText {
  readonly text: string
  /** Returns the corresponding position in the given text. */
  originalOf(position: Position): Position
}

const BRACE = '(?:\\{|%7B|&(?:#0{0,5}123|#x0{0,5}7b|lcub|lbrace);)'
const CLOSING = '(?:\\}|%7D|&(?:#0{0,5}125|#x0{0,5}7d|rcub|rbrace);)'
const ELEMENTS = '((?:<[^<>{}]{0,300}>){0,10})'

/** Pattern of two or three opening braces in any spelling, possibly with HTML elements between the braces. */
const OPENING = new RegExp(`${BRACE}${ELEMENTS}${BRACE}(?:${ELEMENTS}${BRACE})?`, 'gi')
const END = new RegExp(`${CLOSING}${ELEMENTS}${CLOSING}(?:${ELEMENTS}${CLOSING})?`, 'gi')

/** Pattern for a fast first check; most templates do not match. */
const EDITED =
  /%7B%7B|&(?:#0{0,5}123|#x0{0,5}7b|lcub|lbrace);|\{<|\{\{[^{}]*?[&<\u00a0\u2000-\u200f\u2018-\u201f\u2028-\u202f\u2032\u2033\u00ab\u00bb\ufeff]/i

/** True if an editor may have changed template tags of a text. Fast, in linear time. */
export const isEdited = (text: string): boolean => EDITED.test(text)

const MAX_TAG = 2_000

/**
 * Restores tags changed by editors, if the meaning is certain: `%7B%7Burl%7D%7D` and `&#123;&#123;url&#125;&#125;`
 * become `{{url}}`; `&nbsp;`, entities and typographic quotes within a tag become plain characters; elements within a
 * tag are moved before or after the tag. Runs in linear time.
 */
export function editedText(given: string): EditedText {
  if (!isEdited(given)) return { text: given, originalOf: (position) => position }
  const rewriting = new Rewriting(given)
  OPENING.lastIndex = 0
  for (let found = OPENING.exec(given); found !== null; found = OPENING.exec(given)) {
    const end = rewriting.tag(found)
    OPENING.lastIndex = end ?? found.index + 1
  }
  return rewriting.end()
}

/** A piece of the new text, and its origin. */
interface Piece {
  readonly start: number
  readonly from: number
  /** True if the piece was copied; otherwise the whole piece corresponds to the position `from`. */
  readonly isCopy: boolean
}

class Rewriting {
  readonly #given: string
  readonly #pieces: Piece[] = []
  /** The end of a tag found by the last search; null if no further end of a tag follows. */
  #found: { readonly [part: number]: string; readonly index: number } | null = { index: -1 }
  #text = ''
  #at = 0

  constructor(given: string) {
    this.#given = given
  }

  /** Rewrites the tag with these braces and returns its end; undefined if no tag was rewritten. */
  tag({ 0: opening, 1: between = '', 2: inner = '', index }: RegExpExecArray): number | undefined {
    const given = this.#given
    if (given[index - 1] === '\\') return undefined
    const isPlain = /^\{\{\{?$/.test(opening)
    const from = index + opening.length
    // Comments and raw blocks contain no values, so nothing is restored.
    if (isPlain && /^[!{]/.test(given.slice(from, from + 1))) return undefined
    const close = this.#close(from, isPlain)
    if (close === undefined) return undefined
    const written = given.slice(from, close.index)
    const tag = isPlain ? cleaned(written) : decoded(written, opening)
    const count = opening.match(new RegExp(BRACE, 'gi'))?.length === 3 && close.count === 3 ? 3 : 2
    if (tag === undefined || (isPlain && tag.text === written && tag.before + tag.after === ''))
      return undefined
    const around = elementsOf(between + inner + close.elements)
    const [before, after] = [around.before + tag.before, tag.after + around.after]
    // Encoded or separated braces may be other text, so only content that is certainly a tag is rewritten.
    if (!isPlain && !(between === '' && inner === '' ? LIKELY : SURE).test(tag.text.trim())) return undefined
    const end = close.index + close.length
    this.#replace(index, end, `${before}${'{'.repeat(count)}${tag.text}${'}'.repeat(count)}${after}`)
    return end
  }

  #close(from: number, isPlain: boolean) {
    const given = this.#given
    const least = isPlain ? endOfPlain(given, from) : from
    // The last end found also ends this tag, unless that end comes before the end of the quoted texts.
    if (this.#found !== null && this.#found.index < least) {
      END.lastIndex = least
      this.#found = END.exec(given)
    }
    const found = this.#found
    if (found === null || found.index - from > MAX_TAG) return undefined
    const { 0: whole = '', 1: one = '', 2: other = '' } = found
    const count = whole.match(new RegExp(CLOSING, 'gi'))?.length ?? 2
    return { index: found.index, length: whole.length, elements: one + other, count }
  }

  #replace(from: number, end: number, text: string): void {
    this.#copy(from)
    this.#pieces.push({ start: this.#text.length, from, isCopy: false })
    this.#text += text
    this.#at = end
  }

  #copy(end: number): void {
    this.#pieces.push({ start: this.#text.length, from: this.#at, isCopy: true })
    this.#text += this.#given.slice(this.#at, end)
  }

  end(): EditedText {
    this.#copy(this.#given.length)
    const [text, pieces, given] = [this.#text, this.#pieces, this.#given]
    const originalOf = (position: Position): Position => {
      const index = indexOf(text, position)
      const piece = pieces.findLast(({ start }) => start <= index)
      if (piece === undefined) return position
      return positionOf(given, piece.isCopy ? piece.from + index - piece.start : piece.from)
    }
    return { text, originalOf }
  }
}

/** Patterns for the content of a tag with encoded braces, and of a tag with elements between its braces. */
const LIKELY = /^[~#^/&>]?\s*[\p{L}\d_@.[(][^{}]*$/u
const SURE = /^[#^/&]?\s*[\p{L}\d_@./ -]{1,100}$/u

/** Returns the index from which to search for the end of a plain tag: after its quoted texts. */
function endOfPlain(given: string, from: number): number {
  QUOTED.lastIndex = from
  for (let at = from; at - from < MAX_TAG; ) {
    const [whole = ''] = QUOTED.exec(given) ?? []
    if (whole === '' || whole === '}') return at
    at = QUOTED.lastIndex
  }
  return from
}

/** A piece of a plain tag: a quoted text, the end of the tag, or other text. */
const QUOTED = /"[^"{}]{0,500}"|'[^'{}]{0,500}'|\}|[^"'}]{1,500}|["']/y

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i

/**
 * Returns the HTML elements found within a template tag: start tags are moved before the template tag, and end tags
 * after the template tag.
 */
function elementsOf(text: string): { before: string; after: string } {
  let [before, after] = ['', '']
  for (const [element, slash, name = ''] of text.matchAll(/<(\/?)([a-z][\w:-]*)(?![\w:-])[^<>]*>/gi)) {
    if (slash === '/') after += element
    else if (!VOID.test(name)) before += element
  }
  return { before, after }
}

interface Cleaned {
  readonly text: string
  readonly before: string
  readonly after: string
}

/** A piece of a tag: a quoted text, an element, an entity, or one character. */
const PART =
  /"[^"]*"|'[^']*'|<!--[\s\S]*?-->|<\/?[a-z][^<>]*>|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,14});|[\s\S]/gi

/** Returns the restored content of a tag; undefined if the text is not the content of a tag. */
function cleaned(written: string): Cleaned | undefined {
  let text = ''
  let elements = ''
  /** Closing quote of the current quoted text, if an editor has changed the quotes. */
  let open: '"' | "'" | undefined
  for (const [part] of written.matchAll(PART)) {
    if (/^<(?:[/a-z]|!--)/i.test(part)) {
      elements += part
      if (/^<br\b/i.test(part)) text += ' '
      continue
    }
    const isQuoted = part.length > 1 && /^["']/.test(part)
    const sign = isQuoted ? part : signOf(part)
    const quote = sign !== part && (sign === '"' || sign === "'") ? sign : undefined
    if (quote === undefined)
      text += open === undefined || !isQuoted ? sign : sign.replaceAll(open, `\\${open}`)
    else if (open === undefined || open === quote) {
      text += quote
      open = open === undefined ? quote : undefined
    } else text += quote
  }
  return open === undefined ? { text, ...elementsOf(elements) } : undefined
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ quot: '"', ldquo: '"', rdquo: '"', bdquo: '"', laquo: '"', raquo: '"', Prime: '"' },
  ...{ apos: "'", lsquo: "'", rsquo: "'", sbquo: "'", prime: "'" },
  ...{ amp: '&', lt: '<', gt: '>', nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ' },
  ...{ zwnj: '', zwj: '', shy: '' },
}

/** Returns the plain character for an entity or a typographic character. */
function signOf(part: string): string {
  const entity = /^&(?:#x([\da-f]+)|#(\d+)|(\w+));$/i.exec(part)
  if (entity === null) return plainSign(part)
  const [, hexadecimal, decimal, name = ''] = entity
  if (name !== '') return NAMED[name] ?? NAMED[name.toLowerCase()] ?? part
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
  return code > 0x10ffff ? part : plainSign(String.fromCodePoint(code))
}

function plainSign(sign: string): string {
  if (/^[\u201c-\u201f\u2033\u00ab\u00bb]$/.test(sign)) return '"'
  if (/^[\u2018-\u201b\u2032]$/.test(sign)) return "'"
  if (/^[\u00a0\u2000-\u200a\u202f\u205f\u3000]$/.test(sign)) return ' '
  return /^[\u200b-\u200f\u2060\ufeff\u00ad]$/.test(sign) ? '' : sign
}

/** Returns the content of a tag, URL-decoded if its braces were URL-encoded. */
function decoded(written: string, opening: string): Cleaned | undefined {
  if (!/%7b/i.test(opening)) return cleaned(written)
  try {
    return cleaned(decodeURIComponent(written))
  } catch {
    return undefined
  }
}

/** Returns the index of a line and column. */
function indexOf(text: string, { line, column }: Position): number {
  const breaks = /\r\n?|\n/g
  for (let left = line - 1; left > 0 && breaks.exec(text) !== null; ) left--
  return (line > 1 ? breaks.lastIndex : 0) + column - 1
}
