// Checks the addresses of links and images, without network access.

import { isIP } from 'node:net'
import { getDomain, parse } from 'tldts'
import { isSpecialUse } from '../dns/special-use.ts'
import type { FindingCode } from '../model/finding.ts'
import { hasUnsubscribeMark } from '../model/unsubscribe-link.ts'

/** Defect of an address. */
export interface LinkDefect {
  readonly code: FindingCode
  readonly message: string
}

/** Use of an address: a link that is followed, or an image that is loaded. */
export type LinkUse = 'link' | 'image'

/**
 * Placeholders in an address: braces, brackets and percent signs of template languages, also percent-encoded, and values
 * that a program printed instead of a text.
 */
const PLACEHOLDER =
  /\{\{|\}\}|%7b%7b|\$\{|%24%7b|\{%|<%|%recipient|\*\||\|\*|\[\[|%%\w|\[object(?: |%20)object\]|^\[[\w ]{1,60}\]$|^\{\w{1,60}\}$|^%\w{1,60}%$|(?:[/=]|^)(?:undefined|null|NaN)(?=$|[/?&#])/i

/** Placeholder of a template, which stands for any text while the template is edited. */
const EXPRESSION = /\{\{\{?[^{}]{0,2000}\}\}\}?/g

/** Hosts that shorten addresses. */
const SHORTENERS: ReadonlySet<string> = new Set(
  `bit.ly tinyurl.com goo.gl t.co ow.ly is.gd buff.ly rebrand.ly cutt.ly shorturl.at tiny.cc rb.gy bl.ink t.ly v.gd
  soo.gd s2r.co clicky.me budurl.com bc.vc adf.ly shorte.st lnkd.in trib.al dlvr.it ift.tt j.mp bit.do mcaf.ee su.pr
  tr.im x.co qr.ae chilp.it u.to short.io shorturl.com surl.li urlz.fr kutt.it tny.im zpr.io n9.cl s.id
  hyperurl.co tinu.be`.split(/\s+/),
)

/** Names that no public DNS resolves (RFC 6761, RFC 6762, RFC 8375, RFC 9476), and names of examples (RFC 2606). */
const LOCAL_NAME =
  /^(?:[^.]+|(?:.+\.)?(?:localhost|local|test|invalid|example|internal|intranet|lan|localdomain|home\.arpa|onion|alt)|(?:.+\.)?example\.(?:com|net|org))$/

/** Schemes that a mail program does not open from a mail. */
const UNSAFE_SCHEME = /^(?:javascript|vbscript|file|about|blob|view-source)$/

const nothing: readonly LinkDefect[] = []

/** Properties of a message that decide which addresses are defects. */
export interface LinkRules {
  /** True for the source of a template, whose expressions stand for any text. */
  readonly isTemplate: boolean
  /** Origin of the playground, whose own links work on the machine only; undefined in production. */
  readonly ownOrigin?: string | undefined
}

/**
 * Returns the defects of an address.
 *
 * @param anchors returns the identifiers of the document, to which `#…` may refer
 */
export function linkDefects(
  written: string,
  use: LinkUse,
  anchors: () => ReadonlySet<string>,
  { isTemplate, ownOrigin }: LinkRules,
): readonly LinkDefect[] {
  // Browsers remove line breaks and tabs from an address (WHATWG URL).
  let url = written.trim().replace(/[\t\r\n]+/g, '')
  if (hasUnsubscribeMark(url)) return nothing
  if (ownOrigin !== undefined && URL.parse(url)?.origin === ownOrigin) return nothing
  if (isTemplate && url.includes('{{')) {
    const filled = url.replace(EXPRESSION, '')
    // An address that begins with an expression may be any address.
    if (filled === '' || url.startsWith('{{') || /^[a-z]+:(?:\/\/)?\{\{/i.test(url)) return nothing
    url = url.replace(EXPRESSION, 'x')
  }
  const what = use === 'link' ? 'link' : 'image'
  if (PLACEHOLDER.test(url)) {
    return one('link_placeholder', `The address of the ${what} contains a placeholder that was not replaced.`)
  }
  if (url === '') return one('link_invalid', `The address of the ${what} is empty.`)
  if (url.startsWith('#')) {
    if (use === 'link' && url.length > 1 && anchors().has(url.slice(1))) return nothing
    return one('link_invalid', `"${url.slice(0, 40)}" leads nowhere.`)
  }
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    return one(
      'link_invalid',
      `The address of the ${what} is relative; a mail has no page that it could refer to.`,
    )
  }
  if (scheme === 'http' || scheme === 'https') return webDefects(url, scheme, what)
  return otherDefects(url, scheme, use)
}

function otherDefects(url: string, scheme: string, use: LinkUse): readonly LinkDefect[] {
  if (UNSAFE_SCHEME.test(scheme))
    return one('link_invalid', `No mail program opens an address with "${scheme}:".`)
  if (scheme === 'mailto' && !/^mailto:[^?\s]*[^?\s@]@[^?\s@]+|^mailto:\?/i.test(url)) {
    return one('link_invalid', 'The mailto link has no address.')
  }
  if (/^(?:tel|sms)$/.test(scheme) && !/\d/.test(url)) return one('link_invalid', 'The link has no number.')
  // An address such as example.com:8080/path has no scheme.
  if (/^[a-z\d.-]+\.[a-z]{2,}:\d/i.test(url))
    return one('link_invalid', 'The link lacks https:// at its beginning.')
  if (use === 'link' && scheme === 'data')
    return one('link_invalid', 'No mail program opens a data: address.')
  if (use === 'image' && scheme === 'data') {
    return one('image_data', 'The image is contained in the HTML as a data: URL.')
  }
  return nothing
}

function webDefects(text: string, scheme: string, what: string): readonly LinkDefect[] {
  const url = /^https?:[/\\]{2}[^/\\]/i.test(text) && !/\s/.test(text) ? URL.parse(text) : null
  if (url === null) {
    return one('link_invalid', `The address of the ${what} is no valid URL.`)
  }
  const host = url.hostname.replace(/\.$/, '')
  const bare = host.replace(/^\[|\]$/g, '')
  const defects: LinkDefect[] = []
  if (isIP(bare) === 0 ? LOCAL_NAME.test(host) : isSpecialUse(bare, { includes: () => false })) {
    return one('link_local', `Recipients cannot reach ${host.slice(0, 100)}.`)
  }
  if (scheme === 'http') {
    defects.push({ code: 'link_insecure', message: `The ${what} uses http instead of https.` })
  } else if (isIP(bare) !== 0) {
    defects.push({ code: 'link_insecure', message: `The ${what} names its host by an IP address.` })
  } else if (url.username !== '' || url.password !== '') {
    defects.push({
      code: 'link_insecure',
      message: `The address of the ${what} contains a user name or a password.`,
    })
  }
  if (SHORTENERS.has(host.replace(/^www\./, ''))) {
    defects.push({ code: 'link_shortener', message: `${host} is a URL shortener.` })
  }
  const disguise = disguised(text)
  if (disguise !== undefined) defects.push(disguise)
  return defects
}

/** Returns the defect of a host whose letters imitate other letters. */
function disguised(text: string): LinkDefect | undefined {
  const host = /^https?:[/\\]{2}([^/\\?#]*)/i.exec(text)?.[1] ?? ''
  // Plain ASCII is the usual case.
  if (/^[\x21-\x7e]*$/.test(host)) return undefined
  return hasMixedScripts(host)
    ? {
        code: 'link_mismatch',
        message: 'The host of the link mixes letters of several scripts, as a disguise does.',
      }
    : undefined
}

/** True if a word contains letters of Latin together with similar letters of Cyrillic or Greek. */
export const hasMixedScripts = (text: string): boolean =>
  text
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))

/** A text that is nothing but an address of the web, possibly without a scheme. */
const SHOWN =
  /^(?:https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24})\.?(?::\d{1,5})?(?:[/?#]\S*)?$/iu

/** Returns the host that the text of a link shows, if the link leads to another organization. */
export function otherHostShown(text: string, url: string): string | undefined {
  if (text.length > 2_000 || !text.includes('.')) return undefined
  const shown = SHOWN.exec(text.trim())?.[1]?.toLowerCase()
  if (shown === undefined || !/^https?:/i.test(url)) return undefined
  const target = URL.parse(url.trim())?.hostname
  if (target === undefined) return undefined
  const { domain, isIcann } = parse(shown)
  // A file name such as `report.pdf` or a product such as `Node.js` is no host.
  if (
    domain === null ||
    isIcann !== true ||
    (!/^https?:|^www\./i.test(text.trim()) && /\.(?:zip|mov|sh|py|md|rs|pl|ai|app)$/.test(shown))
  )
    return undefined
  return domain === getDomain(target) ? undefined : shown
}

/** Addresses in plain text; the characters at the end belong to the sentence. */
export const TEXT_ADDRESS = /\bhttps?:\/\/[^\s<>"]{1,2000}/gi
export const AFTER_ADDRESS = /[).,:;!?'\]]{1,10}$/

const one = (code: FindingCode, message: string): readonly LinkDefect[] => [{ code, message }]
