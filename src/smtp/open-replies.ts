// Recognises replies that leave open which of several states they mean: "unknown or full", in many languages.

import { hasFault } from './fault-words.ts'
import { isNounOrFilling } from './reply-subject.ts'
import { plain } from './reply-text.ts'

/**
 * Alternatives of a reply that finds fault with a mailbox. `states`: another alternative is a state that passes or says
 * nothing against the mailbox; `words`: another alternative is in unknown words.
 */
export type OpenReply = 'states' | 'words' | undefined

const MAX_READ = 1_000
const MAX_ALTERNATIVES = 10
/** Words read on either side. */
const SPAN = 8

const list = (words: string): string[] => words.trim().split(/\s+/)

const OR = new Set(
  list('or oder ou o lub albo of eller ili или або vagy sau nebo anebo alebo veya tai either'),
)
/** Signs for "or", and words for it in scripts without spaces. */
const OR_SIGNS =
  /(?<=[\p{L}"] ?)[/|](?= ?[\p{L}"])|或者|或|または|もしくは|又は|또는|หรือ|\u0623\u0648|\u05d0\u05d5(?=\s)/gu
/**
 * Words that show a reply to be Dutch, where `of` means "or" as it does not in English; `POLISH` has words before which
 * `o` does not mean "or".
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

/** Compares the alternatives in a reply. Linear in its first 1,000 characters. */
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

/** Removes links and addresses, whose slashes separate no alternatives. */
const withoutNames = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !/:\/\/|@|\w\/\w*[.\d/]/.test(word))
    .join(' ')

function isAlternative(words: readonly string[], at: number): boolean {
  if (words[at] === 'of') return words.some((word) => DUTCH.test(word))
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
