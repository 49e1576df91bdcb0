// Opt-outs of tracking on single links: ours, and what senders wrote for the services that they used before.

/** An attribute of an element, as the HTML parser gives it: its name in lower case. */
interface Attribute {
  readonly name: string
  readonly value: string
}

/**
 * Names that end in tracking, of what comes before alone: `data-track`, `clicktracking`, `data-msys-clicktrack`, `autotrack`,
 * `data-track-links`; and with a word of denial `disable-tracking`, `data-pm-no-track`, `ses:no-track`, `mc:disable-tracking`.
 */
const OF_TRACKING = /track(?:ing|ed|er)?(?:[-_:]?(?:link|click|url)s?)?$/
const DENIED =
  /(?:no|not|dont|disabled?|skip|exclude|un|without|off)[-_:]?(?:click|link|url|open)?s?[-_:]?track/
/** Names without the word: of ahoy_email, Campaign Monitor and its predecessor. */
const OTHER_NAME = /^(?:data-skip-click|(?:cm|mb)_dontconvertlink)$/
const OFF = /^(?:off|false|no|none|never|0|disabled?)$/
/** `untracked` of Customer.io, `mktNoTrack` of Marketo, `no-track-link`, `offtrack`. */
const TOKEN =
  /^(?:mkt)?(?:no|dont|disable|skip|un|off)[-_]?(?:click|link)?[-_]?track(?:ing|ed)?(?:[-_]?link)?$/

/** True if the attributes of a link say that it is not to be tracked. An opt-out that is switched off (`…="false"`) is none. */
export const optsOut = (attributes: readonly Attribute[]): boolean =>
  attributes.some(({ name, value }) => {
    if (name === 'class' || name === 'rel') return value.toLowerCase().split(/\s+/).some(isOptOutToken)
    if (!OF_TRACKING.test(name)) return OTHER_NAME.test(name) && !isOff(value)
    return DENIED.test(name) !== isOff(value)
  })

const isOptOutToken = (token: string): boolean => token.length <= MAX_TOKEN && TOKEN.test(token)
const MAX_TOKEN = 40

const isOff = (value: string): boolean => value.length <= MAX_TOKEN && OFF.test(value.trim().toLowerCase())
