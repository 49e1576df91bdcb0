// Reads HTML in one linear pass: elements with their attributes, style sheets, and the visible text with its places.

import { type Attribute, attributesOf, type Tag, TagCursor, TEXT_ONLY } from '../templates/html-tags.ts'

/** Element, whose attributes are read when they are first asked for. */
export class ShownElement {
  readonly tag: Tag
  readonly #html: string
  #attributes: ReadonlyMap<string, Attribute> | undefined

  constructor(html: string, tag: Tag) {
    this.#html = html
    this.tag = tag
  }

  get attributes(): ReadonlyMap<string, Attribute> {
    this.#attributes ??= attributesOf(this.#html, this.tag)
    return this.#attributes
  }
}

/** Link with its visible text. */
export interface ShownLink {
  readonly element: ShownElement
  /** Range of the link in the visible text. */
  readonly from: number
  to: number
}

/** Parts of a document that the check reads. */
export interface ShownHtml {
  readonly elements: readonly ShownElement[]
  readonly links: readonly ShownLink[]
  readonly sheets: readonly { readonly start: number; readonly end: number }[]
  readonly text: ShownText
  /** Returns the identifiers to which `#…` may refer. */
  anchors(): ReadonlySet<string>
}

/** Elements that begin a new line; the text before and after them is not one word. */
const INLINE = new Set(
  'a abbr b bdi bdo big cite code em font i img ins kbd mark q s small span strike strong sub sup u var wbr'.split(
    ' ',
  ),
)

/** Elements whose text is an example or no text of the message. */
const UNREAD = new Set([
  'code',
  'pre',
  'kbd',
  'samp',
  'noscript',
  'template',
  'svg',
  'title',
  'script',
  'style',
])

const NO_NAMES: ReadonlySet<string> = new Set()

/** A piece of the visible text: where the piece begins in the text, and in the source. */
type Piece = readonly [at: number, offset: number]

/** Visible text, whose characters have the same order as in the source. */
export class ShownText {
  readonly value: string
  readonly #html: string
  /** Pieces of the text, which are collected in a second scan at the first finding. */
  #pieces: Piece[] | undefined

  constructor(value: string, html: string) {
    this.value = value
    this.#html = html
  }

  /** Returns the offset in the source of a character of the text. */
  offsetOf(at: number): number {
    if (this.#pieces === undefined) {
      this.#pieces = []
      scan(this.#html, { names: NO_NAMES, pieces: this.#pieces })
    }
    let low = 0
    let high = this.#pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#pieces[middle]?.[0] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    const [start, offset] = this.#pieces[low] ?? [0, 0]
    return offset + at - start
  }
}

/**
 * Reads HTML. Takes linear time at any depth, because no tree is built.
 *
 * @param names names of the elements that the result contains; all elements by default
 */
export const shownHtml = (html: string, names?: ReadonlySet<string>): ShownHtml => scan(html, { names })

/** @param options pieces: list to which the pieces of the text are added */
function scan(
  html: string,
  { names, pieces }: { readonly names?: ReadonlySet<string> | undefined; readonly pieces?: Piece[] },
): ShownHtml {
  const elements: ShownElement[] = []
  const links: ShownLink[] = []
  const sheets: { start: number; end: number }[] = []
  const hasComments = html.includes('<!')
  /** Parts of the visible text; a text that grows by additions would be copied part by part at the first search. */
  const parts: string[] = []
  let length = 0
  /** True if the text ends with the line break of a tag. */
  let isAtStart = false
  const add = (part: string, offset: number, isBreak = false): void => {
    pieces?.push([length, offset])
    parts.push(part)
    length += part.length
    isAtStart = isBreak
  }
  let open: ShownLink | undefined
  let last = 0
  let unread: string | undefined
  const read = (end: number): void => {
    if (unread !== undefined || end <= last) return
    const text = html.slice(last, end)
    // A search for the next comment in the whole document would take quadratic time over all texts.
    if (!hasComments || !text.includes('<!')) {
      add(text, last)
      return
    }
    for (const [start, stop] of withoutComments(html, last, end)) {
      if (stop > start) add(html.slice(start, stop), start)
    }
  }
  /** Name and end of the last start tag of an element that contains only text. */
  let begun: { readonly name: string; readonly end: number } | undefined
  const tag = new TagCursor(html)
  while (tag.next()) {
    const { name, isEnd, start, end } = tag
    read(start)
    if (unread === undefined && !isAtStart && !INLINE.has(name)) add('\n', start, true)
    if (isEnd) {
      if (name === 'style') sheets.push({ start: last, end: start })
      if (name === unread) unread = undefined
      if (name === 'a' && open !== undefined) {
        open.to = length
        open = undefined
      }
    } else {
      const isNamed = names === undefined || names.has(name)
      const element = isNamed || name === 'a' ? new ShownElement(html, tag.copy()) : undefined
      if (isNamed && element !== undefined) elements.push(element)
      if (TEXT_ONLY.has(name)) begun = { name, end }
      if (UNREAD.has(name) && unread === undefined && !tag.isSelfClosing) unread = name
      if (name === 'a' && element?.attributes.has('href')) {
        if (open !== undefined) open.to = length
        open = { element, from: length, to: -1 }
        links.push(open)
      }
    }
    last = end
  }
  // The scan stops at an unclosed element that contains only text.
  if (begun?.end !== last) read(html.length)
  else if (begun.name === 'style') sheets.push({ start: last, end: html.length })
  if (open !== undefined) open.to = length
  let anchors: ReadonlySet<string> | undefined
  return {
    ...{ elements, links, sheets, text: new ShownText(parts.join(''), html) },
    anchors() {
      anchors ??= new Set((names === undefined ? elements : scan(html, {}).elements).flatMap(identifiersOf))
      return anchors
    },
  }
}

const identifiersOf = ({ attributes }: ShownElement): readonly string[] => {
  const id = attributes.get('id')?.value ?? attributes.get('name')?.value
  return id === undefined ? [] : [id]
}

/** Returns the ranges of a text between tags that are outside of comments and declarations. */
function withoutComments(html: string, from: number, to: number): readonly (readonly [number, number])[] {
  // A search in the whole document would take quadratic time over all texts.
  const text = html.slice(from, to)
  const ranges: (readonly [number, number])[] = []
  let at = 0
  for (let comment = text.indexOf('<!'); comment >= 0; comment = text.indexOf('<!', at)) {
    ranges.push([from + at, from + comment])
    const close = text.startsWith('<!--', comment) ? '-->' : '>'
    const end = text.indexOf(close, comment + 2)
    if (end < 0) return ranges
    at = end + close.length
  }
  return [...ranges, [from + at, to]]
}

/** Character references that texts and addresses of mail contain. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  zwnj: '',
  shy: '',
}

/** Returns a text with the common character references decoded (HTML §13.5). */
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,6}));?/g,
        (whole, decimal, hex, name) => {
          if (name !== undefined) return NAMED[name] ?? whole
          const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
          return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
            ? String.fromCodePoint(code)
            : whole
        },
      )
    : text
