// Suggests the domain that the author of a misspelt address may have meant.

import { parse } from 'tldts'
import { editDistance } from '../lib/nearest.ts'
import { hasStrayDots, isAddress, parseAddress } from '../model/address.ts'
import type { InternalResult } from './verdict.ts'

/** The most frequently typed domains, in descending order of their number of mailboxes. */
const DOMAINS = `
  gmail.com yahoo.com hotmail.com outlook.com icloud.com aol.com live.com msn.com googlemail.com protonmail.com
  qq.com 163.com 126.com naver.com yandex.ru mail.ru rambler.ru gmx.de web.de t-online.de freenet.de gmx.net
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr hotmail.fr yahoo.fr outlook.fr libero.it virgilio.it hotmail.it
  yahoo.it yahoo.es hotmail.es yahoo.co.uk hotmail.co.uk btinternet.com sky.com ntlworld.com yahoo.co.in
  rediffmail.com yahoo.co.jp docomo.ne.jp uol.com.br bol.com.br yahoo.com.br terra.com.br hotmail.com.br
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net rogers.com
  bigpond.com telenet.be skynet.be ziggo.nl kpnmail.nl planet.nl bluewin.ch seznam.cz wp.pl onet.pl interia.pl o2.pl
  abv.bg ukr.net proton.me fastmail.com zoho.com me.com mac.com ymail.com hotmail.de yahoo.de outlook.de
  gmx.at gmx.ch gmx.com aol.de aol.co.uk live.de live.fr live.it live.nl live.be live.se live.dk live.ca live.co.uk
  hotmail.nl hotmail.be hotmail.se hotmail.dk hotmail.no hotmail.ca outlook.es outlook.it outlook.at outlook.be
  outlook.dk outlook.pt yahoo.ca yahoo.com.au yahoo.com.mx yahoo.com.ar yahoo.in yahoo.ie yahoo.gr yahoo.se yahoo.pl
  yahoo.ro yahoo.co.id yahoo.com.sg yahoo.com.ph yahoo.com.hk yahoo.com.tw yandex.com inbox.ru list.ru bk.ru inbox.lv
  rocketmail.com tutanota.com alice.it tin.it tiscali.it neuf.fr bbox.fr club-internet.fr arcor.de home.nl hetnet.nl
  shaw.ca telus.net sympatico.ca optonline.net windstream.net frontier.com juno.com optusnet.com.au ig.com.br globo.com
  hanmail.net foxmail.com centrum.cz email.cz freemail.hu citromail.hu
`
  .trim()
  .split(/\s+/)

const KNOWN: ReadonlySet<string> = new Set(DOMAINS)

interface Provider {
  readonly domain: string
  /** First label of the domain; `labelLetters` are the letters of the label as bits. */
  readonly label: string
  readonly labelLetters: number
  /** Letters of the domain as bits; `squeezed` is the domain without dots and hyphens. */
  readonly letters: number
  readonly squeezed: string
}

/** Results for addresses at which no mail can arrive, because the domain or the whole text is wrong. */
const NO_MAIL: ReadonlySet<InternalResult> = new Set([
  'invalid_syntax',
  'domain_not_found',
  'no_mail_server',
  'null_mx',
])

/**
 * First labels of domains that resemble no word: one slip in such a label is recognised even if the domain accepts
 * mail.
 */
const DISTINCT_LABELS: ReadonlySet<string> = new Set([
  'gmail',
  'googlemail',
  'hotmail',
  'outlook',
  'protonmail',
  'yahoo',
])
/** Words that are one slip away from a label in `DISTINCT_LABELS`, and that other domains use. */
const OTHER_WORDS: ReadonlySet<string> = new Set(['mail', 'email', 'grail', 'wahoo'])

/** First labels that only one provider uses: the ending of a typed domain that accepts no mail does not matter. */
const UNMISTAKABLE: ReadonlySet<string> = new Set(
  `gmail googlemail hotmail outlook protonmail yahoo icloud ymail fastmail comcast verizon sbcglobal bellsouth earthlink
  btinternet ntlworld bigpond rediffmail rambler yandex wanadoo laposte t-online freenet telenet skynet kpnmail ziggo
  bluewin seznam interia virgilio libero naver`.split(/\s+/),
)

/**
 * Returns the address with the domain that was probably meant; undefined if the typed domain does not look like a slip,
 * or if the mailbox is known to exist. `given` is any text; `isFree` reports domains of other providers, which are not
 * slips however similar they are.
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
  const domain = meant(withoutSlipsOfPunctuation(typed), result, isFree)
  if (domain === undefined || domain === typed) return undefined
  const address = parseAddress(`${given.slice(0, at)}@${domain}`)
  return isAddress(address) && !hasStrayDots(given, address) ? address.email : undefined
}

const PROVIDERS: readonly Provider[] = DOMAINS.map((domain) => {
  const label = domain.slice(0, domain.indexOf('.'))
  return {
    ...{ domain, label, labelLetters: lettersOf(label), letters: lettersOf(domain) },
    squeezed: domain.replace(/[.-]/g, ''),
  }
})

/**
 * Returns the domain without slips of punctuation: `gmail.com` for `gmail,com`, `gmail..com`, `gmail.com.` and
 * `gmail .com`.
 */
const withoutSlipsOfPunctuation = (domain: string): string =>
  domain
    .slice(0, 255)
    .replace(/\s/g, '')
    .replace(/[.,;:/]+/g, '.')
    .replace(/^(?:www\.)/, '')
    .replace(/^\.|\.$/g, '')

function meant(
  domain: string,
  result: InternalResult,
  isFree: (domain: string) => boolean,
): string | undefined {
  if (KNOWN.has(domain)) return domain
  const noMail = NO_MAIL.has(result)
  // The lists of free providers also contain `outlook.com.br`, which has no mail host.
  const isDoubled =
    noMail && result !== 'invalid_syntax' && DOMAINS.some((known) => domain.startsWith(`${known}.`))
  if (isFree(domain) && !isDoubled) return undefined
  if (!noMail) return oneSlipAway(domain)
  const provider = nearestProvider(domain) ?? withoutDots(domain)
  if (provider !== undefined) return provider
  const mended = withKnownEnding(domain)
  // A short name that resembles the name of a provider may be a slip or another word: `love.con`.
  return mended === undefined || nearestProvider(mended) !== undefined ? undefined : mended
}

/**
 * Returns the provider that is one slip away from a typed domain that accepts mail; a plural (`outlooks.com`) is no
 * slip.
 */
function oneSlipAway(typed: string): string | undefined {
  const letters = lettersOf(typed)
  return PROVIDERS.find(
    ({ domain, label, letters: known }) =>
      DISTINCT_LABELS.has(label) &&
      Math.abs(domain.length - typed.length) <= 1 &&
      !isOfAnotherCountry(typed, domain) &&
      !isAnotherWord(typed.slice(0, typed.indexOf('.')), label) &&
      countBits(letters ^ known) <= 2 &&
      editDistance(typed, domain) === 1,
  )?.domain
}

const isAnotherWord = (name: string, label: string): boolean => OTHER_WORDS.has(name) || name === `${label}s`

/**
 * True for a domain such as `hotmail.se`, one slip from `hotmail.es`, because such a domain belongs to the same
 * provider if it accepts mail. False for `hotmail.co`, which is a slip of `hotmail.com`.
 */
function isOfAnotherCountry(typed: string, domain: string): boolean {
  const name = domain.slice(0, domain.indexOf('.') + 1)
  return typed.startsWith(name) && domain !== `${name}com`
}

/**
 * Returns the provider with the fewest slips, in name and ending, from a typed domain that accepts no mail; the
 * provider with more mailboxes wins a tie.
 */
function nearestProvider(typed: string): string | undefined {
  if (typed.length > MAX_TYPED) return undefined
  const dot = typed.indexOf('.')
  const [name, ending] = dot < 0 ? [typed, ''] : [typed.slice(0, dot), typed.slice(dot + 1)]
  const isKnownName = PROVIDERS.some(({ label }) => label === name)
  const letters = lettersOf(name)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const provider of PROVIDERS) {
    const { domain, label, labelLetters } = provider
    // An edit distance is expensive to compute; the comparison of the sets of letters excludes most names.
    if (isKnownName ? label !== name : countBits(letters ^ labelLetters) > 2 * MAX_SLIPS) continue
    const inName = slipsOfName(name, label)
    const inEnding = slipsOfEnding(ending, domain.slice(label.length + 1))
    if (!isNear(inName, inEnding, label)) continue
    const slips = 2 * inName + inEnding
    if (slips < least) {
      best = domain
      least = slips
    }
  }
  return best
}

/** Maximum length of a domain that is compared. */
const MAX_TYPED = 40
/** Maximum number of slips in a name. */
const MAX_SLIPS = 2
/** Maximum length of a short name; short names resemble each other even without a slip. */
const SHORT_NAME = 4
/** Weight of an ending that is unrelated to the ending of the provider. */
const OTHER_ENDING = 3

function isNear(inName: number, inEnding: number, label: string): boolean {
  if (label.length <= 2) return inName === 0 && inEnding < OTHER_ENDING
  if (label.length <= SHORT_NAME) return inName + Math.min(inEnding, 1) <= 1 && inEnding < OTHER_ENDING
  if (inEnding === OTHER_ENDING) return inName <= 1 && UNMISTAKABLE.has(label)
  return inName <= MAX_SLIPS
}

/**
 * Returns the number of slips in a first label: 0, 1, 2, or Infinity for more. Swapped letters and repeated letters
 * count as one slip.
 */
function slipsOfName(name: string, label: string): number {
  if (name === label) return 0
  const slips = editDistance(name, label)
  if (slips === 1) return 1
  if (once(name) === once(label)) return 1
  const isSwapped = label.length > SHORT_NAME && name[0] === label[0] && inOrder(name) === inOrder(label)
  if (isSwapped) return 1
  const isLong =
    label.length > LONG_NAME || (MOST_TYPED.has(label) && name[0] === label[0] && name.length > 3)
  return slips === 2 && isLong ? 2 : Number.POSITIVE_INFINITY
}

const LONG_NAME = 5
/** Names that are typed very often: a label of five letters with two slips is taken for one of these names. */
const MOST_TYPED: ReadonlySet<string> = new Set(['gmail', 'yahoo'])

const once = (name: string): string => name.replace(/(.)\1+/g, '$1')
const inOrder = (name: string): string => [...name].sort().join('')

/** Returns the weight of the slips after the first label: 0 for none, up to 3 for an unrelated ending. */
function slipsOfEnding(typed: string, ending: string): number {
  if (typed === ending) return 0
  // Only the second half of the ending was typed: `uk`.
  if (typed.length > 1 && ending.endsWith(`.${typed}`)) return 0.75
  // The ending of another country is no slip.
  if (typed.length === 2 && ending.length === 2 && isCountry(typed)) return OTHER_ENDING
  if (editDistance(typed, ending) === 1 || inOrder(typed) === inOrder(ending)) return 1
  // Unfinished: `c`.
  if (typed !== '' && ending.startsWith(typed)) return 1
  // Too long: `comoi`.
  if (typed.startsWith(ending) && typed.length - ending.length <= 3 && !typed.includes('.')) return 1.25
  // A second ending follows or precedes the ending of the provider: `com.com`, `com.br`, `co.com`.
  const isDoubled =
    typed.startsWith(`${ending}.`) || typed.endsWith(`.${ending}`) || typed === ending.repeat(2)
  // The longest match wins: `com.br.br` is `com.br`.
  if (isDoubled) return 1.5 - ending.length / 100
  const last = typed.lastIndexOf('.')
  if (last > 0 && editDistance(typed.slice(0, last), ending) === 1) return 2
  return OTHER_ENDING
}

const isCountry = (ending: string): boolean => parse(`x.${ending}`).isIcann === true

/** Returns the letters of a domain as bits; one slip changes at most two bits. */
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

/** Minimum length of a provider's domain that is recognised although a letter is wrong in addition to the dots. */
const MANY_LETTERS = 8

/** Returns the provider for a domain with missing or misplaced dots: `gmail`, `gmailcom`, `gmai.lcom`, `g.mail.con`. */
function withoutDots(domain: string): string | undefined {
  const letters = domain.replace(/[.\-_]/g, '')
  const exact = PROVIDERS.find(
    ({ domain: known, squeezed }) => squeezed === letters || known.startsWith(`${domain}.`),
  )
  if (exact !== undefined) return exact.domain
  const near = ({ squeezed }: Provider): boolean =>
    squeezed.length >= MANY_LETTERS &&
    Math.abs(squeezed.length - letters.length) <= 1 &&
    editDistance(squeezed, letters) === 1
  return PROVIDERS.find(near)?.domain
}

/** Endings that are often misspelt, such as `con` for `com`. */
const ENDINGS = ['com', 'net', 'org']

/** Returns the domain with the ending that was probably meant, if the typed ending does not exist. */
function withKnownEnding(domain: string): string | undefined {
  if (!domain.includes('.') || parse(domain).isIcann !== false) return undefined
  const dot = domain.lastIndexOf('.')
  const ending = ENDINGS.find((known) => slipsOfEnding(domain.slice(dot + 1), known) === 1)
  return ending === undefined ? undefined : `${domain.slice(0, dot)}.${ending}`
}
