// Recognises ambiguous replies: replies that name two states ("unknown or full"), and replies about a mailbox that may
// be the sender's.

import {
  ARTICLES,
  beginsRelative,
  CONTINUING,
  FAULT,
  hasFault,
  isAbsent,
  isAdvice,
  isClosed,
  isFaultWord,
  isLeaving,
  JOINTS,
  KINDS,
  OF_THIS_MAIL,
  POINTING,
  POINTING_SIGNS,
  RELATIVE,
  STRANDED,
  withoutTowards,
} from './fault-words.ts'
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
import { isConceptWord } from './reply-concepts.ts'
import { isNounOrFilling } from './reply-subject.ts'
import { partsOf, plain } from './reply-text.ts'

/**
 * Kind of ambiguity if a reply names alternatives, at least one of which says that a mailbox is missing or closed.
 * `states`: another alternative is a temporary state or no evidence against the mailbox; `words`: another alternative
 * consists of unknown words.
 */
export type OpenReply = 'states' | 'words' | undefined

const MAX_READ = 1_000
const MAX_ALTERNATIVES = 10
/** Number of words that are read on each side of an "or". */
const SPAN = 8

const list = (words: string): string[] => words.trim().split(/\s+/)

const OR = new Set(
  list('or oder ou o lub albo of eller ili или або vagy sau nebo anebo alebo veya tai either'),
)
/** Signs for "or", and words for "or" in scripts without spaces. */
const OR_SIGNS =
  /(?<=[\p{L}"] ?)[/|](?= ?[\p{L}"])|或者|或|または|もしくは|又は|또는|หรือ|\u0623\u0648|\u05d0\u05d5(?=\s)/gu
/**
 * Words that identify a Dutch reply, in which `of` means "or"; `POLISH` contains words before which `o` does not mean
 * "or".
 */
const DUTCH =
  /^(?:onbekend|gebruiker|ontvanger|bestaat|niet|geen|postvak|postbus|geblokkeerd|ongeldig|adres|vol|uitgeschakeld|opgeheven)/
const POLISH = /^(?:podan|nazw|taki|adresie)/

/** Words for a mailbox that is missing or not in use. */
const DEAD =
  /unknown|no such|not found|(?:not|n t) exist|non ?exist|invalid|not valid|illegal|inactive|disabled|deactivated|suspended|closed|terminated|expired|cancell?ed|discontinued|deleted|removed|locked|blocked|frozen|no longer|gesperrt|bloque|bloccat|zablokowan|geblokkeerd|заблокирован|(?:not|n t) (?:known|recogni|listed|registered|active|here|local|present|on this)|unbekannt|ungultig|deaktiviert|geloscht|geloescht|existiert|inconnu|inexist|desactiv|supprim|ferme|suspend|n existe|desconocid|no existe|desativ|inactiv|inativ|eliminad|sconosciut|inesist|non esiste|disattivat|disabilitat|sospes|desconhecid|nao existe|onbekend|bestaat|ongeldig|uitgeschakeld|opgeheven|nieznan|nie istnieje|nieaktywn|usuniet|okand|ukendt|ukjent|finns inte|findes ikke|finnes ikke|neznam|neexist|ismeretlen|necunoscut|неизвестн|не существ|не наиден|удален|отключен|невідом|不 存 在|未 知|禁 用|停 用|冻 结|注 销|見 つ か り/u
/** Words for a mailbox that exists and may accept the next message. */
const ALIVE =
  / full |quota|over (?:the )?limit|exceed|no space|storage|temporar|busy|polic|politi|richtlin|beleid|too many|too large|spam| rate |greylist| voll |uberfullt|ueberfuellt|pleine?s? |satur|llen[oa] |pien[oa] |plina? |chei[oa] |peln[aye] |pełn|przepeln|przepełn|przekroczon| vol | fuld|pln[ay] |preplnen|megtelt|dolu|переполн|полон|квот|满|滿|満 杯|い っ ぱ い|容 量|vorubergehend|temporair|temporal|temporane|tijdelijk|временн|暂 时/u

/** Words for a refusal by a person or a rule: the mailbox may exist. */
const REFUSED =
  /reject|refus|denied|deny|not allowed|not accept|abgelehnt|verweigert|abgewiesen|rechazad|rifiutat|recusad|rejeit|geweigerd|odrzucon|отклонен|拒|avvisad|nekad|afvist/u

/** Compares the alternatives in the first 1,000 characters of a reply, in linear time. */
export function openReply(text: string): OpenReply {
  const clauses = withoutNames(text.slice(0, MAX_READ))
    .split(/[.;:!?()](?:\s|$)/)
    .map((clause) => plain(clause.replace(OR_SIGNS, ' or ')))
    .filter((clause) => clause !== '')
  let open: OpenReply
  let left: readonly string[] = []
  let count = 0
  for (const clause of clauses) {
    const words = clause.split(' ')
    for (const [at, word] of words.entries()) {
      if (!OR.has(word) || !isAlternative(words, at)) continue
      if (++count > MAX_ALTERNATIVES) return open
      const before = at === 0 ? left.slice(-SPAN) : words.slice(Math.max(0, at - SPAN), at)
      const found = compare(before, words.slice(at + 1, at + 1 + SPAN))
      if (found === 'states') return found
      open ??= found
    }
    left = words
  }
  return open
}

/** Removes links and addresses, because their slashes do not separate alternatives. */
const withoutNames = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !/:\/\/|@|\w\/\w*[.\d/]/.test(word))
    .join(' ')

function isAlternative(words: readonly string[], at: number): boolean {
  if (words[at] === 'of') return words.some((word) => DUTCH.test(word))
  // The Finnish word is also the end of a Vietnamese fault.
  if (words[at] === 'tai') return !words.includes('khong')
  return words[at] !== 'o' || !POLISH.test(words[at + 1] ?? '')
}

function compare(before: readonly string[], after: readonly string[]): OpenReply {
  const sides = [before, after].map((words) => ` ${words.join(' ')} `)
  const isDead = (side: string): boolean => hasFault(side) || DEAD.test(side)
  if (!sides.some(isDead)) return undefined
  if (sides.some((side) => ALIVE.test(side))) return 'states'
  if (sides.some((side) => REFUSED.test(side) && !isDead(side))) return 'states'
  const isKnown = (words: readonly string[], side: string): boolean =>
    isDead(side) ||
    / (?:unavailable|not available) /.test(side) ||
    words.every((word) => OR.has(word) || isNounOrFilling(word))
  return isKnown(before, sides[0]!) && isKnown(after, sides[1]!) ? undefined : 'words'
}

/**
 * Part of a reply that consists of vocabulary. `all`: no word can describe another mailbox; `most`: no unknown word is
 * in a position that describes a noun; `some`: one or two unknown words are in such a position, but none of these has
 * the form of a word for somebody who acts; `many`: more unknown words, none of which has such a form; `few`: any other
 * reply.
 */
export type KnownWords = 'all' | 'most' | 'some' | 'many' | 'few'

/** Maximum number of unknown words in a reply with the result `most`. */
const MAX_UNKNOWN = 4
/** Maximum number of unknown words in a reply with the result `some`. */
const MAX_DESCRIBING = 2
/** Maximum number of words in a clause that only names somebody: "user unknown (the dispatching party)". */
const NAMING_CLAUSE = 3
/**
 * Maximum number of characters that are searched for a noun after a fault; `WORDS_TO_NOUN` is the maximum number of
 * words.
 */
const NOUN_SPAN = 60
const WORDS_TO_NOUN = 3

/**
 * Returns whether all words of a reply are known, so that the reply cannot be about a mailbox other than the
 * recipient's. Every word up to the fault has to be a name or in the vocabulary, and no word after the fault may refer
 * to the sender. Clauses with advice are ignored. The time is linear.
 *
 * @param clauses the clauses that `readWords` returns
 * @param names the names that `readWords` returns
 */
export function knownWords(clauses: string, names: string): KnownWords {
  if (OF_THIS_MAIL.test(clauses)) return 'few'
  const { upToFault, behind, leaves } = splitAtFault(withoutTowards(clauses))
  const named = new Set(names.split(' '))
  if (countedClauses(behind).some((clause) => mayPoint(clause, named))) return 'few'
  const unknown = countedClauses(upToFault).flatMap((clause) =>
    unknownWords(clause, named).map((word) => ({ word, words: clause.trim().split(' ') })),
  )
  if (unknown.length === 0) return 'all'
  const mayMislead = leaves ? mayNameSender : mayDescribe
  if (unknown.length <= MAX_UNKNOWN && !unknown.some(({ word, words }) => mayMislead(word, words)))
    return 'most'
  const mayAct = ({ word, words }: (typeof unknown)[number]): boolean =>
    mayNameSender(word, words) || (isAgent(word) && !isConceptWord(word))
  if (unknown.some(mayAct)) return 'few'
  return unknown.length > MAX_DESCRIBING ? 'many' : 'some'
}

/** Returns the clauses of a text without advice. */
const countedClauses = (text: string): string[] => text.split('|').filter((clause) => !isAdvice(clause))

/** A reply, split at the first fault. */
interface SplitReply {
  /** Words up to the end of the fault and its description; `behind` contains the remaining words. */
  readonly upToFault: string
  readonly behind: string
  /** True if the fault says that a person has left; the noun may then be any person. */
  readonly leaves: boolean
}

/**
 * Splits clauses at the first fault. The first part extends to the end of the clause if the fault precedes its noun,
 * because the following words describe the noun. The first part extends to the next word of `JOINTS` if a preposition
 * or a relative pronoun follows the fault.
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

/**
 * True if the noun follows the fault: a noun for a recipient within a few words, or any noun directly after a fault
 * such as "unknown".
 */
function precedesNoun({ groups, 0: fault }: RegExpExecArray, following: readonly string[]): boolean {
  if (groups?.none !== undefined) return true
  if (groups?.before === undefined) return false
  if (following.slice(0, WORDS_TO_NOUN).some(isNounOfRecipient)) return true
  const [next = ''] = following
  return isAbsent(fault) && next !== '' && !CONTINUING.has(next) && !JOINTS.has(next)
}

/**
 * True if a clause after the fault contains a word that refers to the sender, or only names a person or party that
 * acts.
 */
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

/** True for an unknown word that refers to the sender or belongs to a relative clause. */
function mayNameSender(word: string, words: readonly string[]): boolean {
  if (POINTING.has(word) || CONTINUING.has(word) || beginsRelative(words)) return true
  return words.slice(0, words.indexOf(word)).some((other) => RELATIVE.has(other))
}

/**
 * True if an unknown word may name or describe somebody: a word at the beginning of a clause, next to a noun, or after
 * a preposition or a relative pronoun. A word between a noun and its fault is a local part in any language.
 */
function mayDescribe(word: string, words: readonly string[]): boolean {
  if (mayNameSender(word, words) || isAgent(word)) return true
  const at = words.indexOf(word)
  const noun = words[at - 1] === 'of' ? words[at - 2] : words[at - 1]
  if (isNounOfRecipient(noun) && beginsPredicate(words[at + 1]) && LATIN_NAME.test(word)) return false
  const last = words.slice(0, at).findLast((other) => !ARTICLES.has(other))
  const [next = '', second = ''] = words.slice(at + 1)
  if (last === undefined || last === 's' || isNounOfRecipient(last) || isFaultWord(last)) return true
  if (last !== 'to' && CONTINUING.has(last)) return true
  return isNounOfRecipient(next) || isNounOfRecipient(second) || STRANDED.has(next)
}

/** Rules with phrases that belong to the vocabulary. */
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

/**
 * Number of first letters by which open-ended words are indexed; every open-ended word has at least this many letters.
 */
const STEM_LETTERS = 2

/** A word or a phrase of the vocabulary. */
interface Entry {
  readonly words: readonly string[]
  /** True if the last word may have further letters. */
  readonly openEnded: boolean
}

const byWord = new Map<string, Entry[]>()
const byStem = new Map<string, Entry[]>()

/** Parts of phrases that are about a recipient only together with the rest of the phrase. */
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
function unknownWords(clause: string, named: ReadonlySet<string>): string[] {
  const words = clause.trim().split(' ')
  const unknown: string[] = []
  for (let at = 0; at < words.length; ) {
    const word = words[at]!
    const length = lengthOfEntry(words, at)
    const isKnown = length > 0 || isKnownWord(word) || named.has(word)
    if (!isKnown && !isLocalPart(words, at) && !isOwnCode(words, at)) unknown.push(word)
    at += Math.max(length, 1)
  }
  return unknown
}

/** True for the name of a service before its own error code, at the beginning of a clause: "SL E502". */
const isOwnCode = (words: readonly string[], at: number): boolean =>
  at === 0 && words[0]!.length <= 4 && /^[a-z]*\p{N}+$/u.test(words[1] ?? '')

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

/** True for a noun for a recipient or an address. */
const isNounOfRecipient = (word = ''): boolean => {
  const kind = KINDS.get(word)
  return kind === 'recipient' || kind === 'address'
}

/**
 * True for a noun, a fault, a word with a digit (such as a placeholder), or a single letter (the rest of a
 * contraction).
 */
const isKnownWord = (word: string): boolean =>
  isNounOfRecipient(word) || isFaultWord(word) || /\p{N}|^[a-z]?$/u.test(word)

/** Words that may directly precede a local part. */
const BEFORE_NAME = new Set(
  `user username userid mailbox account recipient address alias name named called as part person inbox benutzer postfach
  namens bruger bruker gebruiker compte utilisateur boite usuario cuenta buzon utente casella conta пользователь ящик`.split(
    /\s+/,
  ),
)
/**
 * Words that may directly follow a local part; `PLACE` contains further words that may follow a local part after a word
 * of `BEFORE_NAME`.
 */
const BEHIND_NAME = new Set(
  `s is isn was has hasn does doesn could cannot can not no unknown unavailable invalid disabled suspended unbekannt ist
  wurde existiert existe n`.split(/\s+/),
)
const PLACE = new Set(['at', 'on', 'in', 'here', 'auf', 'bei'])
const LOCAL_PART = /^\p{L}{1,12}$/u
/** Verbs that may separate a local part from its fault, and the fault words of several words. */
const PREDICATE = new Set(
  'a ha has ist wurde wird er is est foi fue fost byl bylo jest zostal zostalo zostala war finns findes finnes'.split(
    ' ',
  ),
)
/** True for a word that begins the statement about a noun: "does", "not", "unknown". */
const beginsPredicate = (word = ''): boolean =>
  isFaultWord(word) || BEHIND_NAME.has(word) || PREDICATE.has(word)
/** A local part between a noun and a fault, which may be in another script than the local part. */
const LATIN_NAME = /^[a-z]{3,20}$/
/** Maximum number of letters of a local part after "for"; longer words after "for" are nouns. */
const SHORT_NAME = 4
/** Nouns for a party of the dialog, and endings of nouns for a person or party that acts. */
const AGENT =
  /^(?:back|login|route|source|origin|origen|origine|partida|partenza|input|loop|from)$|(?:ing|ed|ers?|ors?|ents?|ants?|eur|ice|ora|ore|ante|ente|ende[mnrs]?|ions?|party|side|one)$/

/** True for a word that may name a person or party that acts, such as a sender. */
const isAgent = (word: string): boolean => AGENT.test(word)

/** True for a short word that is the whole clause, or is between a noun and a verb: "user jdoe is unknown". */
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
