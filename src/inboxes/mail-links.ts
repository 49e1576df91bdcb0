// Finds the links and the codes of a mail, which tests of an application follow and type in: password resets,
// confirmations, one-time passwords.

import { Parser } from 'htmlparser2'

const MAX_LINKS = 1_000

/** A web address in plain text. */
const ADDRESS = /https?:\/\/[^\s<>"]+/gi
/** Characters that end a sentence or a bracket after an address. */
const AFTER_ADDRESS = /[).,:;!?'\]}]{1,10}$/

/** Texts of a mail. */
interface Texts {
  readonly html?: string | undefined
  readonly text?: string | undefined
}

/** Parser that keeps no open elements, because closing tags do not matter, and deep nesting would be slow. */
class FlatParser extends Parser {
  protected override isVoidElement(): boolean {
    return true
  }
}

/**
 * Returns the http and https addresses of a mail without duplicates: first the links of the HTML in their order, then
 * the addresses of the text.
 */
export function linksOf({ html = '', text = '' }: Texts): readonly string[] {
  const links = new Set<string>()
  const add = (address: string): void => {
    if (links.size < MAX_LINKS && /^https?:\/\//i.test(address)) links.add(address)
  }
  const parser = new FlatParser({
    onopentag(name, { href }) {
      if ((name === 'a' || name === 'area') && href !== undefined) add(href.trim())
    },
  })
  parser.end(html)
  for (const [address] of text.matchAll(ADDRESS)) add(address.replace(AFTER_ADDRESS, ''))
  return [...links]
}

/** Words that announce a code, in the languages of the dashboard and a few more. */
const ANNOUNCED =
  /\b(?:code|codes|otp|pin|tan|passcode|password|passwort|kennwort|token|best[aä]tigung|verification|vérification|confirmation|c[oó]digo|codice)\b/i

/** Characters around a code in which a word announces it. */
const NEAR = 80
/** Maximum length of the text that is read, and maximum number of codes. */
const READ = 64_000
const MAX_CODES = 20

/** A code: 4 to 8 digits, possibly in two groups, or 6 to 10 capital letters and digits with one of each. */
const CODE =
  /(?<![\w.,:/@#=&?%$€£+-])(?:\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|\d{4,8}|(?=[A-Z\d]{0,9}\d)(?=[A-Z\d]{0,9}[A-Z])[A-Z\d]{6,10})(?![\w@/%$€£-]|[.,:]\d)/g

/**
 * Returns the codes of a text in their order and without duplicates: those that a word such as "code" announces
 * nearby, or those that stand alone on a line. Groups are joined.
 */
export function codesOf(text: string): readonly string[] {
  const read = text.slice(0, READ)
  const codes = new Set<string>()
  for (const { 0: written, index } of read.matchAll(CODE)) {
    const end = index + written.length
    const around = read.slice(Math.max(0, index - NEAR), Math.min(read.length, end + NEAR))
    const isAlone =
      /(?:^|\n)[ \t*]*$/.test(read.slice(Math.max(0, index - 20), index)) &&
      /^[ \t*]*(?:\n|$)/.test(read.slice(end, end + 20))
    if (isAlone || ANNOUNCED.test(around)) codes.add(written.replace(/[ -]/g, ''))
    if (codes.size === MAX_CODES) break
  }
  return [...codes]
}
