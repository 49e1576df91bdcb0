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

const OPENING = /<(?:!--|(\/?)([a-z][^\s/>]*))/gi
const QUOTE_OR_END = /["'>]/g

/**
 * Yields the tags of HTML, except tags in comments and in elements that contain only text; stops at an unclosed tag,
 * and at an unclosed element that contains only text. Runs in linear time.
 */
export function* tagsOf(html: string): Generator<Tag, void> {
  const opening = new RegExp(OPENING)
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    const { 0: whole, 1: slash, 2: written = '', index } = found
    const nameEnd = index + whole.length
    const end = whole === '<!--' ? after(html, '-->', nameEnd) : endOfTag(html, nameEnd)
    if (end === undefined) return
    opening.lastIndex = end
    if (whole === '<!--') continue
    const name = written.toLowerCase()
    const isEnd = slash === '/'
    yield { name, isEnd, isSelfClosing: html[end - 2] === '/', start: index, nameEnd, end }
    if (isEnd || !TEXT_ONLY.has(name)) continue
    const close = endOfText(html, name, end)
    if (close === undefined) return
    opening.lastIndex = close
  }
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
  let at = from
  for (;;) {
    QUOTE_OR_END.lastIndex = at
    const sign = QUOTE_OR_END.exec(html)
    if (sign === null) return undefined
    if (sign[0] === '>') return sign.index + 1
    const close = html.indexOf(sign[0], sign.index + 1)
    if (close < 0) return undefined
    at = close + 1
  }
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
