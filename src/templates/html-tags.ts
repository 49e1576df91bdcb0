// The tags of HTML in order, as recognised by a scan of the text that builds no document.

/** Elements that contain only text. */
export const TEXT_ONLY: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title'])

/** A start or end tag. */
export interface Tag {
  /** Name of the element in lower case. */
  readonly name: string
  readonly isEnd: boolean
  /** True if the tag ends in `/>`. */
  readonly isSelfClosing: boolean
  readonly start: number
  /** Index after the name, where an attribute can be inserted. */
  readonly nameEnd: number
  readonly end: number
}

const [EXCLAMATION, DOUBLE_QUOTE, QUOTE, SLASH, GREATER] = [0x21, 0x22, 0x27, 0x2f, 0x3e]

/**
 * Yields the tags of HTML, except tags in comments and in elements that contain only text; stops at an unclosed tag,
 * and at an unclosed element that contains only text. Runs in linear time.
 */
export function* tagsOf(html: string): Generator<Tag, void> {
  const cursor = new TagCursor(html)
  while (cursor.next()) yield cursor.copy()
}

/** The same scan as `tagsOf` without an object for each tag: the fields describe the present tag. */
export class TagCursor implements Tag {
  readonly #html: string
  name = ''
  isEnd = false
  start = 0
  nameEnd = 0
  end = 0
  /** True if the present tag begins an element that contains only text. */
  #isBeforeText = false

  constructor(html: string) {
    this.#html = html
  }

  get isSelfClosing(): boolean {
    return this.#html.charCodeAt(this.end - 2) === SLASH
  }

  copy(): Tag {
    const { name, isEnd, isSelfClosing, start, nameEnd, end } = this
    return { name, isEnd, isSelfClosing, start, nameEnd, end }
  }

  /** Goes to the next tag; false after the last one. */
  next(): boolean {
    const html = this.#html
    const from = this.#isBeforeText ? endOfText(html, this.name, this.end) : this.end
    if (from === undefined) return false
    let start = html.indexOf('<', from)
    while (start >= 0) {
      const sign = html.charCodeAt(start + 1)
      const isEnd = sign === SLASH
      const nameStart = isEnd ? start + 2 : start + 1
      if (isLetter(html.charCodeAt(nameStart))) return this.#take(start, nameStart, isEnd)
      const isComment = sign === EXCLAMATION && html.startsWith('--', start + 2)
      const after = isComment ? afterComment(html, start + 4) : start + 1
      if (after === undefined) return false
      start = html.indexOf('<', after)
    }
    return false
  }

  #take(start: number, nameStart: number, isEnd: boolean): boolean {
    const html = this.#html
    const nameEnd = endOfName(html, nameStart)
    const end = endOfTag(html, nameEnd)
    if (end === undefined) return false
    this.name = nameIn(html, nameStart, nameEnd)
    this.isEnd = isEnd
    this.start = start
    this.nameEnd = nameEnd
    this.end = end
    this.#isBeforeText = !isEnd && TEXT_ONLY.has(this.name)
    return true
  }
}

/** Frequent names of elements, by their packed letters: a text that is cut out anew costs more in comparisons. */
const NAMES: ReadonlyMap<number, string> = new Map(
  'a b i p u s br hr h1 h2 h3 td th tr li ol ul em div img pre body head html font link meta span form'
    .split(' ')
    .map((name) => [packed(name, 0, name.length), name]),
)

/** Returns a name of at most four characters as a number, with letters in lower case. */
function packed(text: string, start: number, end: number): number {
  let all = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    all = (all << 8) | (code >= 0x41 && code <= 0x5a ? code | 0x20 : code > 0x7f ? 0 : code)
  }
  return all
}

/** Returns the name of an element in lower case. */
const nameIn = (html: string, start: number, end: number): string =>
  (end - start <= 4 ? NAMES.get(packed(html, start, end)) : undefined) ?? inLowerCase(html, start, end)

/** Returns a part of a text in lower case; `toLowerCase` takes long for a text with characters beyond Latin-1. */
function inLowerCase(text: string, start: number, end: number): string {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f || (code >= 0x41 && code <= 0x5a)) return text.slice(start, end).toLowerCase()
  }
  return text.slice(start, end)
}

/** True for a letter of ASCII. */
const isLetter = (code: number): boolean => {
  const small = code | 0x20
  return small >= 0x61 && small <= 0x7a
}

/** Returns the index after the name of an element, which ends at white space, a slash or the end of the tag. */
function endOfName(html: string, from: number): number {
  for (let at = from + 1; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (code === GREATER || code === SLASH || code === 0x20 || (code >= 0x09 && code <= 0x0d)) return at
    if (code >= 0xa0 && /\s/.test(html[at] as string)) return at
  }
  return html.length
}

/** An attribute of a tag: its value without quotes, and the positions of the whole attribute and of the value. */
export interface Attribute {
  readonly value: string
  readonly start: number
  readonly end: number
  readonly valueStart: number
}

const ATTRIBUTE = /[\s/]*([^\s=>"'/]+|["'])(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/y

/** Returns the first attribute of this name; undefined if the tag has no such attribute. */
export const attributeOf = (html: string, tag: Tag, name: string): Attribute | undefined =>
  attributesOf(html, tag, name).get(name)

/**
 * Returns the attributes of a tag by their names in lower case; of several attributes with one name the first counts.
 *
 * @param until name of the attribute after which the rest is not read
 */
export function attributesOf(
  html: string,
  { nameEnd, end }: Tag,
  until?: string,
): ReadonlyMap<string, Attribute> {
  const attributes = new Map<string, Attribute>()
  ATTRIBUTE.lastIndex = nameEnd
  for (let found = ATTRIBUTE.exec(html); found !== null; found = ATTRIBUTE.exec(html)) {
    const { 0: whole, 1: written = '', 2: one, 3: other, 4: bare, index } = found
    const stop = index + whole.length
    if (stop > end) break
    const name = inLowerCase(written, 0, written.length)
    if (attributes.has(name)) continue
    const value = one ?? other ?? bare ?? ''
    const isQuoted = one !== undefined || other !== undefined
    const valueStart = stop - value.length - (isQuoted ? 1 : 0)
    attributes.set(name, { value, start: index + whole.indexOf(written), end: stop, valueStart })
    if (name === until) break
  }
  return attributes
}

/** Returns the index after the tag; a quoted value may contain `>`. */
function endOfTag(html: string, from: number): number | undefined {
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (code !== DOUBLE_QUOTE && code !== QUOTE) continue
    at = html.indexOf(code === QUOTE ? "'" : '"', at + 1)
    if (at < 0) return undefined
  }
  return undefined
}

/** Returns the index of the end tag of an element that contains only text. */
function endOfText(html: string, name: string, from: number): number | undefined {
  const end = new RegExp(`</${name}\\b`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index
}

function afterComment(html: string, from: number): number | undefined {
  const found = html.indexOf('-->', from)
  return found < 0 ? undefined : found + 3
}
