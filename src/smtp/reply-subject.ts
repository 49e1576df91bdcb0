// Subject of the words of fault in a reply (unknown, not valid, does not exist): the recipient, or something else.

import type { AddressCategory, BounceCategory } from '../model/bounce-category.ts'
import { plain } from './reply-text.ts'

/** Subject that a reply finds fault with. */
export interface FaultSubject {
  /** The noun that a fault is said of, where it may be the recipient's: an `address` may be one in the message. */
  readonly noun: 'recipient' | 'address' | undefined
  /** Nothing that could be another subject stands between that noun and its fault. */
  readonly close: boolean
  /** It is said of that noun that there is none, or no valid one. */
  readonly absent: boolean
  /** A fault is said of a noun that is in no table here: who knows what that is. */
  readonly unknown: boolean
  /** A part of a message is named in the same clause, before the fault. */
  readonly contested: boolean
  /** The category of the other thing that a fault is said of, if there is one. */
  readonly other: OtherCategory | undefined
}

type OtherCategory = Exclude<BounceCategory, AddressCategory>

/** Nouns of a mailbox and of its owner. */
const RECIPIENT = `
  user users username userid recipient recipients receiver receivers maildrop mailbox mailboxes inbox account accounts addressee person alias aliases
  customer subscriber rcpt employee postfach benutzer empfanger empfaenger konto destinataire utilisateur compte
  boite usuario destinatario cuenta buzon casilla utente casella conta caixa gebruiker ontvanger postvak odbiorca
  uzytkownik użytkownik adresat adressat abonnent teilnehmer abonne titulaire usager membre mottagaren mottagare anvandaren
  anvandare brugeren bruger brukeren bruker modtageren modtager mottakeren mottaker kontot kontoen kayttaja kayttajaa
  vastaanottaja uzivatel prijemce schranka skrzynka felhasznalo cimzett postafiok utilizator destinatar kullanici kullanıcı
  alici hesap utilizador destinataria пользователь пользователя получатель адресат ящик аккаунт користувач одержувач`
const ADDRESS =
  'address addresses emailaddress email emails mail mails adresse adres adresa direccion indirizzo endereco адрес'

/** Nouns of what else can be unknown or not valid, and the category of a refusal that says so. */
const OTHERS: readonly (readonly [OtherCategory, string])[] = [
  [
    'content',
    `date time timezone zone subject boundary signature signatures charset character characters codepage encoding
    content body data header headers field line lines format attachment attachments archive html url urls
    uri link links message messages id identifier key keys selector tag label template type macro macros image images
    calendar language text version references record records mailing newsletter conversion unsubscribe list lists number numbers statement entry book
    datum betreff zeichensatz signatur schlussel kopf kopfzeile nachricht anhang inhalt kodierung grenze objet encodage
    codage caracteres tete champ fichier lien contenu firma fecha asunto codificacion cabecera mensaje adjunto enlace
    codifica oggetto intestazione messaggio allegato assinatura cabecalho mensagem anexo codificacao handtekening
    tekenset onderwerp bericht bijlage podpis temat wiadomość załącznik nagłówek подпись кодировка дата тема вложение
    письмо сообщение`,
  ],
  [
    'tls',
    `certificate certificates cert certs cipher ciphers tls ssl zertifikat certificat certificado certificato
    certificaat certyfikat сертификат`,
  ],
  [
    'other',
    `configuration configurations config setting settings setup journal journaling filter scanner licence license
    feature session token connector tenant table queue smarthost file files script transport map entry milter index database error errors failure reason module plugin resource service
    konfiguration einstellung configuracion configurazione configuracao configuratie konfiguracja конфигурация`,
  ],
  ['policy', 'policy policies rule rules agent network peer country client helo ptr family proxy'],
  ['protocol', 'parameter parameters argument arguments option options command'],
]

/** The same in scripts without spaces, where no order of the words is looked at. */
const SIGNS_OF_OTHERS = '证书 签名 编码 日期 配置 主题 附件 証明書 署名 文字コード 件名 設定 인증서 서명 설정'

const words = (text: string): string[] => text.trim().split(/\s+/)
const plainWords = (text: string): string[] => words(plain(text))

type Kind = 'recipient' | 'address' | OtherCategory
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...OTHERS.flatMap(([category, nouns]) => plainWords(nouns).map((noun) => [noun, category] as const)),
  ...plainWords(ADDRESS).map((noun) => [noun, 'address'] as const),
  ...plainWords(RECIPIENT).map((noun) => [noun, 'recipient'] as const),
])

/** Faults that stand before their noun, or behind it. */
const EITHER_SIDE = `
  unknown|invalid|bad|wrong|incorrect|illegal|malformed|broken|missing|unsupported|unrecogni[sz]ed|undeliverable|
  non ?existent|non existing|not a valid|no valid|no such|no longer valid|not valid|expired|disabled|inactive|suspended|
  (?:do|does|did|could|can) ?not (?:know|find|locate)(?: the| this| that| any| a)?|(?:don|can|couldn) t (?:know|find|locate)(?: the| this| that| any| a)?|
  unable to (?:find|locate)(?: the| this| that| any| a)?|unbekannt\\p{L}*|ungultig\\p{L}*|inconnue?s?|invalides?|desconocid[oa]s?|no valid[oa]s?|invalid[oa]s?|inexistente?s?|
  sconosciut[oaie]|non valid[oaie]|desconhecid[oa]s?|onbekende?|ongeldige?|nieznan\\p{L}*|okand|ukendt|ukjent|neznam\\p{L}*|
  ismeretlen|necunoscut|неизвестн\\p{L}*|несуществующ\\p{L}*|невідом\\p{L}*`
/** Faults that only end a sentence about their noun. */
const BEHIND = `
  not (?:be )?found|(?:does|do|did) not exist\\p{L}*|doesn t exist\\p{L}*|don t exist|not exist\\p{L}*|not (?:well )?known|
  not recogni[sz]ed|not (?:be )?located|not supported|isn t supported|isn t valid|isn t known|not available|unavailable|locked|closed|deactivated|terminated|frozen|
  not present|not listed|not registered|isn t (?:known|listed|registered)|(?:was|has) never \\p{L}+|gibt es .{0,20}nicht|existiert .{0,20}nicht|nicht (?:bekannt|gefunden|gultig)|n existe pas|introuvable|
  no existe|no encontrad[oa]|non esiste|non trovat[oa]|nao existe|nao encontrad[oa]|bestaat niet|niet gevonden|
  nie istnieje|finns inte|findes ikke|finnes ikke|neexistuje|nu exista|bulunamadi|bulunamadı|не наиден\\p{L}*|не существует|
  не існує`
const oneOf = (alternatives: string): string => `(?:${alternatives.replace(/\s*\n\s*/g, '')})`
const FAULT = new RegExp(`(?<= )(?:(?<before>${oneOf(EITHER_SIDE)})|${oneOf(BEHIND)})(?= )`, 'gu')

/** Faults by which something is there and may not be used. */
const UNUSABLE =
  /^(?:disabled|inactive|suspended|expired|missing|locked|closed|deactivated|terminated|frozen|not (?:supported|available)|isn t supported|unavailable)$/
const SIGNS = words(SIGNS_OF_OTHERS).map((sign) => ` ${plain(sign)} `)

/** Faults looked at, and words on either side of each. */
const MAX_FAULTS = 20
const WORDS_BEFORE = 12
const WORDS_BEHIND = 4
/** Characters that those words may have. */
const MAX_SPAN = 80
/** Words that may stand between a fault and the noun behind it, and those that end the search for one. */
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
/** Words that say nothing of their own between a noun and the fault that is found with it. */
const FILLING = new Set(
  words(`is are was were be been has have had does do did not no longer or and that which who this the a an in on at
    here of by with to for name names named you your we our i it its s t sorry tried trying reach typed entered given
    specified gave contact address addresses email mail emails local part host server system site domain currently could
    can cannot could couldn can seems appears apparently probably either invalid unknown disabled inactive valid known
    rejected refused ist wurde hier est ici es esta e il la le el o de der die das rejected`),
)

/** True for a word that says no more than whom or what a reply is about. */
export const isNounOrFilling = (word: string): boolean => KINDS.has(word) || FILLING.has(word)

/** Reads what a reply finds fault with, in its clauses as `readWords` gives them. Linear. */
export function readFaultSubject(clauses: string): FaultSubject {
  let best: (Noun & Pick<FaultSubject, 'absent' | 'contested'>) | undefined
  let other: OtherCategory | undefined
  let unknown = false
  let count = 0
  for (const found of clauses.matchAll(FAULT)) {
    if (++count > MAX_FAULTS) break
    const behind = found.groups?.before === undefined ? undefined : nounBehind(clauses, found)
    const near = behind ?? nounBefore(clauses, found.index)
    if (near === undefined) {
      unknown ||= !UNUSABLE.test(found[0]) && isSaidOfSomething(clauses, found)
      continue
    }
    const noun = {
      ...near,
      absent: !UNUSABLE.test(found[0]),
      contested: namesMessagePart(clauses, found.index),
    }
    if (noun.kind !== 'recipient' && noun.kind !== 'address') other ??= noun.kind
    else if (best === undefined || rankOf(noun) > rankOf(best)) best = noun
  }
  if (best !== undefined) {
    const { kind, close, absent, contested } = best
    return { noun: kind as FaultSubject['noun'], close, absent, unknown, contested, other }
  }
  if (other === undefined && SIGNS.some((sign) => clauses.includes(sign))) other = 'content'
  return { noun: undefined, close: false, absent: false, unknown, contested: false, other }
}

/** True if a word stands right before the fault, or right behind a fault that precedes its noun. */
function isSaidOfSomething(clauses: string, { index, 0: fault, groups }: RegExpExecArray): boolean {
  const isWord = (word = '|'): boolean => /^\p{L}{3,}$/u.test(word) && !FILLING.has(word)
  const [behind] = words(clauses.slice(index + fault.length, index + fault.length + MAX_SPAN))
  if (groups?.before !== undefined && isWord(behind) && !NOT_OF_THE_NOUN.has(behind!)) return true
  const before = words(clauses.slice(Math.max(0, index - MAX_SPAN), index))
  return isWord(before.at(-1)) || (COPULA.has(before.at(-1) ?? '') && isWord(before.at(-2)))
}

const COPULA = new Set(['is', 'was', 'name'])

/** True if the clause names a part of a message before this place: then the recipient may be no more than its owner. */
const namesMessagePart = (clauses: string, index: number): boolean =>
  words(clauses.slice(clauses.lastIndexOf('|', index) + 1, index)).some(
    (word) => KINDS.get(word) === 'content',
  )

interface Noun {
  readonly kind: Kind
  /** Nothing that could be another subject stands between it and the fault. */
  readonly close: boolean
}

const rankOf = ({ kind, close }: Noun): number => (kind === 'recipient' ? 2 : 0) + (close ? 1 : 0)

/** The noun behind the fault: of several in a row the last, which the others only describe. */
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
  for (; KINDS.has(following[at] ?? '') || (kind !== undefined && following[at] === 's'); at++) {
    kind = KINDS.get(following[at] ?? '') ?? kind
  }
  if (kind === undefined) return undefined
  return WITHIN_MESSAGE.test(following.slice(at).join(' ')) ? { kind: 'content', close } : { kind, close }
}

/** Words behind an address or a user that show it to be one within the message. */
const WITHIN_MESSAGE =
  /^in (?:(?:the|your|this|a) )?(?:\p{L}+ ){0,3}?(?:headers?|fields?|from|to|cc|bcc|reply to|body|text)(?: |$)/u

/** The noun before the fault: the nearest of its clause, else of what stands before it. */
function nounBefore(clauses: string, index: number): Noun | undefined {
  const before = words(clauses.slice(Math.max(0, index - 2 * MAX_SPAN), index)).slice(-WORDS_BEFORE)
  const clause = before.slice(before.lastIndexOf('|') + 1)
  return lastNoun(clause) ?? (clause.length === before.length ? undefined : lastNoun(before))
}

const WHOSE = new Set(words('of for des der du de del della do da van fur pour para per voor'))
const ARTICLES = new Set(words('the this your a an its that dieser dieses la le el los les'))

/** The last noun; of "date of the message" the date. */
function lastNoun(before: readonly string[]): Noun | undefined {
  const last = before.findLastIndex((word) => KINDS.has(word))
  if (last < 0) return undefined
  const between = before.slice(last + 1).filter((word) => !FILLING.has(word))
  // "User jdoe is unknown" gives a name.
  const close = between.length === 0 || (between.length === 1 && /^(?:user|benutzer)$/.test(before[last]!))
  let first = last
  while (KINDS.has(before[first - 1] ?? '')) first--
  const joint = ARTICLES.has(before[first - 1] ?? '') ? first - 2 : first - 1
  const owned = WHOSE.has(before[joint] ?? '') ? KINDS.get(before[joint - 1] ?? '') : undefined
  return { kind: owned ?? (KINDS.get(before[last]!) as Kind), close }
}
