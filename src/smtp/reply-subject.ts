// Finds the subject of a fault ("unknown", "not valid", "does not exist") in a reply: the recipient, or something else.

import {
  COMPOUNDS,
  FAULT,
  hasFault,
  isAbsent,
  isClosed,
  KINDS,
  type Kind,
  type OtherCategory,
  oneOf,
  RECIPIENT_ONLY,
} from './fault-words.ts'
import { plain } from './reply-text.ts'

/** Subject of the fault in a reply. */
export interface FaultSubject {
  /**
   * Kind of the noun with the fault, if the noun may mean the recipient; an `address` may also be an address in the
   * message.
   */
  readonly noun: 'recipient' | 'address' | undefined
  /** True if no other possible subject is between the noun and the fault. */
  readonly close: boolean
  /** True if the noun, or another noun that describes this noun, cannot mean the sender. */
  readonly ofRecipient: boolean
  /** True if the reply says that the noun is missing or invalid. */
  readonly absent: boolean
  /** True if the reply says that the noun is no longer in use. */
  readonly closed: boolean
  /** True if the reply mentions the sender, who may be the subject of the fault. */
  readonly sender: boolean
  /** True if the reply states a fault of a noun that is in none of the tables. */
  readonly unknown: boolean
  /** True if the same clause names a part of a message before the fault. */
  readonly contested: boolean
  /** Category of another noun with a fault, if there is one. */
  readonly other: OtherCategory | undefined
}

/** Nouns for other subjects in scripts without spaces; the word order in these scripts is ignored. */
const SIGNS_OF_OTHERS = '证书 签名 编码 日期 配置 主题 附件 証明書 署名 文字コード 件名 設定 인증서 서명 설정'

const words = (text: string): string[] => text.trim().split(/\s+/)
const SIGNS = words(SIGNS_OF_OTHERS).map((sign) => ` ${plain(sign)} `)

/**
 * Maximum number of faults that are read in a reply; `WORDS_BEFORE` and `WORDS_BEHIND` are the maximum numbers of words
 * that are read before and after each fault.
 */
const MAX_FAULTS = 20
const WORDS_BEFORE = 12
const WORDS_BEHIND = 4
/** Maximum number of characters that are read on each side of a fault. */
const MAX_SPAN = 80
/**
 * Words that may occur between a fault and the noun after the fault; `NOT_OF_THE_NOUN` contains words that end the
 * search for the noun.
 */
const JOINING = new Set(
  words(
    'or and any such valid local known missing illegal invalid unknown bad empty destination remote virtual',
  ),
)
const NOT_OF_THE_NOUN = new Set(
  words(
    '| the this that a an in on at by from to with of for is was are were has have see please here due because while when http https',
  ),
)
/** Words between a noun and its fault that do not change the meaning. */
const FILLING = new Set(
  words(`is are was were be been has have had does do did not no longer or and that which who this the a an in on at
    here of by with to for name names named you your we our i it its s t sorry tried trying reach typed entered given
    specified gave contact address addresses email mail emails local part host server system site domain currently could
    can cannot could couldn can seems appears apparently probably either invalid unknown disabled inactive valid known
    rejected refused ist wurde hier est ici es esta e il la le el o de der die das rejected`),
)

/** True for a noun of the tables, and for a word that does not change the meaning. */
export const isNounOrFilling = (word: string): boolean => KINDS.has(word) || FILLING.has(word)

/** Returns the subject of the fault in the clauses that `readWords` returns. The time is linear. */
export function readFaultSubject(clauses: string): FaultSubject {
  let best: (Noun & Pick<FaultSubject, 'absent' | 'closed' | 'contested'>) | undefined
  let other: OtherCategory | undefined
  let unknown = false
  let count = 0
  const sender = speaksOfSender(clauses)
  for (const found of clauses.matchAll(FAULT)) {
    if (++count > MAX_FAULTS) break
    const near = nounOf(clauses, found)
    if (near === undefined) {
      unknown ||= isAbsent(found[0]) && found.groups?.none === undefined && isSaidOfSomething(clauses, found)
      continue
    }
    const noun = {
      ...near,
      absent: isAbsent(found[0]),
      closed: isClosed(found[0]),
      contested: namesMessagePart(clauses, found.index),
    }
    if (noun.kind !== 'recipient' && noun.kind !== 'address') other ??= noun.kind
    else if (best === undefined || rankOf(noun) > rankOf(best)) best = noun
  }
  if (best !== undefined) {
    const { kind, ...found } = best
    return { ...found, noun: kind as FaultSubject['noun'], sender, unknown, other }
  }
  if (other === undefined && SIGNS.some((sign) => clauses.includes(sign))) other = 'content'
  return { ...NO_NOUN, sender, unknown, other }
}

const NO_NOUN = {
  noun: undefined,
  close: false,
  ofRecipient: false,
  absent: false,
  closed: false,
  contested: false,
}

/**
 * Returns the noun of a fault. A noun after a word for "none" is never `close`, because the word may belong to another
 * noun.
 */
function nounOf(clauses: string, found: RegExpExecArray): Noun | undefined {
  if (found.groups?.none !== undefined) {
    const noun = nounBehind(clauses, found)
    return noun === undefined ? undefined : { ...noun, close: false }
  }
  const behind = found.groups?.before === undefined ? undefined : nounBehind(clauses, found)
  const noun = behind ?? nounBefore(clauses, found.index)
  const from = found.index + found[0].length
  const following = clauses.slice(from, from + MAX_SPAN).trim()
  return noun !== undefined && WITHIN_MESSAGE.test(following) ? { ...noun, kind: 'content' } : noun
}

/** True if any noun directly precedes the fault, or directly follows a fault that may precede its noun. */
function isSaidOfSomething(clauses: string, { index, 0: fault, groups }: RegExpExecArray): boolean {
  const isWord = (word = '|'): boolean => /^\p{L}{3,}$/u.test(word) && !FILLING.has(word)
  const [behind] = words(clauses.slice(index + fault.length, index + fault.length + MAX_SPAN))
  if (groups?.before !== undefined && isWord(behind) && !NOT_OF_THE_NOUN.has(behind!)) return true
  const before = words(clauses.slice(Math.max(0, index - MAX_SPAN), index))
  return isWord(before.at(-1)) || (COPULA.has(before.at(-1) ?? '') && isWord(before.at(-2)))
}

const COPULA = new Set(words('is was name ist est es e er ar jest je este on yra ir'))

/**
 * True if the clause names a part of a message before `index`; the noun for the recipient may then only describe this
 * part.
 */
const namesMessagePart = (clauses: string, index: number): boolean =>
  words(clauses.slice(clauses.lastIndexOf('|', index) + 1, index)).some(
    (word) => KINDS.get(word) === 'content',
  )

interface Noun {
  readonly kind: Kind
  /** True if no other possible subject stands between the noun and the fault. */
  readonly close: boolean
  readonly ofRecipient: boolean
}

const rankOf = ({ kind, close, ofRecipient }: Noun): number =>
  (kind === 'recipient' ? 2 : 0) + (close ? 1 : 0) + (ofRecipient ? 0.5 : 0)

const namesRecipient = (nouns: readonly string[]): boolean => nouns.some((noun) => RECIPIENT_ONLY.has(noun))

/**
 * Returns the noun after the fault: the last of several adjacent nouns, because the other nouns only describe the last
 * noun.
 */
function nounBehind(clauses: string, { index, 0: fault }: RegExpExecArray): Noun | undefined {
  const from = index + fault.length
  const following = words(clauses.slice(from, from + MAX_SPAN))
  let close = true
  let at = 0
  for (; at < WORDS_BEHIND && !KINDS.has(following[at] ?? ''); at++) {
    if (NOT_OF_THE_NOUN.has(following[at] ?? '|')) return undefined
    if (!JOINING.has(following[at] ?? '')) close = false
  }
  let kind: Kind | undefined
  const first = at
  for (; KINDS.has(following[at] ?? '') || (kind !== undefined && following[at] === 's'); at++) {
    kind = KINDS.get(following[at] ?? '') ?? kind
  }
  if (kind === undefined) return undefined
  const ofRecipient = namesRecipient(following.slice(first, at))
  if (COMPOUNDS.has(following[at] ?? '')) return { kind: 'other', close, ofRecipient }
  // "Recipient syntax" means a parameter of the command; "address syntax" means an invalid address.
  if (following[at] === 'syntax' && kind === 'recipient') return { kind: 'protocol', close, ofRecipient }
  return { kind: WITHIN_MESSAGE.test(following.slice(at).join(' ')) ? 'content' : kind, close, ofRecipient }
}

/** Words after a noun that show that the noun means a part of the message. */
const WITHIN_MESSAGE =
  /^in (?:(?:the|your|this|a) )?(?:\p{L}+ ){0,3}?(?:headers?|fields?|from|to|cc|bcc|reply to|body|text|ticket|form|report|order|invoice)(?: |$)/u

/**
 * Returns the noun before the fault: the nearest noun in the clause of the fault, otherwise the nearest noun before
 * this clause.
 */
function nounBefore(clauses: string, index: number): Noun | undefined {
  const before = words(clauses.slice(Math.max(0, index - 2 * MAX_SPAN), index)).slice(-WORDS_BEFORE)
  const clause = before.slice(before.lastIndexOf('|') + 1)
  return lastNoun(clause) ?? (clause.length === before.length ? undefined : lastNoun(before))
}

const WHOSE = new Set(words('of for des der du de del della do da van fur pour para per voor'))
/** Nouns that do not change the meaning of the preceding noun: a user record, a mail id. */
const OF_ITS_NOUN = new Set(['id', 'ids', 'record', 'records', 'entry', 'box'])
const ARTICLES = new Set(words('the this your a an its that dieser dieses la le el los les'))

/** Returns the last noun that is the subject of the words; returns the date for "date of the message". */
function lastNoun(before: readonly string[]): Noun | undefined {
  const last = before.findLastIndex((word) => KINDS.has(word))
  if (last < 0) return undefined
  if (COMPOUNDS.has(before[last + 1] ?? '')) return { kind: 'other', close: true, ofRecipient: false }
  const between = before.slice(last + 1).filter((word) => !FILLING.has(word))
  // The text "user jdoe is unknown" contains one name between the noun and the fault.
  const close = between.length === 0 || (between.length === 1 && /^(?:user|benutzer)$/.test(before[last]!))
  let first = last
  while (KINDS.has(before[first - 1] ?? '')) first--
  const joint = ARTICLES.has(before[first - 1] ?? '') ? first - 2 : first - 1
  // The owner follows the noun in many languages: "certyfikat odbiorcy" is the recipient's certificate.
  const head = KINDS.get(before[first] ?? '')
  if (first < last && head !== undefined && head !== 'recipient' && head !== 'address')
    return { kind: head, close, ofRecipient: false }
  const owned = WHOSE.has(before[joint] ?? '') ? KINDS.get(before[joint - 1] ?? '') : undefined
  const ofRecipient = namesRecipient(before.slice(first, last + 1))
  const noun =
    first < last && head !== undefined && OF_ITS_NOUN.has(before[last]!) ? head : KINDS.get(before[last]!)!
  return { kind: owned ?? noun, close, ofRecipient }
}

/** Nouns that may occur next to words for the sender. */
const THING = `
  mx|mail exchanger|domains?|address(?:es)?|hosts?|hostname|mailbox(?:es)?|mail box|receipt|accounts?|users?|username|mailserver|mail server|path|identity|name|
  adresse|konto|postfach|compte|domaine|direccion|buzon|cuenta|dominio|indirizzo|casella|endereco|conta|adres|konto`
/** Words that relate such a noun to the sender. */
const OF_SENDER = `
  senders?(?: s)?|originat(?:or|ors|or s|ing)|origin|source|submitt(?:er|ing)|poster|authors?(?: s)?|correspondent|mailer|from|return|reply|replies|response|bounces?|
  errors to|envelope|reverse|sending|client|submission|login|auth\\p{L}{0,12}|peer|postmaster`
/** Nouns for the sender in other languages, by their stems. */
const ELSEWHERE = `
  absender|rucksende|ruckantwort|ruckadress|expedit|emetteur|remitent|emisor|mittent|remetent|emissor|afzender|nadawc|zwrotn|avsandar|avsender|afsender|lahettaj|
  odesilatel|odosielatel|felado|gonderen|gonderici|отправител|обратн|відправник|αποστολε|pengirim|nguoi gui|المرسل|השולח`
/** Words for the sender in scripts without spaces. */
const SENDER_SIGNS =
  '发件 發件 寄件 寄信 发信 發信 送信 差出人 发送者 发送人 您的域名 您的账号 您的帐号 您的地址 您的邮箱 您的服务器 回信地址 返信 발신 보낸'

const SPEAKS = new RegExp(
  `(?<= )${oneOf(`
    ${oneOf(OF_SENDER)} (?:\\p{L}{1,20} )?${oneOf(THING)}|smtp (?:user|account|login)|
    ${oneOf(THING)} (?:\\p{L}{1,20} ){0,2}?(?:of|in|for|behind|from) (?:the |your |this |that |a )?(?:mail )?(?:sender|sending|originator|submitter|poster|author|envelope|mail from|from|client)|
    senders? (?:is|was|does|doesn t|has|not|cannot|could|unknown|invalid|rejected|denied|refused)|
    (?:unknown|invalid|no such|bad|illegal|fake|forged|null|empty|blocked|rejected|denied) (?:\\p{L}{1,20} )?(?:senders?|originators?|submitters?|posters?|correspondents?|authors?|peers?)|
    (?:submitter|poster|correspondent|originator) (?:is |was )?(?:not|unknown|invalid)|
    your (?:own )?(?:mx|mail exchanger|domain|account|user|address(?! book)|company|organi[sz]ation|relay|server|host|postmaster|email address|e mail address|mail account|return|side)|
    (?:votre|vos|ihre?|din|dit|ditt|deres|vas|vase|sinun|teie|anda|su|tu|tuo|tua|seu|sua|uw|je|twoj\\p{L}{0,2}|twój|ваш\\p{L}{0,2}) (?:server|servidor|serveur|account|domain|domena|domein|домен|адрес|ящик|сервер|аккаунт|${THING})|
    you are (?:unknown|not|no)|you (?:do not|don t) have|you have no|vous n avez|sie haben kein\\p{L}{0,2}|(?:usted|ud) no tiene|voce nao (?:tem|possui)|u heeft geen|у вас нет|bounces? to|(?:errors|mail|reply|replies|write|answer) (?:back )?to you|
    sending (?:for|from|of|is|by)|to send (?:this|it|mail|mails|email|messages)|for sending|in (?:the |your )?mail (?:command |from |line )?(?:is|was|does|doesn t|not|unknown|invalid)|outgoing|outbound|callback|call back|(?:at|on) your (?:side|end)|(?:behind|of|for|in|by) this (?:connection|session|login|client)|reply to you|answer you|
    (?:it|this|that|which|who|sent|came|comes|coming|submitted|submitting) (?:from|sent by|sent from|sent this|came from|comes from)(?! the recipient)|
    (?:who|that|which) (?:sent|sends|submitted|submits|relays|relayed|mails|mailed)|
    you (?:\\p{L}{1,15} )?(?:send|sent|sending|mail|mailing|write|wrote|authenticate|authenticated|log in|logged in|login|sign in|connect|relay|submit|used|came) (?:\\p{L}{1,15} )?(?:from|as|with|through)|
    rcpt from|senders?\\p{L}{3,20}|adresse de retour|\\p{L}{0,12}(?:retour|ritorno|retorno)|
    \\p{L}{0,10}${oneOf(ELSEWHERE)}\\p{L}{0,10}`)}(?= |$)`,
  'u',
)
const SIGN_LIST = SENDER_SIGNS.split(' ').map((sign) => ` ${plain(sign)} `)
/** Clauses about returning the mail, or about what to do. */
const AFTERWARDS =
  / (?:return(?:ed|ing)?|back|sent) to (?:the |its )?sender|(?:please|contact|ask|inform) |remove .{0,40}? from (?:your|the|any|all) (?:\p{L}+ )?(?:lists?|database|records) /u

/**
 * Words that any refusal may contain. The words count only in a clause with a fault: "mail from an address that does
 * not exist".
 */
const MAIL_FROM = / (?:mails?|messages?|emails?) (?:sent )?(?:from|by) /

/** A clause with the sender as its subject. */
const SENDER_FIRST = /^ (?:the |your |this )?(?:envelope )?senders? /

/** True if a clause mentions the sender in a way that may make the sender the subject of the fault. */
function speaksOfSender(clauses: string): boolean {
  if (SIGN_LIST.some((sign) => clauses.includes(sign))) return true
  return clauses
    .split('|')
    .some(
      (clause) =>
        ((SPEAKS.test(clause) || SENDER_FIRST.test(clause)) && !AFTERWARDS.test(clause)) ||
        (MAIL_FROM.test(clause) && hasFault(clause)),
    )
}
