// Finds the links of HTML that can be tracked, and the place of the open pixel, by parsing the HTML as a browser does.

import { type DefaultTreeAdapterTypes, html as names, parse } from 'parse5'
import { MAX_TRACKED_LINKS, MAX_TRACKED_URL, type TrackedPlaces } from '../model/tracking-link.ts'
import { hasUnsubscribeMark } from '../model/unsubscribe-link.ts'
import { isDeeperThan, MAX_HTML_DEPTH } from './html-depth.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Kinds of places to track, and URLs that are never tracked. */
export interface WantedPlaces {
  readonly opens: boolean
  readonly links: boolean
  /** URLs of the List-Unsubscribe field of the message. */
  readonly untracked: readonly string[]
}

/**
 * Returns the places to track. Links are `a` and `area` elements with an absolute http or https URL of at most
 * `MAX_TRACKED_URL` bytes, without an opt-out or an unsubscribe mark. Returns undefined for HTML that is nested too
 * deep to be parsed.
 */
export function trackedPlaces(
  html: string,
  { opens, links, untracked }: WantedPlaces,
): TrackedPlaces | undefined {
  if (isDeeperThan(html, MAX_HTML_DEPTH)) return undefined
  const found = new Map<number, TrackedPlaces['links'][number]>()
  const never = new Set(untracked.map((url) => httpUrl(url) ?? url))
  const { elements, text } = contentOf(html)
  for (const element of links ? elements : []) {
    const place = isLink(element) ? placeOf(html, element) : undefined
    // The parser may duplicate an element, so each place is recorded only once.
    if (place !== undefined && !never.has(place[2])) found.set(place[0], place)
  }
  const inOrder = [...found.values()].sort(([one], [other]) => one - other).slice(0, MAX_TRACKED_LINKS)
  const body = opens ? elements.find(({ tagName }) => tagName === 'body') : undefined
  return { opens: body === undefined ? null : pixelPlace(html, body, text), links: inOrder }
}

/**
 * Returns the elements and the text of HTML in order, without the content of `template` elements, which is not shown.
 */
function contentOf(html: string): { readonly elements: readonly Element[]; readonly text: string } {
  // Mail programs run no scripts.
  const document = parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false })
  const elements: Element[] = []
  let text = ''
  const waiting: Node[] = [document]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('tagName' in node) elements.push(node)
    else if ('value' in node) text += node.value
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child)
  }
  return { elements, text }
}

/** The source of an attribute before its value: name, equals sign, and an opening quote if there is one. */
const BEFORE_VALUE = /^href[\t\n\f\r ]*=[\t\n\f\r ]*(["']?)/i

/** Returns the place of an element's `href` if the link can be tracked. */
function placeOf(html: string, element: Element): TrackedPlaces['links'][number] | undefined {
  const value = element.attrs.find(({ name, prefix }) => name === 'href' && prefix === undefined)?.value
  const location = element.sourceCodeLocation?.attrs?.href
  const url = value === undefined ? undefined : httpUrl(value)
  if (url === undefined || location === undefined) return undefined
  const source = html.slice(location.startOffset, location.endOffset)
  const [before, quote] = BEFORE_VALUE.exec(source) ?? []
  if (before === undefined || source.length <= before.length || hasUnsubscribeMark(source)) return undefined
  const end = location.endOffset - (quote === '' ? 0 : 1)
  return [location.startOffset + before.length, end, url]
}

/** True if an element is an HTML link without an opt-out. */
const isLink = ({ tagName, namespaceURI, attrs }: Element): boolean =>
  (tagName === 'a' || tagName === 'area') && namespaceURI === names.NS.HTML && !optsOut(attrs)

/**
 * Names of attributes about tracking. A name with a negating word opts out by its presence; any other name opts out by
 * a value such as `off`:
 *
 *     data-track="off"             Postrider        clicktracking=off              SendGrid
 *     data-msys-clicktrack="0"     SparkPost        autotrack="false"              MessageGears
 *     disable-tracking="true"      Mailgun          mautic:disable-tracking="true" Mautic
 *     data-pm-no-track             Postmark         ses:no-track                   Amazon SES
 *     mc:disable-tracking          Mailchimp        data-as-no-track               AhaSend
 */
const OF_TRACKING = /track(?:ing|ed|er)?(?:[-_:]?(?:link|click|url)s?)?$/
const DENIED =
  /(?:no|not|dont|disabled?|skip|exclude|un|without|off)[-_:]?(?:click|link|url|open)?s?[-_:]?track/
/** Names without the word `track`, from ahoy_email, Campaign Monitor and the predecessor of Campaign Monitor. */
const OTHER_NAME = /^(?:data-skip-click|(?:cm|mb)_dontconvertlink)$/
const OFF = /^(?:off|false|no|none|never|0|disabled?)$/
/** Class names that opt out: `untracked` of Customer.io, `mktNoTrack` of Marketo, `no-track-link`, `offtrack`. */
const TOKEN =
  /^(?:mkt)?(?:no|dont|disable|skip|un|off)[-_]?(?:click|link)?[-_]?track(?:ing|ed)?(?:[-_]?link)?$/

/** True if the attributes of a link opt out of tracking. A disabled opt-out (`…="false"`) does not count. */
const optsOut = (attributes: Element['attrs']): boolean =>
  attributes.some(({ name, value }) => {
    if (name === 'class' || name === 'rel') return value.toLowerCase().split(/\s+/).some(isOptOutToken)
    if (!OF_TRACKING.test(name)) return OTHER_NAME.test(name) && !isOff(value)
    return DENIED.test(name) !== isOff(value)
  })

const isOptOutToken = (token: string): boolean => token.length <= MAX_TOKEN && TOKEN.test(token)
const MAX_TOKEN = 40

const isOff = (value: string): boolean => value.length <= MAX_TOKEN && OFF.test(value.trim().toLowerCase())

/** Returns a URL as a browser requests it (WHATWG URL); undefined if it cannot be tracked. */
function httpUrl(text: string): string | undefined {
  // A URL without a slash after `http:` is relative to the page, like a URL without a scheme, so neither can be
  // tracked.
  if (!/^[\0- ]*h[\t\r\n]*t[\t\r\n]*t[\t\r\n]*p[\t\r\n]*s?[\t\r\n]*:[\t\r\n]*[/\\]/i.test(text))
    return undefined
  if (text.includes('{{')) return undefined
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  return url.href.length <= MAX_TRACKED_URL ? url.href : undefined
}

const PROBE = '<img>'

/**
 * Returns the place of the pixel: before the end of the body, or at the end of the HTML. Returns null if an image at
 * this place would not be parsed as an image, such as within a comment, or would change how the following HTML is
 * parsed: an image ends open SVG and MathML elements (HTML §13.2.6.5).
 *
 * @param text text content of `html`
 */
function pixelPlace(html: string, body: Element, text: string): number | null {
  const place = body.sourceCodeLocation?.endTag?.startOffset ?? html.length
  const probed = contentOf(html.slice(0, place) + PROBE + html.slice(place))
  const isShown = probed.elements.some(
    ({ tagName, sourceCodeLocation }) => tagName === 'img' && sourceCodeLocation?.startOffset === place,
  )
  return isShown && probed.text === text ? place : null
}
