// Checks of the content of a sent message or a template for faults that harm its delivery.

import { messages } from '../texts/en/messages.ts'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { byteSize } from './numbers.ts'
import { withoutStyles } from './without-styles.ts'

const words = messages.checks

/** Parts of a message that the checks read. */
export interface MailContent {
  readonly html: string | null
  readonly text: string | null
  readonly subject: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Domain of the From address. */
  readonly domain: string
  readonly isBroadcast: boolean
  /** Host and port of this installation in the playground, whose links are meant to be local; undefined otherwise. */
  readonly playground?: string | undefined
}

export interface MailCheck {
  readonly title: string
  /** Severity of the result; `ok` if the check has passed. */
  readonly status: 'ok' | 'warning' | 'error'
  /** Reason of the result, and the remedy. */
  readonly detail: string
}

/** Properties of the HTML part of a message. */
export interface HtmlFacts {
  readonly links: readonly string[]
  readonly images: readonly { readonly src: string; readonly alt: string | null }[]
  /** Number of visible text characters. */
  readonly textLength: number
}

/** Size of HTML in bytes above which Gmail truncates a message and links to the rest. */
export const GMAIL_CLIP_BYTES = 102 * 1024
/** Minimum number of text characters next to images; filters associate less text with spam. */
const MIN_TEXT = 50

/** Parses HTML without loading resources or running scripts, in a document without a window. */
export function htmlFacts(html: string): HtmlFacts {
  const document = new DOMParser().parseFromString(withoutStyles(html), 'text/html')
  for (const hidden of document.querySelectorAll('x-style, script, head, template')) hidden.remove()
  return {
    links: [...document.querySelectorAll('a[href], area[href]')].map((one) => one.getAttribute('href') ?? ''),
    images: [...document.querySelectorAll('img')].map((one) => ({
      src: one.getAttribute('src') ?? '',
      alt: one.getAttribute('alt'),
    })),
    textLength: (document.body?.textContent ?? '').replace(/\s+/g, ' ').trim().length,
  }
}

/** Returns the results of all checks in order, including passed checks. */
export function checkMail(mail: MailContent, facts: HtmlFacts | undefined): readonly MailCheck[] {
  return [
    textCheck(mail),
    ...(facts === undefined ? [] : [linkCheck(facts, mail), imageCheck(facts)]),
    ...(mail.html === null ? [] : [sizeCheck(mail.html)]),
    ...(mail.isBroadcast ? [unsubscribeCheck(mail)] : []),
    subjectCheck(mail),
  ]
}

type Said = Omit<MailCheck, 'status'>
const ok = (said: Said): MailCheck => ({ ...said, status: 'ok' })
const warning = (said: Said): MailCheck => ({ ...said, status: 'warning' })
const error = (said: Said): MailCheck => ({ ...said, status: 'error' })

const textCheck = ({ html, text }: MailContent): MailCheck =>
  html !== null && !text ? warning(words.noTextPart) : ok(words.textPart)

function linkCheck({ links }: HtmlFacts, { domain, playground }: MailContent): MailCheck {
  const urls = links.flatMap((link) => (URL.canParse(link) ? [new URL(link)] : []))
  const web = urls.filter(
    ({ protocol, host }) => (protocol === 'http:' || protocol === 'https:') && host !== playground,
  )
  const local = web.filter(({ hostname }) => isLocal(hostname))
  const { localLinks, plainLinks, foreignLinks } = words
  if (local.length > 0) {
    return error({ ...localLinks, detail: fill(localLinks.detail, { names: namesOf(local) }) })
  }
  const plain = web.filter(({ protocol }) => protocol === 'http:')
  if (plain.length > 0) {
    return warning({ ...plainLinks, detail: fill(plainLinks.detail, { names: namesOf(plain) }) })
  }
  const foreign = web.filter(({ hostname }) => !isWithin(hostname, domain))
  if (web.length > 0 && foreign.length === web.length) {
    const names = namesOf(foreign)
    return warning({ ...foreignLinks, detail: fill(foreignLinks.detail, { domain, names }) })
  }
  return ok(words.links)
}

const namesOf = (urls: readonly URL[]): string => {
  const names = [...new Set(urls.map(({ host }) => host))]
  if (names.length <= 3) return names.join(', ')
  return fill(tables.andMore, { names: names.slice(0, 3).join(', '), count: names.length - 3 })
}

/**
 * True for loopback, private and link-local addresses, and for names that are not in the public DNS (RFC 6761, RFC
 * 6762).
 */
const isLocal = (host: string): boolean =>
  !host.includes('.')
    ? !host.startsWith('[') || /^\[(::1|f[cde])/i.test(host)
    : /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|0)\./.test(host) ||
      /\.(localhost|local|internal|test|invalid)$/.test(host)

/**
 * True if the host is in the registered domain of `domain`, which this function takes to be the last two labels,
 * because the dashboard has no list of public suffixes.
 */
const isWithin = (host: string, domain: string): boolean => {
  const end = domain.split('.').slice(-2).join('.')
  return host === end || host.endsWith(`.${end}`)
}

function imageCheck({ images, textLength }: HtmlFacts): MailCheck {
  if (images.length > 0 && textLength < MIN_TEXT) return warning(words.imagesOnly)
  const unnamed = images.filter(({ alt }) => alt === null).length
  if (unnamed === 0) return ok(words.images)
  const { title, detail } = words.unnamedImages
  return warning({ title, detail: fill(detail, { some: unnamed, all: images.length }) })
}

function sizeCheck(html: string): MailCheck {
  const bytes = new TextEncoder().encode(html).length
  const [size, most] = [byteSize(bytes), byteSize(GMAIL_CLIP_BYTES)]
  const { clipped, size: fits } = words
  return bytes > GMAIL_CLIP_BYTES
    ? warning({ ...clipped, detail: fill(clipped.detail, { size, most }) })
    : ok({ ...fits, detail: fill(fits.detail, { size }) })
}

function unsubscribeCheck({ headers, playground }: MailContent): MailCheck {
  const of = (wanted: string): string =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? ''
  const oneClick = /https:/i.test(of('list-unsubscribe')) && of('list-unsubscribe-post') !== ''
  if (oneClick) return ok(words.oneClick)
  // The playground has no https address, which is no fault of the message.
  const isOwn = playground !== undefined && of('list-unsubscribe').includes(`<http://${playground}/`)
  return isOwn ? ok(words.oneClickInPlayground) : error(words.noOneClick)
}

const subjectCheck = ({ subject }: MailContent): MailCheck =>
  subject.trim() === '' ? warning(words.noSubject) : ok(words.subject)
