// Marks HTML elements that are not visible, such as the preview text for the message list of a mail client.

import { attributeOf, type Tag, tagsOf } from './html-tags.ts'

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/

/** An open element with a font size of zero. */
interface Tiny {
  readonly name: string
  /** Index in the start tag at which an attribute can be inserted. */
  readonly place: number
  depth: number
  /** True if some content of the element is visible although the element has a font size of zero. */
  isSeen: boolean
}

/**
 * Returns HTML in which each element hidden by its style has the attribute `hidden`. An element with a font size of
 * zero counts as hidden only if it contains neither an element with another font size nor an image, because most such
 * elements only remove gaps between columns. The style property `mso-hide` is ignored, because this property hides
 * elements only in Outlook. Runs in linear time.
 */
export function withHiddenMarked(html: string): string {
  const places: number[] = []
  const open: Tiny[] = []
  const hiding = hidingSelectors(html)
  for (const tag of tagsOf(html)) {
    const { name, isEnd, isSelfClosing, nameEnd } = tag
    if (isEnd) {
      closeTiny(open, name, places)
      continue
    }
    const style = readStyle(attributeOf(html, tag, 'style')?.value ?? '')
    if (isHidden(style) || (hiding.size > 0 && isSelected(html, tag, hiding))) places.push(nameEnd)
    const size = style.get('font-size')
    const isTiny = size !== undefined && isZero(size)
    for (const tiny of open) tiny.isSeen ||= (size !== undefined && !isTiny) || name === 'img'
    if (VOID.test(name) || isSelfClosing) continue
    for (const tiny of open) if (tiny.name === name) tiny.depth++
    if (isTiny && open.length < MAX_TINY) open.push({ name, place: nameEnd, depth: 1, isSeen: false })
  }
  return withAttributes(
    html,
    places.sort((one, other) => one - other),
  )
}

const MAX_TINY = 20

/** A CSS selector of a class or an ID, optionally after an element name. */
const SIMPLE = /^([a-z][\w-]*)?[.#][\w-]+$/i

/** Returns the simple selectors that hide elements on every screen, from the style sheets in the HTML. */
function hidingSelectors(html: string): ReadonlySet<string> {
  const found = new Set<string>()
  let sheet: number | undefined
  for (const { name, isEnd, start, end } of tagsOf(html)) {
    if (name !== 'style') continue
    if (!isEnd) sheet = end
    else if (sheet !== undefined) {
      for (const selector of hidingRules(html.slice(sheet, start))) found.add(selector)
      sheet = undefined
    }
  }
  return found
}

function* hidingRules(css: string): Generator<string> {
  let depth = 0
  let at = 0
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '')
  for (const { 0: brace, index } of plain.matchAll(/[{}]/g)) {
    const before = plain.slice(at, index).trim()
    at = index + 1
    if (brace === '{') {
      depth++
      if (depth > 1 || before.startsWith('@')) continue
      const close = plain.indexOf('}', at)
      const style = readStyle(plain.slice(at, close < 0 ? plain.length : close))
      if (!isHidden(style)) continue
      for (const one of before.split(',')) if (SIMPLE.test(one.trim())) yield one.trim().toLowerCase()
    } else depth = Math.max(0, depth - 1)
  }
}

/** True if one of these selectors matches a class or the ID of a tag. */
function isSelected(html: string, tag: Tag, selectors: ReadonlySet<string>): boolean {
  const has = (sign: string, attribute: string): boolean =>
    (attributeOf(html, tag, attribute)?.value ?? '')
      .toLowerCase()
      .split(/\s+/)
      .some((word) => selectors.has(sign + word) || selectors.has(tag.name + sign + word))
  return has('.', 'class') || has('#', 'id')
}

/** Closes elements of this name, and records the places of elements without visible content. */
function closeTiny(open: Tiny[], name: string, places: number[]): void {
  for (let index = open.length - 1; index >= 0; index--) {
    const tiny = open[index] as Tiny
    if (tiny.name !== name || --tiny.depth > 0) continue
    if (!tiny.isSeen) places.push(tiny.place)
    open.splice(index, 1)
  }
}

function withAttributes(html: string, places: readonly number[]): string {
  let marked = ''
  let at = 0
  for (const place of places) {
    marked += `${html.slice(at, place)} hidden`
    at = place
  }
  return marked + html.slice(at)
}

/** Returns the declarations of a style attribute; the last declaration of each name counts. */
function readStyle(style: string): ReadonlyMap<string, string> {
  const declarations = style.split(';').flatMap((one) => {
    const colon = one.indexOf(':')
    const value = one.slice(colon + 1).replace(/!\s*important\s*$/i, '')
    return colon < 0 ? [] : [[one.slice(0, colon).trim().toLowerCase(), value.trim().toLowerCase()] as const]
  })
  return new Map(declarations)
}

const isZero = (size: string | undefined): boolean => /^0*(?:\.0*)?0(?:px|pt|em|rem|%)?$/.test(size ?? '')

function isHidden(style: ReadonlyMap<string, string>): boolean {
  const isCut = /^(?:hidden|clip)/.test(style.get('overflow') ?? '')
  return (
    style.get('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(style.get('visibility') ?? '') ||
    isZero(style.get('opacity')) ||
    isZero(style.get('max-height')) ||
    (isCut && (isZero(style.get('height')) || isZero(style.get('max-width')) || isZero(style.get('width'))))
  )
}

/** Padding of a preview text: three or more consecutive zero-width characters, with or without spaces between them. */
const FILLING = /(?:[\u034f\u061c\u180e\u200b-\u200f\u2060\ufeff\u00ad][ \u00a0\u2000-\u200a]*){3,}/g

/** Returns a text without the padding of a preview text. */
export const withoutFilling = (text: string): string => text.replace(FILLING, '')
