// The closed vocabulary of replies about a recipient: a word outside of the vocabulary may describe another mailbox.

import { FAULT, hasFault, isAbsent, isClosed, isFaultWord, isLeaving, KINDS } from './fault-words.ts'
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

/** Clauses that tell the reader what to do, and name nothing at fault. */
const ADVICE =
  /^ (?:dear \p{L}+ $|hello |hi |hey |kindly |sorry $|bad luck |no can do |please (?!note)|请 |see |check |contact |visit |try |refer |ask |go to |for (?:more|further|details|information|help|explanation|assistance) |remove |update |do not |don t |use |write to |stop |more (?:info|details|information) |learn more |bitte |siehe |prufen |veuillez |merci de |voir |verifiez |por favor |consulte |contacte |revise |verifique |verifique |si prega |per favore |verificare |controllare |controleer |neem |prosimy |prosze |sprawdz |kontrollera |пожалуиста |проверьте |обратитесь )/u

/** Words for a direction towards a recipient: "the user you are sending to", in languages with such clauses. */
const TOWARDS = [
  /(?:to )?(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:just )?(?:(?:try|tried|trying|want|wanted|wish|wished|attempted|attempting|meant|intended|like) to (?:reach|contact|e?mail|write to|address)|enter(?:ed)?|typed?|gave|given|specified|requested|provided|named|looking for|asked for|reached|(?:send|sending|sent|write|writing|wrote|mail|mailing|mailed|email|emailing|emailed|deliver|delivering|post|posting)(?: (?:it|this|this mail|your mail|a message|your message|an email))? to|(?:address|contact|mail|email|reach|want|need|tried|addressed|contacted|mailed|emailed)(?= (?:is|was|has|had|does|do|did|no|not|isn|wasn|hasn|doesn|cannot|could|can)))/u,
  /(?:an )?(?:die|den|das|dem) (?:sie|ihre (?:mail|nachricht)) (?:\p{L}{1,12} )?(?:schreiben|senden|anschreiben|angeschrieben|angegeben|eingegeben|erreichen|gesendet|geschickt)(?: (?:wollen|wollten|mochten|haben))?/u,
  /your(?= mailbox has been blocked due to inactivity)/u,
  /von ihnen (?:angeschrieben|angegeben|gewunscht|eingegeben|genannt)\p{L}{0,2}/u,
  /(?:a laquelle|auquel|a qui) vous (?:ecrivez|envoyez|avez ecrit)|que vous (?:essayez de|tentez de|cherchez a|souhaitez|voulez|avez) (?:joindre|contacter|saisie?|indiquee?|demandee?)/u,
  /(?:a la|al) que (?:usted )?(?:escribe|envia|intenta escribir|esta escribiendo)|que (?:ha indicado|intenta contactar|ha escrito)/u,
  /(?:a|al|alla) (?:cui|quale) (?:si sta|sta|stai|state|ha|hai) (?:scrivendo|inviando|scritto)|che (?:sta|si sta|state) cercando di (?:contattare|raggiungere)/u,
  /para (?:o qual|a qual|quem) (?:voce )?(?:esta )?(?:escrev|envi)\p{L}{1,5}/u,
  /waar(?:naar|aan) u (?:schrijft|mailt|stuurt)|die u (?:probeert te|wilt) bereiken/u,
  /na ktor[eya] (?:wyslano|piszesz|wysylasz)(?: wiadomosc)?|do ktore(?:go|j) piszesz/u,
  /котор\p{L}{2,3} вы пишете|на которыи вы (?:пишете|отправляете)/u,
  /(?:som )?(?:du|ni|de) (?:skickar|skriver|sender|forsoker na) till?/u,
  /yazd[iı]g[iı]n[iı]z/u,
  /お 送 り い た た い た|您 (?:所 )?(?:发 送 的|查 找 的|要 找 的|输 入 的)/u,
].map((pattern) => pattern.source)
const TOWARDS_RECIPIENT = new RegExp(`(?<= )(?:${TOWARDS.join('|')})(?= )`, 'gu')

/** Removes clauses such as "you are sending to" from plain words. */
export const withoutTowards = (words: string): string => words.replace(TOWARDS_RECIPIENT, '').replace(/ {2,}/g, ' ')

/**
 * Phrases that lead from a noun to the mail at hand, and so to its sender: "account of this mail"; "mail of this
 * account" does not match.
 */
const OF_THIS_MAIL =
  / (?:of|in|on|with|behind|by) (?:this|the|your|that) (?:mail|email) (?!(?:account|address|box|domain|host|server|system|user))/

/**
 * Words behind a fault that may lead to the sender: the reader, the mail at hand, its way, and its answer. `POINTING_CJK` has
 * such signs of scripts without spaces.
 */
export const POINTING = new Set(
  `you your yours yourself from whose whom sender senders sending sent sends send submit submitted submitting originate origin source
  author auteur autor autore автор автора verfasser reply replies replying bounce bounces return returns write wrote written writing outbound outgoing login logged identity behalf
  notify callout callback verification full quota space whitelist greylist allowlist presented claim claimed pretend says said told according authenticate
  ihr ihre ihrem ihren ihrer ihnen sie absender absenders versand senden
  vous votre vos expediteur envoi usted remitente desde envio suo sua vostro vostra mittente scrive
  voce remetente envia u uw afzender verzenden pan pana twoj twoje nadawca nadawcy
  вы вас вам вами ваш ваша ваше вашего вашем отправитель отправителя din ditt dina avsandare avsandaren du afsender avsender
  gonderen gonderici`.split(/\s+/),
)
const POINTING_CJK = / (?:您|你|发|寄|送|貴|お 客|差 出|発|보 낸|발 신) /

/**
 * Words that continue the noun behind its fault: "unknown at the dispatching host". Other words behind a fault, of time
 * or reason, describe no noun.
 */
const CONTINUING = new Set(
  `at on in by of from with to under behind without for via through within as that which who whose whoever que qui che dont quien chi welche welcher welches dem denen bei auf in von an unter fur beim im
  chez sur en au dans par de a su in presso del della da por para pelo op bij van voor na w u przez на в у от для hos pa i av fra for`.split(
    /\s+/,
  ),
)
/** Words that end such a continuation. */
const JOINTS = new Set(
  `and but so because since after following due or | und aber weil wegen nach seit et mais car depuis suite
  y pero desde e ma dopo mas apos maar omdat wegens ale bo и но из men og`.split(/\s+/),
)
const ARTICLES = new Set('the a an this that our its their der die das dem den des ein eine le la les l un une el los las il lo i gli o os de het een'.split(' '))
/** Number of words of a clause that may only name someone: "user unknown (the dispatching party)". */
const AGENT_CLAUSE = 3
/** Maximum number of unknown words of a reply that still makes a soft finding. */
const MAX_UNKNOWN = 4

/** A reply split at its first fault. */
interface Split {
  /** Words up to the noun at fault, and the fault. */
  readonly upToFault: string
  /** Words behind the clause of the fault. */
  readonly behind: string
  /** True if the fault says that a person has left. */
  readonly leaves: boolean
}

/**
 * Splits clauses behind the first fault. A fault that precedes its noun ends with its clause, since the words behind
 * describe the noun; any other fault ends at the first joint.
 */
export function splitAtFault(clauses: string): Split {
  const found = firstFault(clauses)
  if (found === undefined) return { upToFault: clauses, behind: '', leaves: false }
  const words = clauses.slice(found.end + 1).split(' ')
  const continues = CONTINUING.has(words[0] ?? '')
  const at = words.findIndex((word) => (found.precedes ? word === '|' : !continues || JOINTS.has(word)))
  const { leaves } = found
  if (at < 0) return { upToFault: clauses, behind: '', leaves }
  return {
    upToFault: `${clauses.slice(0, found.end)} ${words.slice(0, at).join(' ')}`,
    behind: ` ${words.slice(at).join(' ')}`,
    leaves,
  }
}

function firstFault(clauses: string): { end: number; precedes: boolean; leaves: boolean } | undefined {
  for (const found of clauses.matchAll(FAULT)) {
    if (!isAbsent(found[0]) && !isClosed(found[0])) continue
    const end = found.index + found[0].length
    const precedes = found.groups?.none !== undefined || precedesNoun(found, clauses.slice(end + 1, end + 60))
    return { end, precedes, leaves: isLeaving(found[0]) }
  }
  return undefined
}

/**
 * True if the noun of a fault follows: a noun for a recipient behind at most two words, or any word behind a fault such
 * as "unknown".
 */
function precedesNoun({ groups, 0: fault }: RegExpExecArray, following: string): boolean {
  if (groups?.before === undefined) return false
  const words = following.split(' ')
  if (words.slice(0, 3).some((word) => ['recipient', 'address'].includes(KINDS.get(word) ?? ''))) return true
  const [next = ''] = words
  return isAbsent(fault) && !isClosed(fault) && next !== '' && !CONTINUING.has(next) && !JOINTS.has(next)
}

/**
 * How much of a reply is in the vocabulary of replies about a recipient. `all`: no word can describe another mailbox;
 * `most`: one word is unknown and does not stand where it would describe a noun; `few`: anything else.
 */
export type KnownWords = 'all' | 'most' | 'few'

/**
 * Reads whether a word of a reply may describe a mailbox other than the recipient's. Up to the fault every word has to
 * be in the vocabulary or a name; behind the fault, no word may point to the sender. Advice does not count. Linear.
 *
 * @param clauses the clauses that `readWords` returns
 * @param names the names that `readWords` returns
 */
export function knownWords(clauses: string, names: string): KnownWords {
  if (OF_THIS_MAIL.test(clauses)) return 'few'
  const { upToFault, behind, leaves } = splitAtFault(withoutTowards(clauses))
  const named = new Set(names.split(' '))
  if (behind.split('|').some((clause) => !isAdvice(clause) && mayPoint(clause, named))) return 'few'
  const unknown = upToFault
    .split('|')
    .filter((clause) => !isAdvice(clause))
    .flatMap((clause) => unknownWords(clause, named).map((word) => ({ word, clause })))
  if (unknown.length === 0) return 'all'
  if (unknown.length > MAX_UNKNOWN) return 'few'
  const isOpen = unknown.some(({ word, clause }) => {
    const words = clause.trim().split(' ')
    return leaves ? mayNameSender(word, words) : mayDescribe(word, words)
  })
  return isOpen ? 'few' : 'most'
}

/** True for a word that points to the sender, or an unknown word of a relative clause. */
const mayNameSender = (word: string, words: readonly string[]): boolean =>
  POINTING.has(word) || CONTINUING.has(word) || beginsRelative(words) || words.slice(0, words.indexOf(word)).some((other) => RELATIVE.has(other))
const RELATIVE = new Set('who whose whom which whoever que qui che quien chi'.split(' '))

/** True for a clause such as "which dispatched this"; German relative pronouns are articles as well. */
function beginsRelative([first = '', second = '']: readonly string[]): boolean {
  if (/^(?:der|die|das|dem|den)$/.test(first)) return !KINDS.has(second)
  return CONTINUING.has(first)
}

/**
 * True if an unknown word may name or describe someone: a word at the beginning, beside a noun, or behind a preposition
 * or a relative pronoun.
 */
function mayDescribe(word: string, words: readonly string[]): boolean {
  if (mayNameSender(word, words) || AGENT.test(word)) return true
  const at = words.indexOf(word)
  const isNoun = (other = ''): boolean => ['recipient', 'address'].includes(KINDS.get(other) ?? '')
  const before = words.slice(0, at).filter((other) => !ARTICLES.has(other))
  const [next = '', second = ''] = words.slice(at + 1)
  const last = before.at(-1)
  if (last === undefined || last === 's' || isNoun(last) || isFaultWord(last)) return true
  if (last !== 'to' && CONTINUING.has(last)) return true
  return isNoun(next) || isNoun(second) || STRANDED.has(next)
}

/** Words of English, whose adjectives precede, and whose other modifiers begin with a preposition or a pronoun. */
const ENGLISH = new Set('the this that is was has been not does no such we our here'.split(' '))
const isEnglish = (words: string): boolean => words.split(' ').filter((word) => ENGLISH.has(word)).length >= 2

/** Prepositions that may end a relative clause: "the mailbox this was written with". */
const STRANDED = new Set(['with', 'from', 'by', 'through', 'via', 'for', 'under', 'as'])

const isAdvice = (clause: string): boolean => (ADVICE.test(clause) && !hasFault(clause)) || clause.startsWith(' if you ')

/** True if a clause behind the fault has a word for the sender, or is short and names a person that acts. */
export function mayPoint(clause: string, named: ReadonlySet<string>): boolean {
  if (POINTING_CJK.test(clause)) return true
  const unknown = unknownWords(clause, named)
  if (unknown.some((word) => POINTING.has(word))) return true
  const words = clause.trim().split(' ').filter((word) => !ARTICLES.has(word))
  return words.length <= AGENT_CLAUSE && words[0] === unknown[0] && unknown.some((word) => AGENT.test(word))
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
    offset === last && openEnded ? words[at + offset]?.startsWith(word) === true : words[at + offset] === word,
  )
}

/** True for a noun, a fault, a number, a placeholder, or a letter that a contraction leaves. */
function isKnownWord(word: string): boolean {
  const kind = KINDS.get(word)
  return (
    kind === 'recipient' || kind === 'address' || isFaultWord(word) || /\p{N}|^[a-z.]?$/u.test(word)
  )
}

/** Nouns and words directly before a local part. */
const BEFORE_NAME = new Set(
  'user username userid mailbox account recipient address alias name named called as part person inbox benutzer postfach namens bruger bruker gebruiker compte utilisateur boite usuario cuenta buzon utente casella conta пользователь ящик'.split(
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
const LOCAL_PART = /^\p{L}{1,12}$/u
const SHORT_NAME = 4
const AGENT = /^(?:back|login|route|source|origin|origen|origine|partida|partenza|input|loop|from)$|(?:ing|ed|ers?|ors?|ents?|ants?|eur|ice|ora|ore|ante|ente|ions?|party|side|one)$/

/** True for a short word that stands alone, or behind a noun and before a verb: "user jdoe is unknown". */
function isLocalPart(words: readonly string[], at: number): boolean {
  const word = words[at]!
  if (!LOCAL_PART.test(word) || AGENT.test(word)) return false
  const [before, behind] = [words[at - 1], words[at + 1]]
  const follows = BEFORE_NAME.has(before ?? '') || (before === 'for' && word.length <= SHORT_NAME) || (before === 'of' && words[at - 2] === 'name')
  if (!follows && before !== undefined) return false
  return behind === undefined || BEHIND_NAME.has(behind) || (follows && PLACE.has(behind))
}
