// Findings in the HTML of a message: links, images, and elements and styles that mail programs do not support.

import {
  DECORATIVE,
  DEFAULT_CLIENTS,
  featureOfProperty,
  isFeature,
  without,
  withoutElement,
} from './client-support.ts'
import { type CssPart, cssParts } from './css-scan.ts'
import { type LinkRules, type LinkUse, linkDefects, otherHostShown } from './links.ts'
import type { Body } from './place.ts'
import type { Report } from './report.ts'
import { secretsIn } from './secrets.ts'
import { decoded, type ShownElement, type ShownHtml, type ShownLink, shownHtml } from './shown-html.ts'

export interface HtmlOptions {
  readonly clients: readonly string[]
  readonly links: LinkRules
}

interface ElementOptions extends HtmlOptions {
  /** True if an element may have an image as its background. */
  readonly hasBackgrounds: boolean
}

/** True if an element of a document may have an image as its background. */
const hasBackgrounds = ({ source }: Body): boolean => /background\s*=/i.test(source)

/** Reads a document for `findInHtml`; with fewer elements if only errors are reported. */
export const readHtml = ({ errorsOnly }: Report, body: Body): ShownHtml =>
  shownHtml(body.source, errorsOnly && !hasBackgrounds(body) ? ADDRESSED : undefined)

/** Reports the findings of a document, except those of its text. */
export function findInHtml(report: Report, body: Body, shown: ShownHtml, options: HtmlOptions): void {
  const ofElements = { ...options, hasBackgrounds: hasBackgrounds(body) }
  for (const element of shown.elements) findInElement(report, body, element, shown, ofElements)
  if (report.errorsOnly) return
  const styles = new StyleFindings(report, body, options.clients)
  for (const element of shown.elements) {
    const style = element.attributes.get('style')
    if (style !== undefined) styles.add(style.value, style.valueStart, true)
  }
  for (const { start, end } of shown.sheets) styles.add(body.source.slice(start, end), start, false)
  for (const link of shown.links) findMismatch(report, body, link, shown)
  findImageOnly(report, body, shown)
}

/** Attributes that name an address, by element, and the use of the address. */
const ADDRESSES: ReadonlyMap<string, readonly [attribute: string, use: LinkUse]> = new Map([
  ['a', ['href', 'link']],
  ['area', ['href', 'link']],
  ['form', ['action', 'link']],
  ['img', ['src', 'image']],
  ['input', ['src', 'image']],
])
const ADDRESSED: ReadonlySet<string> = new Set(ADDRESSES.keys())
/** An address that any element may have. */
const BACKGROUND = ['background', 'image'] as const

function findInElement(
  report: Report,
  body: Body,
  element: ShownElement,
  { anchors }: ShownHtml,
  { clients, links, hasBackgrounds }: ElementOptions,
): void {
  const { name, start, end } = element.tag
  const lacking = report.errorsOnly ? undefined : withoutElement(name, clients)
  if (lacking !== undefined) {
    const message = `Some mail programs do not support <${name}>.`
    report.at('html_unsupported', body, start, message, { clients: lacking, length: end - start })
  }
  const own = ADDRESSES.get(name)
  if (own === undefined && !hasBackgrounds) return
  for (const [attribute, use] of [...(own ? [own] : []), ...(hasBackgrounds ? [BACKGROUND] : [])]) {
    const found = element.attributes.get(attribute)
    if (found === undefined) continue
    const url = decoded(found.value)
    const length = found.end - found.start
    for (const { code, message } of linkDefects(url, use, anchors, links)) {
      report.at(code, body, found.start, message, { length })
    }
    for (const { what, masked } of secretsIn(url, true)) {
      report.at('secret', body, found.start, `The address contains ${what}.`, { excerpt: masked })
    }
  }
  if (name === 'img' && !report.errorsOnly) findImage(report, body, element)
}

function findImage(report: Report, body: Body, { tag, attributes }: ShownElement): void {
  if (attributes.has('alt') || isPixel(attributes)) return
  const { start, end } = tag
  report.at('image_alt', body, start, 'The image has no alt text.', { length: end - start })
}

const isPixel = (attributes: ShownElement['attributes']): boolean =>
  /^[01](?:px)?$/.test(attributes.get('width')?.value ?? '') ||
  /^[01](?:px)?$/.test(attributes.get('height')?.value ?? '')

function findMismatch(report: Report, body: Body, link: ShownLink, { text }: ShownHtml): void {
  const { from, to, element } = link
  const href = element.attributes.get('href')
  if (href === undefined || to <= from) return
  const shown = otherHostShown(decoded(text.value.slice(from, to)).trim(), decoded(href.value))
  if (shown === undefined) return
  const message = `The link shows ${shown.slice(0, 100)} and leads to another domain.`
  report.at('link_mismatch', body, href.start, message, { length: element.tag.end - href.start })
}

/** Number of characters of text below which a message with a large image counts as an image. */
const HARDLY_ANY_TEXT = 200

function findImageOnly(report: Report, body: Body, { elements, text }: ShownHtml): void {
  const image = elements.find(({ tag, attributes }) => tag.name === 'img' && isLarge(attributes))
  if (image === undefined || decoded(text.value).replace(/\s+/g, ' ').trim().length >= HARDLY_ANY_TEXT) return
  const { start, end } = image.tag
  report.at('image_only', body, start, 'The message is an image with hardly any text.', {
    length: end - start,
  })
}

/** True for an image that fills the message, or whose size is not given. */
function isLarge(attributes: ShownElement['attributes']): boolean {
  const width =
    attributes.get('width')?.value ??
    /(?:^|[;\s])width\s*:\s*([\d.]+(?:px|%)?)/.exec(attributes.get('style')?.value ?? '')?.[1]
  if (width === undefined) return !isPixel(attributes)
  const number = Number.parseFloat(width)
  return width.endsWith('%') ? number >= 50 : number >= 300
}

/** Values of properties that are features of their own. */
const VALUES: readonly (readonly [property: RegExp, value: RegExp, feature: string])[] = [
  [/^display$/, /\bflex\b/, 'css-display-flex'],
  [/^display$/, /\bgrid\b/, 'css-display-grid'],
  [/^position$/, /^(?:relative|absolute|fixed|sticky)/, 'css-position'],
]

/** Functions and units in values. */
const IN_VALUES: readonly (readonly [sign: string, value: RegExp, feature: string])[] = [
  ['calc(', /\bcalc\(/, 'css-unit-calc'],
  ['clamp(', /\bclamp\(/, 'css-function-clamp'],
  ['min(', /(?<![-\w])min\(/, 'css-function-min'],
  ['max(', /(?<![-\w])max\(/, 'css-function-max'],
  ['light-dark(', /\blight-dark\(/, 'css-function-light-dark'],
  ['var(', /\bvar\(/, 'css-variables'],
  ['linear-gradient(', /(?<!-)\b(?:repeating-)?linear-gradient\(/, 'css-linear-gradient'],
  ['radial-gradient(', /(?<!-)\b(?:repeating-)?radial-gradient\(/, 'css-radial-gradient'],
  ['conic-gradient(', /\bconic-gradient\(/, 'css-conic-gradient'],
  ['vh', /[\d.]vh\b/, 'css-unit-vh'],
  ['vw', /[\d.]vw\b/, 'css-unit-vw'],
  ['vmin', /[\d.]vmin\b/, 'css-unit-vmin'],
  ['vmax', /[\d.]vmax\b/, 'css-unit-vmax'],
]

/** At-rules that change what is shown; conditional rules are for the programs that support them. */
const RULES: Readonly<Record<string, string>> = {
  '@import': 'css-at-import',
}

/** Pseudo-classes without which a message is readable: states of links and of the pointer. */
const STATES = /^(?:hover|active|focus|visited|link|root|focus-visible|focus-within|selection|placeholder)$/

/** A feature of CSS that a part of a style sheet uses. */
interface UsedFeature {
  readonly feature: string
  readonly offset: number
  /** Text by which a finding names the feature. */
  readonly shown: string
}

/** Yields the features of CSS that a part uses and that the table of mail programs may have. */
export function* featuresIn(part: CssPart): Generator<UsedFeature, void> {
  if (part.kind === 'declaration') {
    const { property, value, offset } = part
    const feature = featureOfProperty(property)
    if (feature !== undefined && (property !== 'position' || value !== 'static'))
      yield { feature, offset, shown: property }
    for (const [name, pattern, valued] of VALUES) {
      if (valued !== feature && name.test(property) && pattern.test(value))
        yield { feature: valued, offset, shown: `${property}: ${value}` }
    }
    for (const [sign, pattern, valued] of IN_VALUES) {
      if (value.includes(sign) && pattern.test(value))
        yield { feature: valued, offset, shown: sign.replace('(', '()') }
    }
  } else if (part.kind === 'rule') {
    const feature = RULES[part.name]
    if (feature !== undefined) yield { feature, offset: part.offset, shown: part.name }
  } else if (part.text.includes(':')) yield* pseudoFeatures(part.text, part.offset)
}

function* pseudoFeatures(text: string, offset: number): Generator<UsedFeature, void> {
  for (const { 0: whole, 1: colons, 2: name = '' } of text.slice(0, 2_000).matchAll(/(::?)([a-z-]{2,30})/g)) {
    if (STATES.test(name)) continue
    const isElement = colons === '::' || /^(?:before|after|first-letter|first-line)$/.test(name)
    const feature = `css-pseudo-${isElement ? 'element' : 'class'}-${name}`
    if (isFeature(feature)) yield { feature, offset, shown: whole }
  }
}

/** Reports features of style sheets and style attributes. */
class StyleFindings {
  readonly #report: Report
  readonly #body: Body
  readonly #clients: readonly string[]

  constructor(report: Report, body: Body, clients: readonly string[]) {
    this.#report = report
    this.#body = body
    this.#clients = clients
  }

  add(css: string, start: number, inRule: boolean): void {
    for (const part of cssParts(css, start, inRule)) this.#part(part)
  }

  #part(part: CssPart): void {
    for (const { feature, offset, shown } of featuresIn(part)) this.#feature(feature, offset, shown)
  }

  #feature(feature: string, offset: number, shown: string): void {
    if (DECORATIVE.has(feature) && this.#clients === DEFAULT_CLIENTS) return
    const clients = without(feature, this.#clients)
    if (clients === undefined) return
    const message = `Some mail programs do not support ${shown.slice(0, 60)}.`
    this.#report.at('css_unsupported', this.#body, offset, message, { clients })
  }
}
