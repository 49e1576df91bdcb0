// Scores a reply by its concepts: words for a mailbox and for its absence in one clause, in any language and word
// order, against words that leave the mailbox in doubt.

import { isAdvice } from './fault-words.ts'
import { CONCEPT_SIGNS, CONCEPT_WORDS, type Concept } from './known-words.ts'
import { plain } from './reply-text.ts'

/** Number of first letters by which the words are indexed. */
const INDEX_LETTERS = 3

/** A word, or its beginning, with its concepts. */
interface ConceptWord {
  readonly word: string
  readonly openEnded: boolean
  readonly concepts: readonly Concept[]
}

const list = (text: string): string[] => text.trim().split(/\s+/)

/** Words of all languages, by their first letters; a word of fewer letters stands under the whole word. */
const INDEX: ReadonlyMap<string, readonly ConceptWord[]> = indexed()

function indexed(): Map<string, ConceptWord[]> {
  const concepts = new Map<string, Concept[]>()
  for (const language of Object.values(CONCEPT_WORDS)) {
    for (const [concept, words] of Object.entries(language)) {
      for (const written of list(words)) {
        const key = `${plain(written).replaceAll(' ', '')}${written.endsWith('*') ? '*' : ''}`
        const known = concepts.get(key)
        if (known === undefined) concepts.set(key, [concept as Concept])
        else if (!known.includes(concept as Concept)) known.push(concept as Concept)
      }
    }
  }
  const index = new Map<string, ConceptWord[]>()
  for (const [key, of] of concepts) {
    const word = key.replace('*', '')
    const at = word.slice(0, INDEX_LETTERS)
    const entry = { word, openEnded: key.endsWith('*'), concepts: of }
    const known = index.get(at)
    if (known === undefined) index.set(at, [entry])
    else known.push(entry)
  }
  return index
}

/** Signs of each concept, as plain text without spaces. */
const SIGN_LISTS: readonly (readonly [Concept, readonly string[]])[] = Object.entries(CONCEPT_SIGNS).map(
  ([concept, signs]) => [concept as Concept, list(signs).map((sign) => plain(sign).replaceAll(' ', ''))],
)

/** State of a mailbox that a reply speaks of. */
export type SpokenState = 'mailbox_not_found' | 'mailbox_disabled' | undefined

/** Score from which a reply counts as one about a missing or closed mailbox. */
const ENOUGH = 4
/** Points for a word of the mailbox in the clause of the state, and elsewhere in the reply. */
const SUBJECT = 2
const SUBJECT_ELSEWHERE = 1
/**
 * Points for weaker signs of the recipient, which count only in a clause without a word of the mailbox: a word that may
 * mean the recipient, a quoted address, and a word for the host that replies.
 */
const WEAK_SUBJECT = 1
/** Points for a state: missing, closed, or a negation near a word of existence. */
const STATE = 2
/** Further points for a person who has left, and for something that a negation says to have ended. */
const ENDED = 1
/** Points against, for each clause that names a doubt: in the clause of the state, and elsewhere. */
const DOUBT = -2
const DOUBT_ELSEWHERE = -1
/** Maximum number of words between a negation and the word that it negates. */
const REACH = 3
/** Maximum number of clauses, and of words of a clause, that are read. */
const MAX_CLAUSES = 12
const MAX_WORDS = 40

/** Scripts whose words are read as signs. */
const SIGN_SCRIPTS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u

/**
 * Points of the prefixes of an enhanced code, without its class, for a mailbox that is missing or closed (RFC 3463); a
 * code of another subject counts against it, although many hosts send 5.7.1 for missing mailboxes.
 */
const CODE_POINTS: readonly (readonly [prefix: string, points: number])[] = [
  ['1.7', -4],
  ['1.8', -4],
  ['1.', 1],
  ['2.1', 1],
  ['2.2', -3],
  ['2.3', -3],
  ['3.', -1],
  ['4.', -1],
  ['6.', -3],
  ['7.', -1],
]

/** Concepts of one clause. */
interface ClauseConcepts {
  readonly subject: boolean
  /** Number of weaker signs of the recipient. */
  readonly weak: number
  readonly missing: boolean
  readonly closed: boolean
  /** True if the clause says that a person has left, or that something has ended. */
  readonly ended: boolean
  readonly doubt: boolean
  /** True if the clause says that something failed or was refused, without a reason. */
  readonly vague: boolean
}

/**
 * Returns the state of the mailbox that a permanent reply to RCPT speaks of. The time is linear in the length of the
 * clauses, of which the first `MAX_CLAUSES` are read.
 *
 * @param clauses the clauses that `readWords` returns
 * @param detail the enhanced code without its class, if there is one
 * @param quotes true if the reply quotes an address
 */
export function spokenState(clauses: string, detail: string | undefined, quotes = false): SpokenState {
  const read = clauses.split('|', MAX_CLAUSES).map(conceptsOf)
  const points = CODE_POINTS.find(([prefix]) => detail?.startsWith(prefix))?.[1] ?? 0
  let best: { readonly score: number; readonly state: SpokenState } = { score: 0, state: undefined }
  for (const [at, clause] of read.entries()) {
    if (!clause.missing && !clause.closed) continue
    const others = read.filter((_one, other) => other !== at)
    const subject = subjectOf(clause, others, quotes)
    const doubts = (clause.doubt ? DOUBT : 0) + (others.some((one) => one.doubt) ? DOUBT_ELSEWHERE : 0)
    const score = subject === 0 ? 0 : subject + STATE + (clause.ended ? ENDED : 0) + doubts + points
    if (score > best.score) best = { score, state: clause.closed ? 'mailbox_disabled' : 'mailbox_not_found' }
  }
  return best.score >= ENOUGH ? best.state : undefined
}

/**
 * True if a reply names a doubt, nothing missing or closed, and no mailbox apart from the doubt: an enhanced code about
 * the mailbox is then a mistake of the host. The time is linear in the length of the clauses.
 */
export function speaksOfDoubt(clauses: string): boolean {
  const read = clauses
    .split('|', MAX_CLAUSES)
    .filter((clause) => !isAdvice(clause))
    .map(conceptsOf)
  return (
    read.some((one) => one.doubt) &&
    !read.some((one) => one.missing || one.closed || (one.subject && !one.doubt))
  )
}

/**
 * True if every clause that names something missing or closed also names a doubt, such as the reader of the reply. The
 * time is linear in the length of the clauses.
 */
export function doubtsStates(clauses: string): boolean {
  const states = clauses
    .split('|', MAX_CLAUSES)
    .map(conceptsOf)
    .filter((one) => one.missing || one.closed)
  return states.length > 0 && states.every((one) => one.doubt)
}

/**
 * Returns whether a reply names a mailbox or only a state, if the reply names neither a doubt nor a failure without a
 * reason; undefined for any other reply. The time is linear in the length of the clauses.
 */
export function undoubted(clauses: string): 'mailbox' | 'state' | undefined {
  const read = clauses.split('|', MAX_CLAUSES).map(conceptsOf)
  if (read.some((one) => one.doubt || one.vague)) return undefined
  if (read.some((one) => one.subject)) return 'mailbox'
  return read.some((one) => one.missing || one.closed) ? 'state' : undefined
}

/** Returns the points of the signs that a clause is about the recipient. */
function subjectOf(clause: ClauseConcepts, others: readonly ClauseConcepts[], quotes: boolean): number {
  if (clause.subject) return SUBJECT
  const elsewhere = others.some((one) => one.subject) ? SUBJECT_ELSEWHERE : 0
  return elsewhere + WEAK_SUBJECT * (clause.weak + (quotes ? 1 : 0))
}

function conceptsOf(clause: string): ClauseConcepts {
  const found = SIGN_SCRIPTS.test(clause) ? signsOf(clause) : undefined
  const words = clause.trim().split(' ', MAX_WORDS)
  const concepts = words.map((word) => conceptsOfWord(word))
  const has = (...wanted: readonly Concept[]): boolean =>
    wanted.some((concept) => found?.has(concept) === true || concepts.some((of) => of.includes(concept)))
  const ended = has('left') || isEnded(concepts)
  return {
    subject: has('box', 'address'),
    weak: (has('person', 'record') ? 1 : 0) + (has('here') ? 1 : 0),
    missing: has('missing') || isNegated(words, concepts),
    closed: has('closed') || ended,
    ended,
    vague: has('vague'),
    doubt: found?.has('guard') === true || concepts.some((of, at) => isDoubt(of, concepts[at - 1])),
  }
}

/** True for a doubt; "removed from" does not name a sender. */
const isDoubt = (of: readonly Concept[], before: readonly Concept[] = NONE): boolean =>
  of.includes('guard') && !before.includes('closed') && !before.includes('left')

/** True if a negation is near a word such as "longer", in either order: "ya no", "nicht mehr", "ne fait plus". */
const isEnded = (concepts: readonly (readonly Concept[])[]): boolean =>
  concepts.some((of, at) => of.includes('not') && near(concepts, at).some((other) => other.includes('more')))

/** Prepositions, after which a noun is not the one that is negated: "no route to the mailbox". */
const PREPOSITIONS = new Set(
  'to for from of in at on by with a zu zum zur im fur an auf bei von de du pour para per di da do na w u к в для от'.split(
    ' ',
  ),
)

/** True if a negation is near a word of existence, or a negation of nouns precedes a word of the mailbox: "no account". */
function isNegated(words: readonly string[], concepts: readonly (readonly Concept[])[]): boolean {
  return concepts.some((of, at) => {
    if (of.includes('not') && (of.includes('there') || near(concepts, at).some(isOfExistence))) return true
    if (!of.includes('none')) return false
    const box = concepts.findIndex(
      (other, index) => index > at && SUBJECTS.some((one) => other.includes(one)),
    )
    return box > at && box - at <= REACH && !words.slice(at + 1, box).some((word) => PREPOSITIONS.has(word))
  })
}

const SUBJECTS: readonly Concept[] = ['box', 'address', 'person', 'record']

const near = <T>(list: readonly T[], at: number): readonly T[] => [
  ...list.slice(Math.max(0, at - REACH), at),
  ...list.slice(at + 1, at + 1 + REACH),
]

const isOfExistence = (of: readonly Concept[]): boolean => of.includes('there')

const NONE: readonly Concept[] = []

/** True for a word that the tables contain under a concept of the mailbox or of its state. */
export const isConceptWord = (word: string): boolean =>
  conceptsOfOneWord(word).some((concept) => concept !== 'guard')

/** Number of letters from which an unknown word is read as joined words: `nosuchmailbox`. */
const JOINED = 8
const MAX_JOINED = 40

/** Returns the concepts of a word, or of the words that are joined in the word. */
function conceptsOfWord(word: string): readonly Concept[] {
  const concepts = conceptsOfOneWord(word)
  if (word.length < JOINED || word.length > MAX_JOINED) return concepts
  const parts = partsOfWord(word)
  if (parts.length < 2) return concepts
  const joined = parts.map(conceptsOfOneWord)
  const all = joined.flat()
  return isNegated(parts, joined) ? [...all, 'missing'] : all
}

/** Splits a word into words of the tables without endings, longer words first; empty if a rest remains. */
function partsOfWord(word: string): readonly string[] {
  /** Positions from which no split was found. */
  const dead = new Set<number>()
  const splitFrom = (from: number): readonly string[] | undefined => {
    const rest = word.slice(from)
    if (rest === '' || rest === 's') return []
    if (dead.has(from)) return undefined
    for (const length of lengthsOfWords(rest)) {
      const parts = splitFrom(from + length)
      if (parts !== undefined) return [rest.slice(0, length), ...parts]
    }
    dead.add(from)
    return undefined
  }
  return splitFrom(0) ?? []
}

/** Returns the lengths of the words of the tables with which a text begins, longer words first. */
const lengthsOfWords = (text: string): readonly number[] =>
  [text.slice(0, INDEX_LETTERS), text.slice(0, INDEX_LETTERS - 1)]
    .flatMap((key) => INDEX.get(key) ?? [])
    .filter(({ word }) => text.startsWith(word))
    .map(({ word }) => word.length)
    .toSorted((a, b) => b - a)

function conceptsOfOneWord(word: string): readonly Concept[] {
  const candidates = INDEX.get(word.slice(0, INDEX_LETTERS))
  if (candidates === undefined) return NONE
  return candidates
    .filter((one) => (one.openEnded ? word.startsWith(one.word) : word === one.word))
    .flatMap((one) => one.concepts)
}

/** Returns the concepts of the signs of a clause. */
function signsOf(clause: string): ReadonlySet<Concept> {
  const text = clause.replaceAll(' ', '')
  return new Set(
    SIGN_LISTS.filter(([, signs]) => signs.some((sign) => text.includes(sign))).map(([concept]) => concept),
  )
}
