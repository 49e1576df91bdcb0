// Puts the styles that a CSS inliner found into HTML, and changes nothing else of it.

import { type Tag, tagsOf } from './html-tags.ts'

/** An attribute that no HTML has, with the number of its tag. */
const MARK = 'data-postrider-tag'
const MARKED = new RegExp(`\\s${MARK}="(\\d+)"`)

/**
 * The HTML with the style attributes and the style elements that `inline` makes of it. An inliner writes a whole document
 * anew, as a browser reads it: entities, quotes and letter case of what authors wrote, and all that is there for other
 * programs, would not survive. Undefined where it gave a style to an element that the HTML does not write out.
 */
export function withInlinedStyles(html: string, inline: (html: string) => string): string | undefined {
  const tags = [...tagsOf(html)].filter(({ isEnd }) => !isEnd)
  const inlined = inline(marked(html, tags))
  const styles = new Map<number, string | undefined>()
  const sheets = new Map<number, string>()
  /** Of its own: rules such as @media, which no attribute can hold. */
  let added = ''
  let sheet: { readonly number: number | undefined; readonly start: number } | undefined
  for (const { name, isEnd, nameEnd, start, end } of tagsOf(inlined)) {
    if (isEnd) {
      if (name !== 'style' || sheet === undefined) continue
      const rules = inlined.slice(sheet.start, start)
      if (sheet.number === undefined) added += rules
      else sheets.set(sheet.number, rules)
      continue
    }
    const attributes = inlined.slice(nameEnd, end)
    const number = MARKED.exec(attributes)?.[1]
    if (name === 'style') sheet = { number: number === undefined ? number : Number(number), start: end }
    const style = STYLE.exec(attributes)?.[1]
    if (number === undefined) {
      if (style !== undefined && /^(?:html|head|body|tbody|colgroup)$/.test(name)) return undefined
      continue
    }
    // An element that the parser has made twice has its styles once.
    if (!styles.has(Number(number))) styles.set(Number(number), style)
  }
  return rewritten(html, tags, styles, { added, sheets })
}

/** As inliners write it. */
const STYLE = /\sstyle="([^"]*)"/
/** As authors write it. */
const ANY_STYLE = /\sstyle\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/i

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
  for (const [number, { name, start, nameEnd, end }] of tags.entries()) {
    if (name === 'style') {
      const close = endOfSheet(html, end)
      const sheet = sheets.get(number)
      // An inliner takes away a sheet of which nothing is left.
      const isLeft = sheet !== undefined && sheet.trim() !== ''
      text += html.slice(at, start) + left + (isLeft ? html.slice(start, end) + sheet : '')
      left = ''
      at = isLeft ? close.start : close.end
      continue
    }
    const style = styles.get(number)
    const attributes = html.slice(nameEnd, end)
    if (style === undefined) continue
    const own = ANY_STYLE.exec(attributes)
    text += html.slice(at, nameEnd)
    if (own === null) {
      // The slash of an unquoted value belongs to it.
      const close = /(?:(?<=^|[\s"'])\/)?>$/.exec(attributes)?.index ?? attributes.length
      const end = attributes.slice(0, close).trimEnd().length
      text += `${attributes.slice(0, end)} style="${style}"${attributes.slice(end)}`
    } else {
      const { 0: written, index } = own
      text += `${attributes.slice(0, index)} style="${style}"${attributes.slice(index + written.length)}`
    }
    at = end
  }
  return text + html.slice(at)
}

function endOfSheet(html: string, from: number): { readonly start: number; readonly end: number } {
  const close = /<\/style[^>]*>/gi
  close.lastIndex = from
  const found = close.exec(html)
  return found === null
    ? { start: html.length, end: html.length }
    : { start: found.index, end: found.index + found[0].length }
}
