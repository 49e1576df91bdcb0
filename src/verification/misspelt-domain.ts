// The domain that somebody who typed an address may have meant.

import { parse } from 'tldts'
import { editDistance } from '../lib/nearest.ts'
import { hasStrayDots, isAddress, parseAddress } from '../model/address.ts'
import type { InternalResult } from './verdict.ts'

/** Domains that people type most, those with the most mailboxes first. */
const PROVIDERS = `
  gmail.com yahoo.com hotmail.com outlook.com icloud.com aol.com live.com msn.com googlemail.com protonmail.com
  qq.com 163.com 126.com naver.com yandex.ru mail.ru rambler.ru gmx.de web.de t-online.de freenet.de gmx.net
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr hotmail.fr yahoo.fr outlook.fr libero.it virgilio.it hotmail.it
  yahoo.it yahoo.es hotmail.es yahoo.co.uk hotmail.co.uk btinternet.com sky.com ntlworld.com yahoo.co.in
  rediffmail.com yahoo.co.jp docomo.ne.jp uol.com.br bol.com.br yahoo.com.br terra.com.br hotmail.com.br
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net rogers.com
  bigpond.com telenet.be skynet.be ziggo.nl kpnmail.nl planet.nl bluewin.ch seznam.cz wp.pl onet.pl interia.pl o2.pl
  abv.bg ukr.net proton.me fastmail.com zoho.com me.com mac.com ymail.com hotmail.de yahoo.de outlook.de
`
  .trim()
  .split(/\s+/)

const KNOWN: ReadonlySet<string> = new Set(PROVIDERS)

/** Endings that others are slips of, as `con` is of `com`. */
const ENDINGS = ['com', 'net', 'org']

/** Results after which no mail can arrive: the domain, or the whole text, is wrong as it stands. */
const NO_MAIL: ReadonlySet<InternalResult> = new Set([
  'invalid_syntax',
  'domain_not_found',
  'no_mail_server',
  'null_mx',
])

/** First labels that no word is near to: one slip in them is recognised even where the domain does take mail. */
const DISTINCT_LABELS: ReadonlySet<string> = new Set([
  'gmail',
  'googlemail',
  'hotmail',
  'outlook',
  'protonmail',
  'yahoo',
])
/** Shortest first label of which two slips are recognised where it takes none. */
const MIN_LONG_LABEL = 6

/**
 * The address with the domain that was meant, when the one that was typed looks like a slip; undefined when it does not,
 * or when the mailbox is known to exist. `given` is any text, `isFree` tells domains of other providers, which are
 * no slips however near they are.
 */
export function didYouMean(
  given: string,
  result: InternalResult,
  isFree: (domain: string) => boolean,
): string | undefined {
  if (result === 'mailbox_exists') return undefined
  const at = given.lastIndexOf('@')
  if (at < 1) return undefined
  const typed = given.slice(at + 1).toLowerCase()
  const domain = meant(withoutSlipsOfPunctuation(typed), NO_MAIL.has(result), isFree)
  if (domain === undefined || domain === typed) return undefined
  const address = parseAddress(`${given.slice(0, at)}@${domain}`)
  return isAddress(address) && !hasStrayDots(given, address) ? address.email : undefined
}

/** `gmail,com`, `gmail..com`, `gmail.com.` and `gmail .com` as they were meant. */
const withoutSlipsOfPunctuation = (domain: string): string =>
  domain
    .slice(0, 255)
    .replace(/\s/g, '')
    .replace(/[.,;]+/g, '.')
    .replace(/^\.|\.$/g, '')

function meant(domain: string, noMail: boolean, isFree: (domain: string) => boolean): string | undefined {
  if (KNOWN.has(domain)) return domain
  if (isFree(domain)) return undefined
  const provider = nearestProvider(domain, noMail)
  if (provider !== undefined || !noMail) return provider
  return withoutDot(domain) ?? withKnownEnding(domain)
}

interface KnownProvider {
  readonly domain: string
  /** Slips that are still recognised where the domain that was typed takes no mail, and where it does take mail. */
  readonly slips: { readonly noMail: number; readonly mail: number }
  readonly letters: number
}

const KNOWN_PROVIDERS: readonly KnownProvider[] = PROVIDERS.map((domain) => {
  const label = domain.slice(0, domain.indexOf('.'))
  return {
    domain,
    letters: lettersOf(domain),
    slips: { noMail: label.length >= MIN_LONG_LABEL ? 2 : 1, mail: DISTINCT_LABELS.has(label) ? 1 : 0 },
  }
})

/** The provider that is the fewest slips away; of several, the one with more mailboxes. */
function nearestProvider(typed: string, noMail: boolean): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  const letters = lettersOf(typed)
  for (const provider of KNOWN_PROVIDERS) {
    const { domain } = provider
    const most = Math.min(noMail ? provider.slips.noMail : provider.slips.mail, least - 1)
    // Measuring is dear; most domains are told apart by their length, or by letters that the other has not.
    if (most < 1 || Math.abs(domain.length - typed.length) > most) continue
    if (!noMail && isOfAnotherCountry(typed, domain)) continue
    if (countBits(letters ^ provider.letters) > 2 * most) continue
    const distance = editDistance(typed, domain)
    if (distance <= most) {
      best = domain
      least = distance
    }
  }
  return best
}

/** True for `hotmail.se` beside `hotmail.es`: where mail is taken, it is the provider's too. `hotmail.co` is a slip of `.com`. */
function isOfAnotherCountry(typed: string, domain: string): boolean {
  const name = domain.slice(0, domain.indexOf('.') + 1)
  return typed.startsWith(name) && domain !== `${name}com`
}

/** The letters of a domain as bits; one slip sets or clears two of them at most. */
function lettersOf(domain: string): number {
  let letters = 0
  for (let at = 0; at < domain.length; at++) letters |= 1 << (domain.charCodeAt(at) & 31)
  return letters
}

function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}

/** `gmail` and `gmailcom`, in which the dot or all behind it is missing. */
const withoutDot = (domain: string): string | undefined =>
  domain.includes('.')
    ? undefined
    : PROVIDERS.find(
        (provider) => provider.replaceAll('.', '') === domain || provider.startsWith(`${domain}.`),
      )

/** A domain below an ending that does not exist, with the one that was meant. */
function withKnownEnding(domain: string): string | undefined {
  if (!domain.includes('.') || parse(domain).isIcann !== false) return undefined
  const dot = domain.lastIndexOf('.')
  const ending = ENDINGS.find((known) => editDistance(domain.slice(dot + 1), known) === 1)
  return ending === undefined ? undefined : `${domain.slice(0, dot)}.${ending}`
}
