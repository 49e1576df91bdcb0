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
 * Returns the tags of HTML, except tags in comments and in elements that contain only text; ends at an unclosed tag, and
 * at an unclosed element that contains only text. Runs in linear time.
 */
export const tagsOf = (html: string): Iterable<Tag> => ({ [Symbol.iterator]: () => new TagScan(html) })

/** Scan of a document. A generator would take twice the time. */
class TagScan implements Iterator<Tag, undefined> {
  readonly #html: string
  /** Index after the last tag; undefined if the rest of the document has no tags. */
  #at: number | undefined = 0
  /** Name of the last tag if its element contains only text. */
  #textOnly: string | undefined

  constructor(html: string) {
    this.#html = html
  }

  next(): IteratorResult<Tag, undefined> {
    const html = this.#html
    if (this.#textOnly !== undefined && this.#at !== undefined) {
      this.#at = endOfText(html, this.#textOnly, this.#at)
      this.#textOnly = undefined
    }
    if (this.#at === undefined) return { done: true, value: undefined }
    let start = html.indexOf('<', this.#at)
    while (start >= 0) {
      const sign = html.charCodeAt(start + 1)
      const isEnd = sign === SLASH
      const nameStart = isEnd ? start + 2 : start + 1
      if (isLetter(html.charCodeAt(nameStart))) return this.#tag(start, nameStart, isEnd)
      const isComment = sign === EXCLAMATION && html.startsWith('--', start + 2)
      const from = isComment ? after(html, '-->', start + 4) : start + 1
      if (from === undefined) break
      start = html.indexOf('<', from)
    }
    this.#at = undefined
    return { done: true, value: undefined }
  }

  #tag(start: number, nameStart: number, isEnd: boolean): IteratorResult<Tag, undefined> {
    const html = this.#html
    const nameEnd = endOfName(html, nameStart)
    const end = endOfTag(html, nameEnd)
    this.#at = end
    if (end === undefined) return { done: true, value: undefined }
    const name = html.slice(nameStart, nameEnd).toLowerCase()
    if (!isEnd && TEXT_ONLY.has(name)) this.#textOnly = name
    const isSelfClosing = html.charCodeAt(end - 2) === SLASH
    return { done: false, value: { name, isEnd, isSelfClosing, start, nameEnd, end } }
  }
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
    const name = written.toLowerCase()
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

function after(html: string, text: string, from: number): number | undefined {
  const found = html.indexOf(text, from)
  return found < 0 ? undefined : found + text.length
}
