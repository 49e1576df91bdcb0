// Findings in the texts of a message: placeholders, secrets, and links of the text part.

import { foreignTags } from '../templates/foreign-tags.ts'
import { AFTER_ADDRESS, type LinkRules, linkDefects, TEXT_ADDRESS } from './links.ts'
import type { Body } from './place.ts'
import type { Report } from './report.ts'
import { secretsIn } from './secrets.ts'

/** Readable text of a body, with the offset in the source of each of its characters. */
interface ReadableText {
  readonly value: string
  offsetOf(at: number): number
}

/** Signs of which a placeholder has at least one. */
const SIGNS = /[{}[\]%*$<&]/

/** Values that a program printed in place of a missing value. */
const VALUES =
  /\bundefined\b|\[object [A-Z]\w{2,30}\]|\bNaN\b|\bInvalid Date\b|\blorem ipsum\b|(?<=(?:^|\n)[ \t]*|\b(?:hi|hello|hey|dear|hallo|liebe[rs]?|bonjour|hola|ciao|olá|beste)\s{1,3}|[:=#$€£]\s{0,3})(?:null|None|nil)(?=\s*(?:$|[\n,.!;:<)]))/gi

/** A greeting without a name, and notes of an author. */
const NOTES =
  /\b(?:hi|hello|dear|hey|hallo|liebe[rs]?|bonjour|hola|ciao|olá|beste)(?:[ \t]+| ),|\b(?:hi|hello|hey|hallo)[ \t]{1,3}!(?!\w)|\bTODO\b(?=\s*[:(]|\s*(?:$|\n)| (?:add|write|fix|replace|insert|remove|update|change|check|finish)\b)|\bFIXME\b|\bXXX\b(?=:)/gi

/** Placeholders of template languages that stand in a text. */
const EXPRESSIONS =
  /\{\{\{?[^{}\n]{1,200}\}\}\}?|\$\{[^{}\n]{1,80}\}|(?<![\w%])%[sd]\b(?!%)|\[(?:your|insert|first|last|customer|recipient)[ _][\w ]{1,40}\]|\[name\]/gi

const UNSUBSCRIBE = /^\{\{\{?&?\s*@unsubscribe_url\s*\}\}\}?$/

/** Calls `take` with each match of a global pattern. `matchAll` would copy the pattern, which costs more than the search. */
function each(pattern: RegExp, text: string, take: (found: string, index: number) => void): void {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) take(match[0], match.index)
}

/** Reports placeholders and secrets of a text. */
export function findInText(report: Report, body: Body, text: ReadableText, isTemplate: boolean): void {
  const { value } = text
  const seen = new Set<number>()
  const placeholder = (index: number, found: string, message: string): void => {
    const offset = text.offsetOf(index)
    if (seen.has(offset)) return
    seen.add(offset)
    report.at('placeholder', body, offset, message, { length: Math.max(found.length, 1) })
  }
  each(VALUES, value, (found, index) => placeholder(index, found, `"${found}" stands in place of a value.`))
  each(NOTES, value, (found, index) => {
    const message = /,|!/.test(found) ? 'The greeting lacks a name.' : `"${found}" is a note of the author.`
    placeholder(index, found, message)
  })
  if (!isTemplate && SIGNS.test(value)) {
    each(EXPRESSIONS, value, (found, index) => {
      if (!UNSUBSCRIBE.test(found)) placeholder(index, found, `"${found.slice(0, 60)}" was not replaced.`)
    })
    for (const { text: tag, index } of foreignTags(value, false, () => false)) {
      placeholder(index, tag, `"${tag.slice(0, 60)}" was not replaced.`)
    }
  }
  for (const { index, what, masked } of secretsIn(value)) {
    report.at('secret', body, text.offsetOf(index), `The text contains ${what}.`, { excerpt: masked })
  }
}

/** Reports the defects of addresses in a text part. */
export function findTextLinks(report: Report, body: Body, rules: LinkRules): void {
  each(TEXT_ADDRESS, body.source, (address, index) => {
    const url = address.replace(AFTER_ADDRESS, '')
    for (const { code, message } of linkDefects(url, 'link', () => NO_ANCHORS, rules)) {
      report.at(code, body, index, message, { length: url.length })
    }
  })
}

const NO_ANCHORS: ReadonlySet<string> = new Set()

/** Maximum number of words of a body that are compared. */
const MAX_WORDS = 3_000

/** A word that says something: short words of Latin, such as "and", are in every text. */
const WORD = /[a-z]{4,40}|[\d\u00c0-\u{10ffff}][\p{L}\p{N}]{1,40}/gu

/** Returns the words of a text in lower case. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    words.add(word)
    if (words.size === MAX_WORDS) break
  }
  return words
}

/** True if two texts share fewer than 30 % of the words of the shorter text. */
export function differ(one: string, other: string): boolean {
  const [shorter, longer] = [wordsOf(one), wordsOf(other)].toSorted((a, b) => a.size - b.size)
  if (shorter === undefined || longer === undefined || shorter.size < MIN_COMPARED) return false
  return shorter.intersection(longer).size < 0.3 * shorter.size
}

/** Number of words below which a text says too little to be compared. */
const MIN_COMPARED = 5
