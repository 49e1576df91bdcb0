// Classifies a reply by its meaning and its subject: the mailbox, this installation, the content, the destination, or
// the route.

import { cacheOf } from '../lib/caches.ts'
import { type AddressCategory, type BounceCategory, isAboutAddress } from '../model/bounce-category.ts'
import { quotedWithin } from '../model/quoted-reply.ts'
import type { Reply } from '../model/reply.ts'
import { withoutTowards } from './fault-words.ts'
import { type KnownWords, knownWords, type OpenReply, openReply } from './open-replies.ts'
import type { About, Evidence, ReplyRule } from './recipient-phrases.ts'
import { byCodes, isAboutRecipient, PROVIDER_RULES } from './reply-codes.ts'
import { doubtsStates, type SpokenState, speaksOfDoubt, spokenState, undoubted } from './reply-concepts.ts'
import { GENERAL_RULES } from './reply-phrases.ts'
import { type FaultSubject, readFaultSubject } from './reply-subject.ts'
import { PhraseLists, readWords } from './reply-text.ts'
import { AFTER_CONTENT, BEFORE_RCPT, type DialogErrorCode, type Stage, type StageFailure } from './stage.ts'

/** Meaning of a failure. Other modules decide the consequences. */
export interface ReplyMeaning {
  readonly category: BounceCategory
  readonly about: About
  /**
   * True if the host permanently refuses every message to the address, and the reply is unambiguous: the words or the
   * enhanced code name the mailbox. No other reply is a reason to stop sending to the address.
   */
  readonly hard: boolean
  /** True if the reply says that the failure may be temporary, or that the host could not check the recipient. */
  readonly passing: boolean
  /**
   * True if the host defers unknown senders; the same sender, host and recipient may be accepted some minutes later.
   */
  readonly greylisted: boolean
}

/** Cache of meanings by reply. */
const meanings = cacheOf<ReplyMeaning>('reply_meanings')
const MEANING_BYTES = 100

/**
 * Returns the meaning of a dialog's failure. The words of the reply decide first, then the enhanced code, then the
 * reply code. No reply before RCPT counts as a reply about the mailbox, and no reply before DATA counts as a reply
 * about the content. A reply after DATA is about the message, unless the reply names the recipient. A reply that quotes
 * the reply of another host has the meaning of the quoted reply, because the codes of a relay that verified an address
 * are only a guess.
 */
export function meaningOf({ stage, reply, error }: StageFailure): ReplyMeaning {
  if (reply === undefined) return meaning(error === undefined ? 'network' : ERRORS[error.code])
  const quoted = BEFORE_RCPT.has(stage) ? undefined : quotedWithin(reply)
  if (quoted === undefined) return meaningOfReply(stage, reply)
  const read = meaningOfReply(quoted.answered ?? stage, quoted.reply)
  // Unknown words before a quotation may mean that the relay verified the sender.
  if (isAboutAddress(read.category) && !isIntroduced(reply.text, quoted.at)) return meaning('other')
  return { ...read, hard: read.hard && reply.code >= 500, passing: read.passing || reply.code === 421 }
}

/** True if all words before a quotation are known words of a relay that verified the recipient. */
function isIntroduced(text: string, at: number): boolean {
  const { clauses, names } = readWords(text.replace(/\s+/g, ' ').slice(0, at))
  return knownWords(clauses, names) === 'all'
}

function meaningOfReply(stage: Stage, reply: Reply): ReplyMeaning {
  const { words, spoken, clauses, names, enhanced } = readWords(reply.text)
  const detail = detailOf(reply, enhanced)
  // The words exclude addresses, so that a host's refusals of many mailboxes share one key.
  const quotes = QUOTED_ADDRESS.test(reply.text)
  const key = `${stage} ${reply.code} ${detail}${quotes}${words}${clauses}${names}`
  let known = meanings.get(key)
  if (known === undefined) {
    known = readMeaning({
      stage,
      code: reply.code,
      words,
      spoken,
      clauses,
      quotes,
      detail,
      subject: readFaultSubject(withoutTowards(clauses)),
      open: openReply(reply.text),
      known: lazily(() => knownWords(clauses, names)),
    })
    meanings.set(key, known, MEANING_BYTES)
  }
  return known
}

/** An address in angle brackets, or at the beginning of a reply. */
const QUOTED_ADDRESS = /<[^<>@\s]{1,64}@|^[^@\s]{1,64}@/

/** Returns a function that computes a value at most once. */
function lazily<T extends string>(compute: () => T): () => T {
  let value: T | undefined
  return () => (value ??= compute())
}

function readMeaning(read: ReadReply): ReplyMeaning {
  const { stage, code, words } = read
  const rule = findRule(read)
  const vague = rule?.category === 'other' && read.known() === 'all' ? bySubject(read) : undefined
  const said = vague ?? rule?.category ?? bySubject(read) ?? byUndoubtedCodes(read)
  const doubted = withDoubt(atStage(said, stage), rule, read)
  const isUnread = doubted === 'other' && rule?.category !== 'other'
  const category = (isUnread ? byConcepts(read) : undefined) ?? doubted
  if (isPutOffByPolicy(category, rule, read)) return meaning('rate_limited', { greylisted: true })
  // RFC 5321 §3.8: a host closes the connection with 421, regardless of the words of the reply.
  const passing =
    code === 421 || (code < 500 ? PASSING_NOW : PASSING).some((beginning) => words.includes(beginning))
  return meaning(category, {
    ...(rule?.about === undefined ? {} : { about: rule.about }),
    hard:
      code >= 500 &&
      category === doubted &&
      isAboutAddress(category) &&
      !passing &&
      isCertain(category, rule, read),
    passing,
    greylisted: rule?.greylisted ?? false,
  })
}

/**
 * Returns `policy` if the reply mentions the sender, `other` if the fault may not be the recipient's, and otherwise the
 * category.
 */
function withDoubt(
  category: BounceCategory,
  rule: ReplyRule | undefined,
  { code, detail, subject, open, known }: ReadReply,
): BounceCategory {
  if (rule?.evidence === 'provider') return category
  if (subject.sender && isAboutRecipient(category)) return 'policy'
  const namesRecipient =
    OF_DOMAIN.has(code) || OF_RECIPIENT.has(detail ?? '') || (subject.ofRecipient && subject.close)
  const isOpen =
    open === 'states' ||
    (rule === undefined && detail === '1.0' && subject.noun === undefined && known() !== 'all') ||
    (open === 'words' && subject.noun === undefined) ||
    (!namesRecipient && !isAboutNoun(subject, known()))
  return isOpen && isAboutAddress(category) ? 'other' : category
}

/**
 * Returns the meaning of the codes, but `other` for a code about the mailbox if the words name only another subject, such
 * as the network of the client.
 */
function byUndoubtedCodes(read: ReadReply): BounceCategory {
  const category = byCodes(read)
  return isAboutAddress(category) && speaksOfDoubt(withoutTowards(read.clauses)) ? 'other' : category
}

/**
 * Returns the state of the mailbox by the concepts of a permanent reply to RCPT, unless the reply may be about the sender
 * or names alternatives. Such a reply is never hard. Without a readable state, a reply in known words that names a
 * mailbox and no doubt means a missing mailbox, because most refusals of RCPT do.
 */
function byConcepts(read: ReadReply): SpokenState {
  const { stage, code, quotes, detail, subject, open, known } = read
  if (stage !== 'rcpt' || code < FIRST_OF_MAILBOX || OF_LOGIN.has(code)) return undefined
  if (subject.sender || open !== undefined) return undefined
  if (subject.other !== undefined && subject.noun === undefined) return undefined
  const clauses = withoutTowards(read.clauses)
  const spoken = spokenState(clauses, detail, quotes)
  if (spoken !== undefined) return spoken
  const certain = startsWithOne(detail, NOT_OF_MISSING) ? undefined : undoubted(clauses)
  const isKnown = known() === 'all' || (known() === 'most' && certain === 'mailbox')
  return certain !== undefined && isKnown ? 'mailbox_not_found' : undefined
}

/**
 * True if unknown words leave no other subject possible: few of these words describe a noun, or the noun for a recipient
 * is next to its fault and no word is about the sender.
 */
const isAboutNoun = ({ noun, close }: FaultSubject, known: KnownWords): boolean =>
  known === 'some' ? noun !== undefined && close : known !== 'few' && known !== 'many'

/** The first reply code that may be about a mailbox; lower codes are about a command (RFC 5321 §4.2.2). */
const FIRST_OF_MAILBOX = 510
/** Reply codes about the login of the client (RFC 4954 §6). */
const OF_LOGIN: ReadonlySet<number> = new Set([530, 534, 535, 538])
/** Reply codes of a domain without mail (RFC 7504). */
const OF_DOMAIN: ReadonlySet<number> = new Set([521, 556])
/** Enhanced codes, without the class, about the recipient's address, mailbox or domain (RFC 3463 §3.2, §3.3). */
const OF_RECIPIENT: ReadonlySet<string> = new Set(['1.1', '1.2', '1.3', '1.6', '1.10', '2.1', '7.13', '7.17'])

/** Words with which a host asks the client to send the same mail again. */
const ASKS_AGAIN = [' try again', ' try later', ' try once more', ' retry', ' later ', ' minutes ']

/**
 * True if a policy defers the recipient and the reply asks for another try, because greylisting programs may mention
 * only a "policy". A block of the sending host does not count, because a block lasts longer.
 */
function isPutOffByPolicy(
  category: BounceCategory,
  rule: ReplyRule | undefined,
  { stage, code, words }: ReadReply,
): boolean {
  if (code === 421 || code >= 500 || BEFORE_RCPT.has(stage) || rule?.about !== undefined) return false
  if (category !== 'policy' && !(category === 'rate_limited' && rule === undefined)) return false
  return ASKS_AGAIN.some((beginning) => words.includes(beginning))
}

interface ReadReply {
  readonly stage: Stage
  readonly code: number
  readonly words: string
  readonly spoken: string
  readonly clauses: string
  /** True if the reply quotes an address. */
  readonly quotes: boolean
  /** The enhanced code without its class, such as `1.1`, if there is one. */
  readonly detail: string | undefined
  readonly subject: FaultSubject
  readonly open: OpenReply
  readonly known: () => KnownWords
}

/** True if more than general words count against the address. */
function isCertain(category: AddressCategory, rule: ReplyRule | undefined, read: ReadReply): boolean {
  const { stage, code, words, clauses, detail, subject, open, known } = read
  const isAfterContent = AFTER_CONTENT.has(stage)
  if (open === 'states') return false
  if (isAfterContent && subject.other !== undefined && subject.noun !== 'recipient')
    return rule?.evidence === 'provider'
  if (detail !== undefined && CERTAIN_CODES[category].includes(detail))
    return subject.noun !== undefined || rule !== undefined || known() !== 'few'
  if (code === 556 || rule?.evidence === 'provider') return true // RFC 7504 §4.2
  if (!(subject.ofRecipient && subject.close) && known() !== 'all') return false
  if (open !== undefined || (isAfterContent && subject.contested)) return false
  if (HEDGES.some((hedge) => words.includes(hedge)) || doubtsStates(withoutTowards(clauses))) return false
  // "Domain does not exist" may be about the sender's domain; 5.4.4 is about the route to the recipient.
  if (category === 'domain_invalid' && !subject.ofRecipient && detail !== '4.4') return false
  if (rule?.evidence === 'recipient') return true
  const isClose =
    subject.close && (subject.absent || (rule !== undefined && category !== 'mailbox_not_found'))
  if (isClose && subject.noun === 'recipient') return true
  return !isAfterContent && (rule?.evidence === 'address' || (isClose && subject.noun === 'address'))
}

/** Words that say that the failure may have another cause. */
const HEDGES = [
  ' may contain ',
  ' may be ',
  ' may not ',
  ' might ',
  ' possibly incorrect ',
  ' or access denied ',
  ' or policy ',
]

/**
 * Enhanced codes, without the class, that are certainly about the address (RFC 3463 §3.2, §3.3; RFC 7293; RFC 7505).
 */
const CERTAIN_CODES: Readonly<Record<AddressCategory, readonly string[]>> = {
  mailbox_not_found: ['1.1', '1.3', '1.10'],
  mailbox_disabled: ['1.1', '1.6', '2.1', '7.13', '7.17'],
  domain_invalid: ['1.2', '1.10'],
}

/** Reply codes in the form of enhanced codes, which Courier sends for the sender's address (5.1.7, 5.1.8). */
const SENDER_CODES: Readonly<Record<number, string>> = { 517: '5.1.7', 518: '5.1.8' }

/**
 * Returns the enhanced code of the reply, otherwise the enhanced code in the text, without the class. Ignores a code
 * with another class than the reply (RFC 3463 §2).
 */
function detailOf({ code, enhanced }: Reply, inText: string | undefined): string | undefined {
  const one = enhanced ?? inText ?? SENDER_CODES[code]
  return one !== undefined && Number(one[0]) === Math.trunc(code / 100) ? one.slice(2) : undefined
}

function meaning(category: BounceCategory, more: Partial<ReplyMeaning> = {}): ReplyMeaning {
  return { category, about: ABOUT[category], hard: false, passing: false, greylisted: false, ...more }
}

/** Beginnings of words that say that the failure may be temporary. */
const PASSING = [
  ...[
    ' temporar',
    ' momentar',
    ' for today ',
    ' for now ',
    ' for the moment ',
    ' maintenance ',
    ' vorubergehend',
  ],
  ...[
    ' voruebergehend',
    ' temporair',
    ' provisoir',
    ' temporal',
    ' temporane',
    ' tijdelijk',
    ' tymczasow',
    ' chwilow',
  ],
  ...[
    ' временн',
    ' тимчасов',
    ' docasn',
    ' tillfallig',
    ' midlertidig',
    ' valiaika',
    ' ideiglenes',
    ' gecici',
  ],
  ...[
    ' until ',
    ' in progress ',
    ' yet ',
    ' jusqu ',
    ' bis zum ',
    ' hasta el ',
    ' fino al ',
    ' while ',
    ' sementara ',
    ' tam thoi ',
    ' 暂 时 ',
    ' 暫 時 ',
    ' 一 時 ',
  ],
]
/**
 * Further such beginnings, only for 4yz replies: a permanent refusal may ask the sender to check the address and try
 * again.
 */
const PASSING_NOW = [
  ...PASSING,
  ' try again',
  ' try later',
  ' retry',
  ' ldap',
  ' directory',
  ' lookup',
  ' look up',
  ' database',
]

const ABOUT: Readonly<Record<BounceCategory, About>> = {
  mailbox_not_found: 'mailbox',
  mailbox_disabled: 'mailbox',
  mailbox_full: 'mailbox',
  domain_invalid: 'destination',
  blocked: 'us',
  policy: 'us',
  content: 'content',
  size: 'content',
  auth: 'us',
  rate_limited: 'us',
  network: 'transport',
  dns: 'destination',
  tls: 'transport',
  protocol: 'transport',
  expired: 'transport',
  other: 'destination',
}

const ERRORS: Readonly<Record<DialogErrorCode, BounceCategory>> = {
  timeout: 'network',
  refused: 'network',
  reset: 'network',
  unreachable: 'network',
  closed: 'network',
  local: 'network',
  tls: 'tls',
  certificate: 'tls',
  'no-tls': 'tls',
  'no-auth': 'auth',
  'tls-policy': 'tls',
  loop: 'dns',
  protocol: 'protocol',
  size: 'size',
  smtputf8: 'content',
  'eight-bit': 'content',
  withdrawn: 'other',
}

const RULES: readonly ReplyRule[] = [...PROVIDER_RULES, ...GENERAL_RULES]
const PHRASES = new PhraseLists(RULES.map((rule) => rule.phrases))

/**
 * Returns the rule that applies. Host names and links are read in addition to the words, but never override words about
 * the recipient: a link to a policy does not change the meaning of "unknown user".
 */
function findRule(read: ReadReply): ReplyRule | undefined {
  const said = read.clauses.replaceAll(' | ', ' ')
  const rule = findIn(read, said, false)
  return rule?.evidence === 'recipient' ? rule : findIn(read, said, true)
}

/** Returns the first rule that matches the words alone (`said`), or also the host names and links. */
function findIn(read: ReadReply, said: string, withNames: boolean): ReplyRule | undefined {
  const found = PHRASES.find(read.words, (index) => {
    const rule = RULES[index]!
    if (!mayApply(rule, read)) return undefined
    // A phrase that names a recipient must match within one clause: "expired: mailbox" does not mean an expired
    // mailbox.
    if (rule.evidence === 'recipient' || rule.evidence === 'address') return read.clauses
    if (rule.evidence === 'words') return said
    if (index < PROVIDER_RULES.length) return read.words
    if (!withNames) return said
    return rule.readsNames === true ? read.words : read.spoken
  })
  return found === undefined ? undefined : RULES[found]
}

/** True if the rule may apply to the reply, regardless of the words of the reply. */
function mayApply(rule: ReplyRule, read: ReadReply): boolean {
  const { stage, code, detail } = read
  if (BEFORE_RCPT.has(stage) && (isAboutRecipient(rule.category) || rule.about === 'mailbox')) return false
  if (rule.class !== undefined && rule.class !== Math.trunc(code / 100)) return false
  if (rule.subject !== undefined && !startsWithOne(detail, rule.subject)) return false
  if (rule.notSubject !== undefined && startsWithOne(detail, rule.notSubject)) return false
  if (rule.notOfRecipient === true && read.subject.noun === 'recipient' && read.subject.close) return false
  return rule.evidence === undefined || isSaidOfRecipient(rule.evidence, read)
}

/**
 * True if a rule that counts against the address is reliable for this reply: the fault has no other subject, and a
 * reply after DATA names the mailbox.
 */
function isSaidOfRecipient(evidence: Evidence, { stage, detail, subject }: ReadReply): boolean {
  if (evidence === 'provider') return true
  if (!AFTER_CONTENT.has(stage)) {
    if (
      evidence === 'words' &&
      subject.unknown &&
      subject.noun === undefined &&
      !startsWithOne(detail, ['1'])
    )
      return false
    return subject.other === undefined || subject.noun !== undefined
  }
  if (subject.other !== undefined && subject.noun !== 'recipient') return false
  return evidence === 'recipient' || subject.noun === 'recipient' || startsWithOne(detail, ['1', '2.1'])
}

const startsWithOne = (detail: string | undefined, starts: readonly string[]): boolean =>
  detail !== undefined && starts.some((start) => detail === start || detail.startsWith(`${start}.`))

/** Adjusts the category to the stage: "spam" before a message was sent is about the sending host. */
function atStage(category: BounceCategory, stage: Stage): BounceCategory {
  if (BEFORE_RCPT.has(stage) && isAboutRecipient(category)) return 'policy'
  // The host knows only the IP address of the client before HELO.
  if (category === 'policy' && (stage === 'connect' || stage === 'greeting')) return 'blocked'
  return category === 'content' && !AFTER_CONTENT.has(stage) ? 'blocked' : category
}

/** Prefixes of enhanced codes, without the class, that contradict words for a missing mailbox. */
const NOT_OF_MISSING = ['1.7', '1.8', '2', '3', '4', '6', '7']

/** Returns the meaning that follows from the subject of the fault, for a reply without a known phrase. */
function bySubject({ stage, code, detail, subject, known }: ReadReply): BounceCategory | undefined {
  const { noun, absent, closed, sender, unknown, contested, other } = subject
  if (BEFORE_RCPT.has(stage)) return undefined
  if (sender && (absent || closed || unknown)) return 'policy'
  if (noun === undefined) return other
  const isOther = other !== undefined && !(other === 'other' && known() === 'all')
  const mayBeOther = noun === 'address' && (isOther || AFTER_CONTENT.has(stage))
  if (code < 500 || mayBeOther) return undefined
  if (absent && !startsWithOne(detail, NOT_OF_MISSING)) return 'mailbox_not_found'
  const isClear =
    !AFTER_CONTENT.has(stage) ||
    (noun === 'recipient' && !contested && other === undefined && known() === 'all')
  return closed && isClear ? 'mailbox_disabled' : undefined
}
