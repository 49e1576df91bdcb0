// Finds the mail programs that do not support an element or a feature of CSS, in the data of "Can I email".

import { readFileSync } from 'node:fs'

interface Table {
  /** Names of mail programs, in the order of the characters of `features`. */
  readonly clients: readonly string[]
  /** Support of each feature by the newest version of each program: yes, no, partially, unknown. */
  readonly features: Readonly<Record<string, string>>
}

/** Mail programs that a check covers unless the request names others. */
export const DEFAULT_CLIENTS = [
  'gmail.desktop-webmail',
  'gmail.ios',
  'gmail.android',
  'apple-mail.ios',
  'apple-mail.macos',
  'outlook.windows',
  'outlook.outlook-com',
  'outlook.macos',
  'yahoo.desktop-webmail',
  'samsung-email.android',
  'thunderbird.macos',
] as const

const table = JSON.parse(readFileSync(new URL('./client-support.json', import.meta.url), 'utf8')) as Table

/** All mail programs of the table. */
export const CLIENTS: readonly string[] = table.clients

const places = new Map(table.clients.map((client, index) => [client, index]))
const answers = new Map<string, readonly string[]>()

/** Returns the clients that do not support a feature; undefined if all support the feature, or if it is unknown. */
export function without(feature: string, clients: readonly string[]): readonly string[] | undefined {
  const support = table.features[feature]
  if (support === undefined) return undefined
  const key = clients === DEFAULT_CLIENTS ? feature : `${feature} ${clients.join()}`
  let found = answers.get(key)
  if (found === undefined) {
    found = clients.filter((client) => support[places.get(client) ?? -1] === 'n')
    // Requests may name any set of clients, so only the answers for the default clients are kept.
    if (key === feature) answers.set(key, found)
  }
  return found.length === 0 ? undefined : found
}

/** True if the table has this feature. */
export const isFeature = (feature: string): boolean => table.features[feature] !== undefined

/** Number of features of the table. */
export const FEATURES = Object.keys(table.features).length

/** Support of a feature by each program of `CLIENTS`: `y`, `n`, `a` for partially, `u` for unknown. */
export const supportOf = (feature: string): string => table.features[feature] ?? 'u'.repeat(CLIENTS.length)

/** Returns the feature of an element; undefined if the table has none. */
export function featureOfElement(name: string): string | undefined {
  const feature = ELEMENT_FEATURES[name] ?? `html-${name}`
  return isFeature(feature) ? feature : undefined
}

const ELEMENT_FEATURES: Readonly<Record<string, string>> = {
  area: 'html-image-maps',
  input: 'html-input-text',
  link: 'html-link',
  button: 'html-button-submit',
}

/** Elements that the check reports; a program that ignores another element shows its content. */
const ELEMENTS = new Set(
  'form input button select textarea video audio svg dialog marquee meter progress object base link area'.split(
    ' ',
  ),
)

/** Elements that all mail programs remove, which "Can I email" therefore does not list. */
const REMOVED = new Set(['script', 'iframe', 'frame', 'frameset', 'embed', 'applet'])

/** Returns the clients that do not support an element; undefined for an element without a finding. */
export function withoutElement(name: string, clients: readonly string[]): readonly string[] | undefined {
  if (REMOVED.has(name)) return clients
  return ELEMENTS.has(name) ? without(ELEMENT_FEATURES[name] ?? `html-${name}`, clients) : undefined
}

/** Prefixes of properties that belong to one feature. */
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/^(?:top|right|bottom|left)$/, 'css-left-right-top-bottom'],
  [/^inset(?:-|$)/, 'css-inset'],
  [/^(?:grid|grid-.*)$/, 'css-grid-template'],
  [/^(?:row|column)-gap$/, 'css-gap'],
  [/^(?:columns|column-.*)$/, 'css-column-layout-properties'],
  [/^(?:-webkit-)?mask(?:-|$)/, 'css-mask-image'],
  [/^scroll-snap/, 'css-scroll-snap'],
  [/^flex-flow$/, 'css-flex-direction'],
  [/^--/, 'css-variables'],
]

const byProperty = new Map<string, string | undefined>()

/** Returns the feature of a property; undefined if the table has none. */
export function featureOfProperty(property: string): string | undefined {
  if (byProperty.has(property)) return byProperty.get(property)
  const exact = `css-${property}`
  const feature = isFeature(exact) ? exact : GROUPS.find(([pattern]) => pattern.test(property))?.[1]
  if (byProperty.size < 1_000) byProperty.set(property, feature)
  return feature
}

/** Features whose lack leaves a message readable; reported only if the request names clients. */
export const DECORATIVE: ReadonlySet<string> = new Set(
  `css-border-radius css-box-shadow css-text-shadow css-opacity css-transition css-animation css-cursor css-max-width
  css-min-width css-max-height css-min-height css-background-image css-background-size css-background-position
  css-background-repeat css-background css-outline css-outline-offset css-box-sizing css-word-break css-word-wrap
  css-overflow-wrap css-text-overflow css-hyphens css-user-select css-resize css-color-scheme css-object-fit
  css-object-position css-list-style css-list-style-type css-list-style-position css-list-style-image css-table-layout
  css-border-collapse css-border-spacing css-empty-cells css-caption-side css-orphans css-widows css-tab-size
  css-font-kerning css-font-stretch css-font-size-adjust css-text-decoration-color css-text-decoration-style
  css-text-decoration-line css-text-decoration-thickness css-text-decoration-skip-ink css-text-underline-offset
  css-white-space css-letter-spacing css-word-spacing css-text-indent css-line-height css-direction css-display
  css-display-none css-visibility css-overflow css-accent-color css-important css-rgba css-width css-height
  css-margin css-padding css-border css-font css-font-size css-font-weight css-vertical-align css-background-clip
  css-background-origin css-unit-rem css-font-smoothing`.split(/\s+/),
)
