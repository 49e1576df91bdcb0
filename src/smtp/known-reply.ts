// Reads how much of a reply belongs to the closed vocabulary of replies about a recipient.

import { FAULT, isAbsent, isClosed, isFaultWord, isLeaving } from './fault-words.ts'
import { isAgent, isNounOfRecipient, unknownWords } from './known-vocabulary.ts'
import {
  ARTICLES,
  beginsRelative,
  CONTINUING,
  isAdvice,
  JOINTS,
  OF_THIS_MAIL,
  POINTING,
  POINTING_SIGNS,
  RELATIVE,
  STRANDED,
  withoutTowards,
} from './reply-grammar.ts'

/**
 * How much of a reply is in the vocabulary. `all`: no word can describe another mailbox; `most`: no unknown word stands
 * where it would describe a noun; `few`: anything else.
 */
export type KnownWords = 'all' | 'most' | 'few'

/** Maximum unknown words of a reply that is known for the most part. */
const MAX_UNKNOWN = 4
/** Maximum words of a clause that only names someone: "user unknown (the dispatching party)". */
const NAMING_CLAUSE = 3
/** Characters read behind a fault for its noun; `WORDS_TO_NOUN` limits the words. */
const NOUN_SPAN = 60
const WORDS_TO_NOUN = 3

/**
 * Reads whether a word of a reply may describe a mailbox other than the recipient's. Every word up to the fault has to be
 * in the vocabulary or a name, and no word behind the fault may point to the sender. Advice does not count. Linear.
 *
 * @param clauses the clauses that `readWords` returns
 * @param names the names that `readWords` returns
 */
export function knownWords(clauses: string, names: string): KnownWords {
  if (OF_THIS_MAIL.test(clauses)) return 'few'
  const { upToFault, behind, leaves } = splitAtFault(withoutTowards(clauses))
  const named = new Set(names.split(' '))
  if (partsOf(behind).some((clause) => mayPoint(clause, named))) return 'few'
  const unknown = partsOf(upToFault).flatMap((clause) =>
    unknownWords(clause, named).map((word) => ({ word, words: clause.trim().split(' ') })),
  )
  if (unknown.length === 0) return 'all'
  if (unknown.length > MAX_UNKNOWN) return 'few'
  const mayMislead = leaves ? mayNameSender : mayDescribe
  return unknown.some(({ word, words }) => mayMislead(word, words)) ? 'few' : 'most'
}

/** Returns the clauses of a text that count. */
const partsOf = (text: string): string[] => text.split('|').filter((clause) => !isAdvice(clause))

/** A reply that is split at its first fault. */
interface SplitReply {
  /** Words up to the fault, or to the noun behind the fault. */
  readonly upToFault: string
  readonly behind: string
  /** True if the fault says that a person has left: then the noun may be any person. */
  readonly leaves: boolean
}

/**
 * Splits clauses at the first fault. A fault that precedes its noun ends with its clause, because the words behind
 * describe the noun; a preposition or a relative pronoun behind a fault continues the noun as far as the next joint.
 */
function splitAtFault(clauses: string): SplitReply {
  for (const found of clauses.matchAll(FAULT)) {
    if (!isAbsent(found[0]) && !isClosed(found[0])) continue
    const leaves = isLeaving(found[0])
    const end = found.index + found[0].length
    const words = clauses.slice(end + 1).split(' ')
    const precedes = precedesNoun(found, clauses.slice(end + 1, end + NOUN_SPAN).split(' '))
    const continues = CONTINUING.has(words[0] ?? '')
    const at = words.findIndex((word) => (precedes ? word === '|' : !continues || JOINTS.has(word)))
    if (at < 0) return { upToFault: clauses, behind: '', leaves }
    const upToFault = `${clauses.slice(0, end)} ${words.slice(0, at).join(' ')}`
    return { upToFault, behind: ` ${words.slice(at).join(' ')}`, leaves }
  }
  return { upToFault: clauses, behind: '', leaves: false }
}

/** True if the noun of a fault follows: a noun of a recipient, or any word behind a fault such as "unknown". */
function precedesNoun({ groups, 0: fault }: RegExpExecArray, following: readonly string[]): boolean {
  if (groups?.none !== undefined) return true
  if (groups?.before === undefined) return false
  if (following.slice(0, WORDS_TO_NOUN).some(isNounOfRecipient)) return true
  const [next = ''] = following
  return isAbsent(fault) && next !== '' && !CONTINUING.has(next) && !JOINTS.has(next)
}

/** True if a clause behind the fault has a word that points to the sender, or only names someone who acts. */
function mayPoint(clause: string, named: ReadonlySet<string>): boolean {
  if (POINTING_SIGNS.test(clause)) return true
  const unknown = unknownWords(clause, named)
  if (unknown.some((word) => POINTING.has(word))) return true
  const words = clause
    .trim()
    .split(' ')
    .filter((word) => !ARTICLES.has(word))
  return words.length <= NAMING_CLAUSE && words[0] === unknown[0] && unknown.some(isAgent)
}

/** True for an unknown word that points to the sender, or that belongs to a relative clause. */
function mayNameSender(word: string, words: readonly string[]): boolean {
  if (POINTING.has(word) || CONTINUING.has(word) || beginsRelative(words)) return true
  return words.slice(0, words.indexOf(word)).some((other) => RELATIVE.has(other))
}

/**
 * True if an unknown word may name or describe someone: a word at the beginning, beside a noun, or behind a preposition
 * or a relative pronoun.
 */
function mayDescribe(word: string, words: readonly string[]): boolean {
  if (mayNameSender(word, words) || isAgent(word)) return true
  const at = words.indexOf(word)
  const last = words.slice(0, at).findLast((other) => !ARTICLES.has(other))
  const [next = '', second = ''] = words.slice(at + 1)
  if (last === undefined || last === 's' || isNounOfRecipient(last) || isFaultWord(last)) return true
  if (last !== 'to' && CONTINUING.has(last)) return true
  return isNounOfRecipient(next) || isNounOfRecipient(second) || STRANDED.has(next)
}
