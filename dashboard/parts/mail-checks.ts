// Checks of a mail's content that tell why receivers may treat it badly; of a message that was sent, or a template.

import { octets } from './numbers.ts'

/** What the checks read of a mail. */
export interface MailContent {
  readonly html: string | null
  readonly text: string | null
  readonly subject: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Domain of the From address. */
  readonly domain: string
  readonly isBroadcast: boolean
}

export interface MailCheck {
  readonly title: string
  /** `ok`, or how much it matters. */
  readonly status: 'ok' | 'warning' | 'error'
  /** The reason, and the remedy. */
  readonly detail: string
}

/** What a mail's HTML holds. */
export interface HtmlFacts {
  readonly links: readonly string[]
  readonly images: readonly { readonly src: string; readonly alt: string | null }[]
  /** Characters of text that readers see. */
  readonly textLength: number
}

/** Gmail cuts HTML that is longer, with a link to the rest. */
export const GMAIL_CLIP_OCTETS = 102 * 1024
/** Less text beside images is what filters know from spam. */
const MIN_TEXT = 50

/** Reads HTML without loading or running anything of it: a document without a window. */
export function htmlFacts(html: string): HtmlFacts {
  const document = new DOMParser().parseFromString(html, 'text/html')
  for (const hidden of document.querySelectorAll('style, script, head, template')) hidden.remove()
  return {
    links: [...document.querySelectorAll('a[href], area[href]')].map((one) => one.getAttribute('href') ?? ''),
    images: [...document.querySelectorAll('img')].map((one) => ({
      src: one.getAttribute('src') ?? '',
      alt: one.getAttribute('alt'),
    })),
    textLength: (document.body?.textContent ?? '').replace(/\s+/g, ' ').trim().length,
  }
}

/** Every check in its order, those that pass too. */
export function checkMail(mail: MailContent, facts: HtmlFacts | undefined): readonly MailCheck[] {
  return [
    textCheck(mail),
    ...(facts === undefined ? [] : [linkCheck(facts, mail), imageCheck(facts)]),
    ...(mail.html === null ? [] : [sizeCheck(mail.html)]),
    ...(mail.isBroadcast ? [unsubscribeCheck(mail)] : []),
    subjectCheck(mail),
  ]
}

const textCheck = ({ html, text }: MailContent): MailCheck =>
  html !== null && !text
    ? {
        title: 'No text part',
        status: 'warning',
        detail: 'Some programs and filters read only text. Send one beside the HTML.',
      }
    : { title: 'Text part', status: 'ok', detail: 'The message can be read as plain text.' }

function linkCheck({ links }: HtmlFacts, { domain }: MailContent): MailCheck {
  const urls = links.flatMap((link) => (URL.canParse(link) ? [new URL(link)] : []))
  const web = urls.filter(({ protocol }) => protocol === 'http:' || protocol === 'https:')
  const local = web.filter(({ hostname }) => isLocal(hostname))
  if (local.length > 0) {
    return {
      title: 'Links to a local address',
      status: 'error',
      detail: `Recipients cannot open ${namesOf(local)}. Use the public address of your site.`,
    }
  }
  const plain = web.filter(({ protocol }) => protocol === 'http:')
  if (plain.length > 0) {
    return {
      title: 'Links without encryption',
      status: 'warning',
      detail: `Browsers warn about ${namesOf(plain)}. Use https.`,
    }
  }
  const foreign = web.filter(({ hostname }) => !isWithin(hostname, domain))
  if (web.length > 0 && foreign.length === web.length) {
    return {
      title: 'All links lead to other domains',
      status: 'warning',
      detail: `Filters compare links with the sender; none leads to ${domain}, but to ${namesOf(foreign)}.`,
    }
  }
  return { title: 'Links', status: 'ok', detail: 'No link leads to a local or unencrypted address.' }
}

const namesOf = (urls: readonly URL[]): string => {
  const names = [...new Set(urls.map(({ host }) => host))]
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}

/** Loopback, private and link-local addresses, and names that no public DNS has (RFC 6761, RFC 6762). */
const isLocal = (host: string): boolean =>
  !host.includes('.')
    ? !host.startsWith('[') || /^\[(::1|f[cde])/i.test(host)
    : /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|0)\./.test(host) ||
      /\.(localhost|local|internal|test|invalid)$/.test(host)

/** Under the same registered name, as far as that can be told without a list: the last two labels. */
const isWithin = (host: string, domain: string): boolean => {
  const end = domain.split('.').slice(-2).join('.')
  return host === end || host.endsWith(`.${end}`)
}

function imageCheck({ images, textLength }: HtmlFacts): MailCheck {
  if (images.length > 0 && textLength < MIN_TEXT) {
    return {
      title: 'Images instead of text',
      status: 'warning',
      detail: 'Most programs show no images at first, and filters distrust mail without text.',
    }
  }
  const unnamed = images.filter(({ alt }) => alt === null).length
  return unnamed > 0
    ? {
        title: 'Images without alternative text',
        status: 'warning',
        detail: `${unnamed} of ${images.length} images have no alt attribute, which is read where images are not shown.`,
      }
    : { title: 'Images', status: 'ok', detail: 'Every image has an alternative text, or there is none.' }
}

function sizeCheck(html: string): MailCheck {
  const size = new TextEncoder().encode(html).length
  return size > GMAIL_CLIP_OCTETS
    ? {
        title: 'Gmail clips this message',
        status: 'warning',
        detail: `The HTML has ${octets(size)}; Gmail shows the first ${octets(GMAIL_CLIP_OCTETS)} and hides the rest, also an unsubscribe link at the end.`,
      }
    : { title: 'Size', status: 'ok', detail: `The HTML has ${octets(size)}; Gmail shows all of it.` }
}

function unsubscribeCheck({ headers }: MailContent): MailCheck {
  const of = (wanted: string): string =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? ''
  const oneClick = /https:/i.test(of('list-unsubscribe')) && of('list-unsubscribe-post') !== ''
  return oneClick
    ? {
        title: 'List-Unsubscribe',
        status: 'ok',
        detail: 'Recipients can unsubscribe with one click (RFC 8058).',
      }
    : {
        title: 'No one-click unsubscribing',
        status: 'error',
        detail:
          'Gmail and Yahoo want List-Unsubscribe with an https address and List-Unsubscribe-Post on broadcast mail; set POSTRIDER_PUBLIC_URL to an https address.',
      }
}

const subjectCheck = ({ subject }: MailContent): MailCheck =>
  subject.trim() === ''
    ? { title: 'No subject', status: 'warning', detail: 'Filters distrust mail without a subject.' }
    : { title: 'Subject', status: 'ok', detail: 'The message has a subject.' }
