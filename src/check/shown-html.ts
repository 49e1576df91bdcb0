// Reads HTML in one linear pass: elements with their attributes, style sheets, and the visible text with its places.

import { type Attribute, attributesOf, type Tag, TEXT_ONLY, tagsOf } from '../templates/html-tags.ts'

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
      scan(this.#html, this.#pieces)
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

/** Reads HTML. Takes linear time at any depth, because no tree is built. */
export const shownHtml = (html: string): ShownHtml => scan(html)

/** @param pieces list to which the pieces of the text are added */
function scan(html: string, pieces?: Piece[]): ShownHtml {
  const elements: ShownElement[] = []
  const links: ShownLink[] = []
  const sheets: { start: number; end: number }[] = []
  const hasComments = html.includes('<!')
  let value = ''
  /** True if the text ends with a line break; a look at the growing text would copy the text each time. */
  let isAtStart = false
  let open: ShownLink | undefined
  let last = 0
  let unread: string | undefined
  const read = (end: number): void => {
    if (unread !== undefined || end <= last) return
    const text = html.slice(last, end)
    // A search for the next comment in the whole document would take quadratic time over all texts.
    if (!hasComments || !text.includes('<!')) {
      pieces?.push([value.length, last])
      value += text
      isAtStart = false
      return
    }
    for (const [start, stop] of withoutComments(html, last, end)) {
      if (stop <= start) continue
      pieces?.push([value.length, start])
      value += html.slice(start, stop)
      isAtStart = false
    }
  }
  for (const tag of tagsOf(html)) {
    const { name, isEnd, start, end } = tag
    read(start)
    if (unread === undefined && !INLINE.has(name) && !isAtStart) {
      pieces?.push([value.length, start])
      value += '\n'
      isAtStart = true
    }
    if (isEnd) {
      if (name === 'style') sheets.push({ start: last, end: start })
      if (name === unread) unread = undefined
      if (name === 'a' && open !== undefined) {
        open.to = value.length
        open = undefined
      }
    } else {
      const element = new ShownElement(html, tag)
      elements.push(element)
      if (UNREAD.has(name) && unread === undefined && !tag.isSelfClosing) unread = name
      if (name === 'a' && element.attributes.has('href')) {
        if (open !== undefined) open.to = value.length
        open = { element, from: value.length, to: -1 }
        links.push(open)
      }
    }
    last = end
  }
  // The scan stops at an unclosed element that contains only text.
  const lastTag = elements.at(-1)?.tag
  if (lastTag === undefined || lastTag.end !== last || !TEXT_ONLY.has(lastTag.name)) read(html.length)
  else if (lastTag.name === 'style') sheets.push({ start: last, end: html.length })
  if (open !== undefined) open.to = value.length
  let anchors: ReadonlySet<string> | undefined
  return {
    ...{ elements, links, sheets, text: new ShownText(value, html) },
    anchors() {
      anchors ??= new Set(elements.flatMap(identifiersOf))
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
