// Checks for frequent faults of a rendered message: links, images, size and missing parts.

import { withoutStyles } from '../../parts/without-styles.ts'
import { templates } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'

const words = templates.checks

export interface Finding {
  readonly tone: 'bad' | 'waiting'
  readonly text: string
}

export interface CheckedParts {
  /** Subject of the message; undefined for a layout, which has no subject. */
  readonly subject: string | null | undefined
  readonly html: string | null
  readonly text: string | null
  readonly inlinesCss: boolean
}

const OBJECT = '[object Object]'
/** Size of HTML in bytes from which Gmail shows only the beginning and a link to the rest. */
const GMAIL_CLIPS_BYTES = 102 * 1024
/** Approximate number of characters of a subject that a phone shows. */
const MAX_SUBJECT = 70
/** Maximum number of findings of one kind that are listed separately. */
const MAX_ALIKE = 4

const bad = (text: string): Finding => ({ tone: 'bad', text })
const warning = (text: string): Finding => ({ tone: 'waiting', text })

/**
 * Returns all findings, most severe first. The HTML is parsed as a document that loads no resources and runs no
 * scripts.
 */
export function findingsOf(parts: CheckedParts): Finding[] {
  const { subject, html, text } = parts
  const found = [...ofSubject(subject)]
  if (html !== null) {
    const document = new DOMParser().parseFromString(withoutStyles(html), 'text/html')
    found.push(...ofSize(html), ...ofLinks(document), ...ofImages(document), ...ofElements(document, parts))
  }
  if (text === null || text.trim() === '') found.push(bad(words.noText))
  if (html?.includes(OBJECT)) found.push(bad(words.htmlPrintsObject))
  if (text?.includes(OBJECT)) found.push(bad(words.textPrintsObject))
  return found.toSorted((one, other) => Number(one.tone !== 'bad') - Number(other.tone !== 'bad'))
}

function ofSubject(subject: string | null | undefined): Finding[] {
  if (subject === undefined) return []
  if (subject === null) return [warning(words.noSubject)]
  if (subject.trim() === '') return [bad(words.emptySubject)]
  const { length } = [...subject]
  if (length <= MAX_SUBJECT) return []
  return [warning(fill(words.longSubject, { count: length, most: MAX_SUBJECT }))]
}

function ofSize(html: string): Finding[] {
  const bytes = new TextEncoder().encode(html).length
  if (bytes < GMAIL_CLIPS_BYTES) return []
  return [bad(fill(words.clipped, { size: Math.round(bytes / 1024) }))]
}

function ofLinks(document: Document): Finding[] {
  const links = [...document.querySelectorAll('a[href], area[href]')]
  return few(
    links.flatMap((link) => {
      const href = link.getAttribute('href')?.trim() ?? ''
      const name = nameOf(link)
      if (href.includes('@unsubscribe_url')) return []
      if (href === '' || href === '#') return [bad(fill(words.nowhere, { name }))]
      if (href.startsWith('#') || /^(?:mailto|tel|sms):/i.test(href)) return []
      return ofAddress(href, fill(words.link, { name }))
    }),
    words.moreLinks,
  )
}

function ofImages(document: Document): Finding[] {
  const images = [...document.querySelectorAll('img')]
  return few(
    images.flatMap((image) => {
      const src = image.getAttribute('src')?.trim() ?? ''
      const name = quoted(image.getAttribute('alt') || src.split('/').at(-1) || words.unnamed)
      const alt = image.hasAttribute('alt') ? [] : [warning(fill(words.noAlt, { name }))]
      if (src === '') return [bad(fill(words.noSource, { name })), ...alt]
      if (/^cid:/i.test(src)) return alt
      if (/^data:/i.test(src)) return [bad(fill(words.dataUrl, { name })), ...alt]
      return [...ofAddress(src, fill(words.image, { name })), ...alt]
    }),
    words.moreImages,
  )
}

/** Host names that exist only on the machine or network of a developer. */
const LOCAL_HOST =
  /^(?:localhost|.*\.(?:localhost|local|internal|test|example)|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|0\.0\.0\.0|\[::1\])$/i

function ofAddress(address: string, what: string): Finding[] {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address))
    return [bad(fill(words.relative, { what, address: quoted(address) }))]
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return [bad(fill(words.noUrl, { what, address: quoted(address) }))]
  }
  if (!/^https?:$/.test(url.protocol)) return [bad(fill(words.scheme, { what, scheme: url.protocol }))]
  if (LOCAL_HOST.test(url.hostname)) return [warning(fill(words.unreachable, { what, host: url.hostname }))]
  if (url.protocol === 'http:') return [warning(fill(words.unencrypted, { what }))]
  return []
}

function ofElements(document: Document, { inlinesCss }: CheckedParts): Finding[] {
  const found: Finding[] = []
  const has = (selector: string) => document.querySelector(selector) !== null
  if (has('script')) found.push(bad(words.scripts))
  if (has('form, iframe, video, audio, object, embed')) found.push(warning(words.forms))
  if (has('link[rel~="stylesheet" i]')) found.push(bad(words.styleSheets))
  if (has('x-style') && !inlinesCss) found.push(warning(words.styles))
  return found
}

const nameOf = (link: Element): string =>
  quoted(
    link.textContent?.trim() ||
      link.querySelector('img')?.getAttribute('alt') ||
      link.getAttribute('href') ||
      '',
  )

const quoted = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return fill(words.quoted, { text: line.length > 40 ? `${line.slice(0, 39)}…` : line })
}

function few(
  findings: readonly Finding[],
  moreWords: typeof words.moreLinks | typeof words.moreImages,
): Finding[] {
  const more = findings.length - MAX_ALIKE
  if (more <= 1) return [...findings]
  return [...findings.slice(0, MAX_ALIKE), warning(fill(moreWords, { count: more }))]
}
