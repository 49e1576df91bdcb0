// The closed vocabulary of replies about a recipient: a word outside of the vocabulary may describe another mailbox.

import { hasFault, isFaultWord, KINDS } from './fault-words.ts'
import { KNOWN_WORDS } from './known-words.ts'
import {
  ADDRESS_NOT_FOUND,
  DISABLED,
  DISABLED_BARELY,
  DISABLED_ELSEWHERE,
  DOMAIN,
  DOMAIN_ENDED,
  NOT_FOUND,
  NOT_FOUND_ELSEWHERE,
  NOT_FOUND_LOOSELY,
} from './recipient-phrases.ts'
import { partsOf } from './reply-text.ts'

/** The rules whose phrases belong to the vocabulary. */
const RULES = [
  ADDRESS_NOT_FOUND,
  DISABLED,
  DISABLED_BARELY,
  DISABLED_ELSEWHERE,
  DOMAIN,
  DOMAIN_ENDED,
  NOT_FOUND,
  NOT_FOUND_ELSEWHERE,
  NOT_FOUND_LOOSELY,
]

/** Letters of an open-ended word by which entries are indexed; such a word has at least as many. */
const STEM_LETTERS = 2

/** A word or a phrase of the vocabulary. */
interface Entry {
  readonly words: readonly string[]
  /** True if the last word may have further letters. */
  readonly openEnded: boolean
}

const byWord = new Map<string, Entry[]>()
const byStem = new Map<string, Entry[]>()

/** Parts of phrases that say something of a recipient only with the rest of the phrase. */
const ONLY_WITHIN = new Set(['login', 'log in', 'sign in', 'client', 'such', 'employee', 'with', 'by'])

const parts = [
  ...Object.values(KNOWN_WORDS).flatMap(partsOf),
  ...RULES.flatMap(({ phrases }) => partsOf(phrases)).filter((part) => !ONLY_WITHIN.has(part.trim())),
]
for (const part of parts) {
  const entry = { words: part.trim().split(' '), openEnded: !part.endsWith(' ') }
  const [first = ''] = entry.words
  const isStem = entry.openEnded && entry.words.length === 1
  const [map, key] = isStem ? [byStem, first.slice(0, STEM_LETTERS)] : [byWord, first]
  const known = map.get(key)
  if (known === undefined) map.set(key, [entry])
  else known.push(entry)
}

/** Clauses behind the fault that tell the reader what to do, and name nothing at fault. */
const ADVICE =
  /^ (?:please (?!note)|see |check |contact |visit |try |refer |ask |go to |for (?:more|further|details|information|help|assistance) |remove |update |do not |don t |use |write to |stop |more (?:info|details|information) |learn more |bitte |siehe |veuillez |merci de |voir |por favor |consulte |contacte |si prega |per favore |prosimy |prosze |пожалуиста )/u

/**
 * Phrases that lead from a noun to the mail at hand, and so to its sender: "account of this mail"; "mail of this
 * account" does not match.
 */
const OF_THIS_MAIL =
  / (?:of|in|on|with|behind|by) (?:this|the|your|that) (?:mail|email) (?!(?:account|address|box|domain|host|server|system|user))/

/**
 * Returns true if every word of the clauses is in the vocabulary, or is a name. Advice behind the fault does not count.
 * Linear.
 *
 * @param clauses the clauses that `readWords` returns
 * @param names the names that `readWords` returns
 */
export function hasOnlyKnownWords(clauses: string, names: string): boolean {
  if (OF_THIS_MAIL.test(clauses)) return false
  const named = new Set(names.split(' '))
  return clauses.split('|').every((clause, at) => {
    if (at > 0 && ADVICE.test(clause) && !hasFault(clause)) return true
    const words = clause.trim().split(' ')
    return readClause(words, named)
  })
}

function readClause(words: readonly string[], named: ReadonlySet<string>): boolean {
  for (let at = 0; at < words.length; ) {
    const length = lengthOfEntry(words, at)
    if (length === 0 && !isKnownWord(words[at]!) && !named.has(words[at]!) && !isLocalPart(words, at)) return false
    at += Math.max(length, 1)
  }
  return true
}

/** Returns the number of words of the longest entry at a position; 0 if there is none. */
function lengthOfEntry(words: readonly string[], at: number): number {
  const word = words[at]!
  let longest = 0
  for (const entry of byWord.get(word) ?? []) {
    if (entry.words.length > longest && startsWith(words, at, entry)) longest = entry.words.length
  }
  if (longest > 0) return longest
  const stems = byStem.get(word.slice(0, STEM_LETTERS)) ?? []
  return stems.some((entry) => word.startsWith(entry.words[0]!)) ? 1 : 0
}

function startsWith(words: readonly string[], at: number, { words: wanted, openEnded }: Entry): boolean {
  const last = wanted.length - 1
  return wanted.every((word, offset) =>
    offset === last && openEnded ? words[at + offset]?.startsWith(word) === true : words[at + offset] === word,
  )
}

/** True for a noun, a fault, a number, a placeholder, or a letter that a contraction leaves. */
function isKnownWord(word: string): boolean {
  const kind = KINDS.get(word)
  return (
    kind === 'recipient' || kind === 'address' || isFaultWord(word) || /\p{N}|^[a-z]$/u.test(word)
  )
}

/** Nouns and words directly before a local part. */
const BEFORE_NAME = new Set(
  'user username userid mailbox account recipient address alias name named called as part for person inbox benutzer konto postfach namens bruger bruker gebruiker'.split(
    ' ',
  ),
)
/** Words directly behind a local part. */
const BEHIND_NAME = new Set(
  's is isn was has hasn does doesn could cannot can not no unknown unavailable invalid disabled suspended unbekannt ist wurde existiert existe n'.split(
    ' ',
  ),
)
const PLACE = new Set(['at', 'on', 'in', 'here', 'auf', 'bei'])
/** Shape of the local part of an address; words for a person that acts have other endings. */
const LOCAL_PART = /^\p{L}{1,6}$/u
const AGENT = /^(?:back|login|route)$|(?:ing|ed|ers?|ors?|ents?|ants?|eur|ore|ante|ente|party|side|one|s)$/

/** True for a short word that stands alone, or behind a noun and before a verb: "user jdoe is unknown". */
function isLocalPart(words: readonly string[], at: number): boolean {
  const word = words[at]!
  if (!LOCAL_PART.test(word) || AGENT.test(word)) return false
  const [before, behind] = [words[at - 1], words[at + 1]]
  const follows = BEFORE_NAME.has(before ?? '')
  if (!follows && before !== undefined) return false
  return behind === undefined || BEHIND_NAME.has(behind) || (follows && PLACE.has(behind))
}
