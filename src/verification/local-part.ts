// Splits a local part into account and tag, and recognises role accounts and unread ones.

import type { Address } from '../model/address.ts'
import { readList } from './lists.ts'

/** The account that a local part names, and the tag that its owner added. */
export interface Account {
  /** The local part without the tag. */
  readonly account: string
  /** Text after the separator, if any. */
  readonly tag?: string
}

/** Yahoo's users name their additional addresses `base-word`; other names there have no hyphen. */
const YAHOO = /^(?:yahoo\.[a-z.]+|ymail\.com|rocketmail\.com|myyahoo\.com)$/

/** Splits the local part as the provider of its domain does: at the first `+` (RFC 5233 §1), at Yahoo also at `-`. */
export function accountOf({ local, domain }: Address): Account {
  // In a quoted local part, a plus is an ordinary character.
  if (local.startsWith('"')) return { account: local }
  const at = local.search(YAHOO.test(domain) ? /[-+]/ : /\+/)
  if (at <= 0) return { account: local }
  const tag = local.slice(at + 1)
  return { account: local.slice(0, at), ...(tag === '' ? {} : { tag }) }
}

/** Returns the name without the separators between its words. */
const squeezed = (account: string): string => account.toLowerCase().replace(/[-_.]/g, '')

/** Returns the name without separators and accents; in some scripts that changes a letter: `й` becomes `и`. */
const withoutAccents = (account: string): string => squeezed(account).normalize('NFKD').replace(/\p{M}/gu, '')

const ROLES: ReadonlySet<string> = new Set(readList('roles.txt').toString().split('\n').map(squeezed))

/** Roles that remain roles with a place or a product after them: `support-de`, `sales.uk`. */
const FIRST_WORDS = new Set(
  `abuse accounts admin billing contact help helpdesk hr info invoices jobs kontakt marketing office orders
  postmaster press privacy sales security service support webmaster`.split(/\s+/),
)

const NO_REPLY = /^(?:no|not|non|do?not|dont|cannot|never)(?:repl|replay|respon|answer)|no-?repl(?:y|ies)\d*$/

/** "Do not answer" in other languages, without separators. */
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

/** Accounts for bounces, and unread ones. */
const UNREAD = new Set(
  'mailerdaemon maildaemon bounce bounces devnull blackhole unmonitored unattended nobody'.split(' '),
)

/** True if the name of the account indicates that its mail is unread. */
export function isNoReply(account: string): boolean {
  const name = withoutAccents(account)
  return NO_REPLY.test(name) || UNREAD.has(name) || NO_REPLY_ABROAD.some((words) => name.includes(words))
}

/** True if the account is a role, including unread ones (`unread`, if already known). */
export function isRole(account: string, unread = isNoReply(account)): boolean {
  if (unread) return true
  const name = squeezed(account)
  const [first = '', ...more] = account.toLowerCase().split(/[-_.]/)
  if (more.length > 0 && FIRST_WORDS.has(first)) return true
  const unnumbered = name.replace(/(?<=\D{4})\d{1,2}$/, '')
  return ROLES.has(name) || ROLES.has(unnumbered)
}
