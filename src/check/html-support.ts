// The share of mail programs that support each feature of an HTML mail, in the form of Mailpit's check.

import { CLIENTS, FEATURES, featureOfElement, isFeature, supportOf } from './client-support.ts'
import { cssParts } from './css-scan.ts'
import { featuresIn } from './html-findings.ts'
import { shownHtml } from './shown-html.ts'

/** Support of a feature by one mail program. */
interface ProgramSupport {
  /** Family and platform by the names of "Can I email", such as `gmail` and `ios`. */
  readonly family: string
  readonly platform: string
  readonly support: 'yes' | 'no' | 'partial'
}

/** A feature of a mail that at least one mail program does not support completely. */
export interface LackingFeature {
  /** Name by "Can I email", such as `css-display-flex`. */
  readonly feature: string
  /** Number of places that use the feature. */
  readonly found: number
  readonly programs: readonly ProgramSupport[]
  /** Shares of the programs whose support is known, in percent. */
  readonly supported: number
  readonly partial: number
  readonly unsupported: number
}

/** Support of a mail. */
export interface HtmlSupport {
  /** Number of features that were looked for. */
  readonly tests: number
  readonly elements: number
  /** All mail programs by the names of "Can I email", such as `gmail.ios`. */
  readonly clients: readonly string[]
  /** The lacking features, the one with the largest share of places and programs first. */
  readonly lacking: readonly LackingFeature[]
  readonly supported: number
  readonly partial: number
  readonly unsupported: number
}

/** Elements around the content, which do not count as places. */
const FRAME = new Set(['html', 'head', 'meta'])
/** Maximum length of the HTML that is read, in characters. */
const MAX_HTML = 2 * 1_024 * 1_024

/** Returns the support of an HTML mail by all mail programs of the table. Takes linear time in the size of the HTML. */
export function htmlSupport(html: string): HtmlSupport {
  const [counts, elements] = usedFeatures(html.slice(0, MAX_HTML))
  const lacking = [...counts]
    .map(([feature, found]) => supportByPrograms(feature, found))
    .filter(({ partial, unsupported }) => partial > 0 || unsupported > 0)
  const share = (one: LackingFeature, percent: number): number =>
    (percent * Math.min(one.found, elements)) / Math.max(1, elements)
  const partial = Math.max(0, ...lacking.map((one) => share(one, one.partial)))
  const unsupported = Math.max(0, ...lacking.map((one) => share(one, one.unsupported)))
  const weight = (one: LackingFeature): number => share(one, one.partial + one.unsupported)
  return {
    ...{ tests: FEATURES, elements, clients: CLIENTS },
    lacking: lacking.toSorted((one, other) => weight(other) - weight(one)),
    supported: Math.max(0, 100 - partial - unsupported),
    partial,
    unsupported,
  }
}

/** Returns the number of places of each feature that a mail uses, and the number of its elements. */
function usedFeatures(html: string): readonly [ReadonlyMap<string, number>, number] {
  const counts = new Map<string, number>()
  const count = (feature: string | undefined): void => {
    if (feature !== undefined && isFeature(feature)) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  }
  const countCss = (css: string, inRule: boolean): void => {
    for (const part of cssParts(css, 0, inRule)) for (const { feature } of featuresIn(part)) count(feature)
  }
  const { elements, sheets } = shownHtml(html)
  for (const { tag, attributes } of elements) {
    count(featureOfElement(tag.name))
    const style = attributes.get('style')
    if (style !== undefined) countCss(style.value, true)
  }
  for (const { start, end } of sheets) countCss(html.slice(start, end), false)
  return [counts, elements.filter(({ tag }) => !FRAME.has(tag.name)).length]
}

const SUPPORTS: Readonly<Record<string, ProgramSupport['support']>> = { y: 'yes', n: 'no', a: 'partial' }

function supportByPrograms(feature: string, found: number): LackingFeature {
  const letters = supportOf(feature)
  const programs = CLIENTS.flatMap((client, index): ProgramSupport[] => {
    const support = SUPPORTS[letters[index] ?? '']
    const [family = '', platform = ''] = client.split('.')
    return support === undefined ? [] : [{ family, platform, support }]
  })
  const percent = (wanted: ProgramSupport['support']): number =>
    (programs.filter(({ support }) => support === wanted).length / Math.max(1, programs.length)) * 100
  return {
    ...{ feature, found, programs },
    ...{ supported: percent('yes'), partial: percent('partial'), unsupported: percent('no') },
  }
}
