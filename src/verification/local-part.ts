// Splits a local part into account and tag, and recognises role accounts and unread accounts.

import type { Address } from '../model/address.ts'
import { readList } from './lists.ts'

/** The account that a local part names, and the tag that the owner of the account added. */
export interface Account {
  /** The local part without the tag. */
  readonly account: string
  /** Text after the separator, if any. */
  readonly tag?: string
}

/** Domains of Yahoo, where additional addresses have the form `base-word`, and other addresses contain no hyphen. */
const YAHOO = /^(?:yahoo\.[a-z.]+|ymail\.com|rocketmail\.com|myyahoo\.com)$/

/**
 * Splits the local part as the mail provider does: at the first `+` (RFC 5233 §1), or for Yahoo at the first `+` or
 * `-`.
 */
export function accountOf({ local, domain }: Address): Account {
  // A plus is an ordinary character in a quoted local part.
  if (local.startsWith('"')) return { account: local }
  const at = local.search(YAHOO.test(domain) ? /[-+]/ : /\+/)
  if (at <= 0) return { account: local }
  const tag = local.slice(at + 1)
  return { account: local.slice(0, at), ...(tag === '' ? {} : { tag }) }
}

/** Returns the name without the separators between its words. */
const squeezed = (account: string): string => account.toLowerCase().replace(/[-_.]/g, '')

/**
 * Returns the name without separators and accents. The removal of accents changes letters of some scripts: `й` becomes
 * `и`.
 */
const withoutAccents = (account: string): string => squeezed(account).normalize('NFKD').replace(/\p{M}/gu, '')

const ROLES: ReadonlySet<string> = new Set(readList('roles.txt').toString().split('\n').map(squeezed))

/** Words that name a role even if a place or a product follows: `support-de`, `sales.uk`. */
const FIRST_WORDS = new Set(
  `abuse accounts admin billing contact help helpdesk hr info invoices jobs kontakt marketing office orders
  postmaster press privacy sales security service support webmaster`.split(/\s+/),
)

const NO_REPLY = /^(?:no|not|non|do?not|dont|cannot|never)(?:repl|replay|respon|answer)|no-?repl(?:y|ies)\d*$/

/** "Do not reply" in other languages, without separators between words. */
const NO_REPLY_ABROAD = `
  nepasrepondre nerepondezpas nereponezpas pasdereponse sansreponse
  nichtantworten nichtbeantworten keineantwort antwortetnicht
  noresponder noresponda norespondas nocontestar nocontesta nocontesten
  naoresponda naoresponder naorespondas semresposta
  nonrispondere nonrispondete nonrispondi senzarisposta
  nietbeantwoorden nietantwoorden nietreageren geenantwoord nietreply
  nieodpowiadaj nieodpowiadac prosimynieodpowiadac bezodpowiedzi
  neodpovidat neodpovidejte neodpovedat neodpovedajte
  svarainte svaraej ejsvar svarikke ikkesvar ingensvar besvarikke
  alavastaa eivastausta nevalaszolj nevalaszoljon nuraspunde nuraspundeti
  yanitlamayin yanitlama cevaplamayin cevaplama
  neotvechat neotvechayte неотвечать неотвечайте μηναπαντατε
  jangandibalas jangandijawab khongtraloi wuxuhuifu qingwuhuifu 请勿回复 返信不可`
  .trim()
  .split(/\s+/)
  .map(withoutAccents)

/** Names of accounts for bounces, and of other unread accounts. */
const UNREAD = new Set(
  'mailerdaemon maildaemon bounce bounces devnull blackhole unmonitored unattended nobody'.split(' '),
)

/** True if the name of the account indicates that its mail is unread. */
export function isNoReply(account: string): boolean {
  const name = withoutAccents(account)
  return NO_REPLY.test(name) || UNREAD.has(name) || NO_REPLY_ABROAD.some((words) => name.includes(words))
}

/**
 * True if the account is a role account or an unread account; `unread` is the result of `isNoReply`, if already known.
 */
export function isRole(account: string, unread = isNoReply(account)): boolean {
  if (unread) return true
  const name = squeezed(account)
  const [first = '', ...more] = account.toLowerCase().split(/[-_.]/)
  if (more.length > 0 && FIRST_WORDS.has(first)) return true
  const unnumbered = name.replace(/(?<=\D{4})\d{1,2}$/, '')
  return ROLES.has(name) || ROLES.has(unnumbered)
}
