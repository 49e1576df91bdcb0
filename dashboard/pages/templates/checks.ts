// What often goes wrong with a rendered mail: links, images, its size, parts that are missing.

export interface Finding {
  readonly tone: 'bad' | 'waiting'
  readonly text: string
}

export interface CheckedParts {
  /** Undefined for a layout, which has none. */
  readonly subject: string | null | undefined
  readonly html: string | null
  readonly text: string | null
  readonly inlinesCss: boolean
}

/** Bytes of HTML from which on Gmail shows the beginning and a link to the rest. */
const GMAIL_CLIPS_BYTES = 102 * 1024
/** Characters of a subject that a telephone shows, by and large. */
const MAX_SUBJECT = 70
/** Findings of one kind that are told one by one. */
const MAX_ALIKE = 4

const bad = (text: string): Finding => ({ tone: 'bad', text })
const warning = (text: string): Finding => ({ tone: 'waiting', text })

/** All findings, the grave ones first. The HTML is parsed as a document that loads and runs nothing. */
export function findingsOf(parts: CheckedParts): Finding[] {
  const { subject, html, text } = parts
  const found = [...ofSubject(subject)]
  if (html !== null) {
    const document = new DOMParser().parseFromString(withoutStyles(html), 'text/html')
    found.push(...ofSize(html), ...ofLinks(document), ...ofImages(document), ...ofElements(document, parts))
  }
  if (text === null || text.trim() === '')
    found.push(bad('There is no text part, or it is empty: filters count that against a message.'))
  for (const [part, content] of [['HTML', html] as const, ['text', text] as const]) {
    if (content?.includes('[object Object]'))
      found.push(bad(`The ${part} prints [object Object]: name a value inside of the object.`))
  }
  return found.toSorted((one, other) => Number(one.tone !== 'bad') - Number(other.tone !== 'bad'))
}

/** Styles by other names: a document that is only parsed reports each of them to the page's policy. */
const withoutStyles = (html: string): string =>
  html.replace(/\sstyle(?=\s*=)/gi, ' data-style').replace(/<(\/?)style\b/gi, '<$1x-style')

function ofSubject(subject: string | null | undefined): Finding[] {
  if (subject === undefined) return []
  if (subject === null) return [warning('The template has no subject: each send request must give one.')]
  if (subject.trim() === '') return [bad('The subject is empty with this model.')]
  const { length } = [...subject]
  if (length <= MAX_SUBJECT) return []
  return [warning(`The subject has ${length} characters; telephones show about ${MAX_SUBJECT}.`)]
}

function ofSize(html: string): Finding[] {
  const bytes = new TextEncoder().encode(html).length
  if (bytes < GMAIL_CLIPS_BYTES) return []
  return [bad(`The HTML has ${Math.round(bytes / 1024)} KiB. Gmail clips messages from 102 KiB on.`)]
}

function ofLinks(document: Document): Finding[] {
  const links = [...document.querySelectorAll('a[href], area[href]')]
  return few(
    links.flatMap((link) => {
      const href = link.getAttribute('href')?.trim() ?? ''
      const name = nameOf(link)
      if (href.includes('@unsubscribe_url')) return []
      if (href === '' || href === '#') return [bad(`The link ${name} leads nowhere.`)]
      if (href.startsWith('#') || /^(?:mailto|tel|sms):/i.test(href)) return []
      return ofAddress(href, `The link ${name}`)
    }),
    'links',
  )
}

function ofImages(document: Document): Finding[] {
  const images = [...document.querySelectorAll('img')]
  return few(
    images.flatMap((image) => {
      const src = image.getAttribute('src')?.trim() ?? ''
      const name = quoted(image.getAttribute('alt') || src.split('/').at(-1) || 'without a name')
      const alt = image.hasAttribute('alt')
        ? []
        : [warning(`The image ${name} has no alt text, which is shown while images are blocked.`)]
      if (src === '') return [bad(`The image ${name} has no source.`), ...alt]
      if (/^cid:/i.test(src)) return alt
      if (/^data:/i.test(src))
        return [bad(`The image ${name} is a data: URL; Gmail and Outlook do not show it.`), ...alt]
      return [...ofAddress(src, `The image ${name}`), ...alt]
    }),
    'images',
  )
}

/** Host names that exist on a developer's machine or network only. */
const LOCAL_HOST =
  /^(?:localhost|.*\.(?:localhost|local|internal|test|example)|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|0\.0\.0\.0|\[::1\])$/i

function ofAddress(address: string, what: string): Finding[] {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address))
    return [bad(`${what} is relative (${quoted(address)}): a message has no base URL.`)]
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return [bad(`${what} is no URL: ${quoted(address)}.`)]
  }
  if (!/^https?:$/.test(url.protocol))
    return [bad(`${what} has the scheme ${url.protocol}, which mail clients remove.`)]
  if (LOCAL_HOST.test(url.hostname))
    return [warning(`${what} leads to ${url.hostname}, which recipients cannot reach.`)]
  if (url.protocol === 'http:') return [warning(`${what} is not encrypted: use https.`)]
  return []
}

function ofElements(document: Document, { inlinesCss }: CheckedParts): Finding[] {
  const found: Finding[] = []
  const has = (selector: string) => document.querySelector(selector) !== null
  if (has('script')) found.push(bad('Mail clients remove script elements.'))
  if (has('form, iframe, video, audio, object, embed'))
    found.push(warning('Many mail clients show no forms, frames, video or audio.'))
  if (has('link[rel~="stylesheet" i]'))
    found.push(bad('Mail clients load no linked style sheets: use a style element.'))
  if (has('x-style') && !inlinesCss)
    found.push(warning('Some mail clients ignore style elements: turn on Inline CSS in the settings.'))
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
  return `“${line.length > 40 ? `${line.slice(0, 39)}…` : line}”`
}

function few(findings: readonly Finding[], noun: string): Finding[] {
  const more = findings.length - MAX_ALIKE
  if (more <= 1) return [...findings]
  return [...findings.slice(0, MAX_ALIKE), warning(`${more} more findings about ${noun}.`)]
}
