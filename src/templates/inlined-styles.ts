// Inserts the styles that a CSS inliner computes into HTML, and changes nothing else.

import { attributeOf, type Tag, tagsOf } from './html-tags.ts'

/** Name of a temporary attribute that contains the number of the tag; no real HTML has an attribute of this name. */
const MARK = 'data-postrider-tag'

/**
 * Returns the HTML with the style attributes and style elements that `inline` computes. The output of the inliner
 * itself is not used, because an inliner rewrites the whole document as a browser parses the document: entities,
 * quotes, letter case and constructs for other programs would be lost. Returns undefined if the inliner gave a style to
 * an element without a tag in the HTML.
 */
export function withInlinedStyles(html: string, inline: (html: string) => string): string | undefined {
  const tags = [...tagsOf(html)].filter(({ isEnd }) => !isEnd)
  const inlined = inline(marked(html, tags))
  const styles = new Map<number, string | undefined>()
  const sheets = new Map<number, string>()
  /** Rules in style elements that the inliner added, such as @media rules, which no style attribute can express. */
  let added = ''
  let sheet: { readonly number: number | undefined; readonly start: number } | undefined
  for (const tag of tagsOf(inlined)) {
    const { name, isEnd, start, end } = tag
    if (isEnd) {
      if (name !== 'style' || sheet === undefined) continue
      const rules = inlined.slice(sheet.start, start)
      if (sheet.number === undefined) added += rules
      else sheets.set(sheet.number, rules)
      continue
    }
    const number = attributeOf(inlined, tag, MARK)?.value
    if (name === 'style') sheet = { number: number === undefined ? number : Number(number), start: end }
    const style = attributeOf(inlined, tag, 'style')?.value
    if (number === undefined) {
      if (style !== undefined && /^(?:html|head|body|tbody|colgroup)$/.test(name)) return undefined
      continue
    }
    // The parser may duplicate an element; only the styles of the first copy are used.
    if (!styles.has(Number(number))) styles.set(Number(number), style)
  }
  return rewritten(html, tags, styles, { added, sheets })
}

function marked(html: string, tags: readonly Tag[]): string {
  let text = ''
  let at = 0
  for (const [number, { nameEnd }] of tags.entries()) {
    text += `${html.slice(at, nameEnd)} ${MARK}="${number}"`
    at = nameEnd
  }
  return text + html.slice(at)
}

function rewritten(
  html: string,
  tags: readonly Tag[],
  styles: ReadonlyMap<number, string | undefined>,
  { added, sheets }: { readonly added: string; readonly sheets: ReadonlyMap<number, string> },
): string {
  let text = ''
  let at = 0
  let left = added.trim() === '' ? '' : `<style>${added.trim()}</style>`
  for (const [number, tag] of tags.entries()) {
    const { name, start, nameEnd, end } = tag
    if (name === 'style') {
      const close = endOfSheet(html, end)
      const sheet = sheets.get(number)
      // The inliner removes a style sheet without remaining rules.
      const isLeft = sheet !== undefined && sheet.trim() !== ''
      text += html.slice(at, start) + left + (isLeft ? html.slice(start, end) + sheet : '')
      left = ''
      at = isLeft ? close.start : close.end
      continue
    }
    const style = styles.get(number)
    if (style === undefined) continue
    const own = attributeOf(html, tag, 'style')
    const place = own ?? placeOfNew(html, nameEnd, end)
    text += `${html.slice(at, place.start)}${own === undefined ? ' ' : ''}style="${style}"`
    at = place.end
  }
  return text + html.slice(at)
}

/**
 * Returns the position of a new attribute, after all other attributes. A slash directly after an unquoted value belongs
 * to the value.
 */
function placeOfNew(
  html: string,
  nameEnd: number,
  end: number,
): { readonly start: number; readonly end: number } {
  const attributes = html.slice(nameEnd, end)
  const close = /(?:(?<=^|[\s"'])\/)?>$/.exec(attributes)?.index ?? attributes.length
  const place = nameEnd + attributes.slice(0, close).trimEnd().length
  return { start: place, end: place }
}

function endOfSheet(html: string, from: number): { readonly start: number; readonly end: number } {
  const tag = /<\/style/gi
  tag.lastIndex = from
  const start = tag.exec(html)?.index ?? html.length
  const bracket = html.indexOf('>', start)
  return bracket < 0 ? { start: html.length, end: html.length } : { start, end: bracket + 1 }
}
