// Finds placeholders of other services, which would be sent unchanged, or as links that lead nowhere.

/** A placeholder, and its position in the text. */
export interface ForeignTag {
  readonly text: string
  readonly index: number
  /** True if the placeholder is an unsubscribe link, or a link to the unsubscribe preferences. */
  readonly isUnsubscribe: boolean
}

/** Variable names of the unsubscribe link in other services, as in `{{{unsubscribe}}}`. */
const LINK_NAMES =
  'unsubscribe|unsubscribe_preferences|unsubscribe_link_all|unsubscribe_section|UnsubscribeURL|RESEND_UNSUBSCRIBE_URL|system\\.unsubscribeLink'

/** Names of recipient data that distinguish placeholders in single braces or brackets from text. */
const PERSON =
  '(?:first[_ ]?name|last[_ ]?name|full[_ ]?name|f_?name|l_?name|user_?name|name|e-?mail(?:_?address)?)'

/**
 * Patterns of placeholders that resemble no other text, and are therefore found anywhere. The patterns are in this
 * order: Postmark, Mailgun, SendGrid, Mailchimp, Liquid and Jinja, Salesforce and Interspire, ActiveCampaign,
 * MailerLite, AWeber, Mautic, Zoho, Moosend, Mailjet and Campaign Monitor. A text without the mark of a pattern is not
 * searched for the pattern.
 */
const ANYWHERE: readonly (readonly [mark: string, pattern: RegExp])[] = [
  ['{{', /\{\{[{&]?\s{0,9}pm:\w{1,40}\s{0,9}\}\}\}?/gi],
  ['%', /%recipient(?:[._][A-Za-z_][\w.-]{0,80})?%|%(?:tag_|mailing_list_)?unsubscribe_(?:url|email)%/gi],
  ['<%', /<%[-=#]?\s{0,9}[\w.]{1,80}[^<>%]{0,200}%>/g],
  ['*|', /\*\|[A-Za-z][\w:,.'"=!& -]{0,100}\|\*/g],
  ['{%', /\{%-?\s{0,9}[a-z_]{2,20}\b[^{}%]{0,200}%\}/gi],
  ['%%', /%%[A-Za-z_][\w .:-]{0,60}%%/g],
  ['%', new RegExp(`(?<![%\\w])%(?:${PERSON}|UNSUBSCRIBE\\w{0,20}|SENDER-INFO-SINGLELINE)%(?![\\w%])`, 'gi')],
  ['{', /(?<![$\w])\{[$!][A-Za-z_][\w.|]{0,60}\}(?!\})/g],
  ['{', /\{(?:contactfield|ownerfield|leadfield|pagelink|assetlink)=[^{}\n]{1,80}\}/gi],
  ['$[', /\$\[[A-Z][^\]\n]{0,60}\]\$/g],
  ['#', /#(?:recipient:[^#\s]{1,60}|unsubscribe\w{0,20})#/gi],
  ['{{', /\{\{\s{0,9}(?:var|data):[^{}\n]{1,80}\}\}/gi],
  ['[%', /\[%[^%\]\n]{1,60}%\]/g],
  ['[', /\[[A-Za-z_ ]{1,40},\s{0,9}fallback=[^\]\n]{0,80}\]/gi],
  ['[[', new RegExp(`\\[\\[(?:UNSUB\\w{0,20}|(?:data|var):[^\\]\\n]{1,60}|${PERSON})\\]\\]`, 'gi')],
  ['[', /\[(?:link:subscription_\w{1,40}|subscriber:[^\]\n]{1,60}|contact_attribute:[^\]\n]{1,60})\]/gi],
  ['{', /(?<!\{)\{(?:unsubscribe|unsubscription|opt_?out)[\w:]{0,20}\}(?!\})/gi],
  ['<', /<(?:unsubscribe|webversion|forwardtoafriend|preferences)(?:\s[^<>]{0,200})?>/gi],
  ['-', new RegExp(`(?<![\\w/-])-(?:${PERSON})-(?![\\w/-])`, 'gi')],
  ['{', /(?<![{$\w])\{(?:first[_ ]?name|last[_ ]?name|full[_ ]?name)\}(?!\})/gi],
]

/** The address of a link, in HTML. */
const LINK = /\b(?:href|action)\s{0,9}=\s{0,9}(?:"([^"]{1,300})"|'([^']{1,300})')/gi
/** A URL that consists of a placeholder of any form, so that no browser can open the URL. */
const PLACEHOLDER =
  /^\s*(?:\[{1,2}[^[\]{}]{1,80}\]{1,2}|\{[!$]?[A-Za-z][^{}\s]{0,80}\}|%[A-Za-z_][\w.:-]{0,60}%|#[A-Za-z][\w:]{0,60}#|-[A-Za-z_]{2,40}-)\s*$/
/** A variable with the name of an unsubscribe link, printed raw or as the address of a link. */
const PRINTED_LINK = new RegExp(
  `\\{\\{\\{\\s{0,9}(?:${LINK_NAMES})\\s{0,9}\\}\\}\\}|(?<=(?:href|action)\\s{0,9}=\\s{0,9}["']\\s{0,9})\\{\\{&?\\s{0,9}(?:${LINK_NAMES})\\s{0,9}\\}\\}`,
  'gi',
)

const OF_UNSUBSCRIBING = /unsub|opt_?out|asm_|pm:|remove_web|preferences/i

/**
 * Returns the placeholders of other services in a part of a template, each distinct text once, in order. Ignores style
 * sheets, scripts, code samples and comments of HTML. Runs in linear time.
 *
 * @param isOwn returns true for a known variable of the sender's model
 */
export function foreignTags(text: string, isHtml: boolean, isOwn: (name: string) => boolean): ForeignTag[] {
  const shown = isHtml ? shownText(text) : text
  const found = new Map<string, ForeignTag>()
  const add = (tag: string, index: number, isUnsubscribe = OF_UNSUBSCRIBING.test(tag)): void => {
    if (!found.has(tag)) found.set(tag, { text: tag, index, isUnsubscribe })
  }
  for (const [mark, pattern] of ANYWHERE) {
    if (!shown.includes(mark)) continue
    for (const { 0: tag, index } of shown.matchAll(pattern)) add(tag, index)
  }
  if (isHtml) {
    for (const { 0: whole, 1: one, 2: other, index } of shown.matchAll(LINK)) {
      const address = one ?? other ?? ''
      if (PLACEHOLDER.test(address)) add(address.trim(), index + whole.indexOf(address))
    }
  }
  const printed = shown.includes('{{') ? shown.matchAll(PRINTED_LINK) : []
  for (const { 0: tag, index } of printed) {
    if (!isOwn(tag.replace(/[{}&\s]/g, ''))) add(tag, index, true)
  }
  return [...found.values()].sort((one, other) => one.index - other.index)
}

const UNSHOWN = /<(style|script|pre|code|textarea|title)(?=[\s>])|<!--(?!\[if)/gi

/** Returns HTML with spaces in place of style sheets, scripts, code samples and comments. */
function shownText(html: string): string {
  let text = ''
  let at = 0
  const unclosed = new Set<string>()
  UNSHOWN.lastIndex = 0
  for (let found = UNSHOWN.exec(html); found !== null; found = UNSHOWN.exec(html)) {
    const name = found[1]?.toLowerCase()
    const close = name === undefined ? '-->' : `</${name}`
    if (name === 'title' || unclosed.has(close)) continue
    const end = indexOfClose(html, close, found.index)
    if (end < 0) {
      unclosed.add(close)
      continue
    }
    text += html.slice(at, found.index) + ' '.repeat(end - found.index)
    at = end
    UNSHOWN.lastIndex = end
  }
  return text + html.slice(at)
}

/** Returns the index of an end tag (case-insensitive), without a lower-case copy, which may have another length. */
function indexOfClose(html: string, close: string, from: number): number {
  if (close === '-->') return html.indexOf(close, from + 2)
  const pattern = new RegExp(close, 'gi')
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? -1
}

/** Returns the name of a variable that could replace a placeholder. */
export const variableOf = (tag: string): string => {
  const [name = 'name'] = /[A-Za-z_]\w*$/.exec(tag.replace(/[^\w]+$/, '')) ?? []
  return /^(?:recipient|else|endif|endfor)$/i.test(name) ? 'name' : name
}
