// The closed vocabulary of replies about a recipient, and the words of a reply that are outside of the vocabulary.

import { isFaultWord, KINDS } from './fault-words.ts'
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

/** Returns the words of a clause that are neither in the vocabulary nor names. */
export function unknownWords(clause: string, named: ReadonlySet<string>): string[] {
  const words = clause.trim().split(' ')
  const unknown: string[] = []
  for (let at = 0; at < words.length; ) {
    const word = words[at]!
    const length = lengthOfEntry(words, at)
    if (length === 0 && !isKnownWord(word) && !named.has(word) && !isLocalPart(words, at)) unknown.push(word)
    at += Math.max(length, 1)
  }
  return unknown
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
    offset === last && openEnded
      ? words[at + offset]?.startsWith(word) === true
      : words[at + offset] === word,
  )
}

/** True for a noun of a recipient or an address. */
export const isNounOfRecipient = (word = ''): boolean => {
  const kind = KINDS.get(word)
  return kind === 'recipient' || kind === 'address'
}

/** True for a noun, a fault, a number, a placeholder, or a letter that a contraction leaves. */
const isKnownWord = (word: string): boolean =>
  isNounOfRecipient(word) || isFaultWord(word) || /\p{N}|^[a-z]?$/u.test(word)

/** Words directly before a local part. */
const BEFORE_NAME = new Set(
  `user username userid mailbox account recipient address alias name named called as part person inbox benutzer postfach
  namens bruger bruker gebruiker compte utilisateur boite usuario cuenta buzon utente casella conta пользователь ящик`.split(
    /\s+/,
  ),
)
/** Words directly behind a local part; `PLACE` has further such words, for a local part behind one of `BEFORE_NAME`. */
const BEHIND_NAME = new Set(
  `s is isn was has hasn does doesn could cannot can not no unknown unavailable invalid disabled suspended unbekannt ist
  wurde existiert existe n`.split(/\s+/),
)
const PLACE = new Set(['at', 'on', 'in', 'here', 'auf', 'bei'])
const LOCAL_PART = /^\p{L}{1,12}$/u
/** Maximum letters of a local part behind "for", behind which longer words are nouns. */
const SHORT_NAME = 4
/** Nouns for a party of the dialog, and endings of words for someone who acts. */
const AGENT =
  /^(?:back|login|route|source|origin|origen|origine|partida|partenza|input|loop|from)$|(?:ing|ed|ers?|ors?|ents?|ants?|eur|ice|ora|ore|ante|ente|ions?|party|side|one)$/

/** True for a word that may name someone who acts, such as a sender. */
export const isAgent = (word: string): boolean => AGENT.test(word)

/** True for a short word that stands alone, or behind a noun and before a verb: "user jdoe is unknown". */
function isLocalPart(words: readonly string[], at: number): boolean {
  const word = words[at]!
  if (!LOCAL_PART.test(word) || isAgent(word)) return false
  const [before, behind] = [words[at - 1], words[at + 1]]
  const isNamed =
    BEFORE_NAME.has(before ?? '') ||
    (before === 'for' && word.length <= SHORT_NAME) ||
    (before === 'of' && words[at - 2] === 'name')
  if (!isNamed && before !== undefined) return false
  return behind === undefined || BEHIND_NAME.has(behind) || (isNamed && PLACE.has(behind))
}
