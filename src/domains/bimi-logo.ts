// Fetches the logo of a BIMI record and checks that it is a small, square SVG Tiny PS image without active content.

import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { BimiFinding } from '../model/bimi.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 32 * 1024

/** Fetches a logo and returns the findings about it; a host that does not answer is a finding. */
export async function checkLogo(http: Pick<OutgoingHttp, 'request'>, url: URL): Promise<BimiFinding[]> {
  const answer = await http.request(url, {
    ...{ method: 'GET' as const, headers: { accept: 'image/svg+xml' } },
    ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
  })
  if ('problem' in answer) return [answer.problem === 'too_large' ? 'logo_too_large' : 'logo_unreachable']
  if (answer.status !== 200) return ['logo_unreachable']
  const type = answer.headers['content-type'] ?? ''
  const isTyped = /^\s*image\/svg\+xml\s*(;|$)/i.test(type)
  const body = await unpacked(answer.body)
  return [
    ...(isTyped ? [] : ['logo_type' as const]),
    ...(typeof body === 'string' ? [body] : await svgFindings(body)),
  ]
}

/** Returns the bytes of an image that may be compressed (.svgz), or the finding about them. */
async function unpacked(body: Buffer): Promise<Buffer | BimiFinding> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  try {
    return await promisify(gunzip)(body, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ERR_BUFFER_TOO_LARGE' ? 'logo_too_large' : 'logo_not_svg'
  }
}

const ACTIVE: ReadonlySet<string> = new Set([
  ...['script', 'handler', 'listener', 'foreignobject', 'iframe', 'audio', 'video', 'animation', 'discard'],
  ...['animate', 'animatecolor', 'animatemotion', 'animatetransform', 'set', 'a', 'prefetch'],
])

/** Findings about the elements of an image, as they are read. */
class Seen {
  readonly findings = new Set<BimiFinding>()
  depth = 0
  hasTitle = false
  root: Readonly<Record<string, string>> | undefined
  #isInTitle = false
  #isInStyle = false

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.depth++
    const local = name.replace(/^.*:/, '').toLowerCase()
    if (this.depth === 1 && this.root === undefined && local === 'svg') this.root = attributes
    this.#isInTitle = local === 'title' && this.depth === 2
    this.#isInStyle = local === 'style'
    if (ACTIVE.has(local)) this.findings.add('logo_script')
    if (local === 'image') this.findings.add('logo_external')
    for (const [key, value] of Object.entries(attributes)) this.#attribute(key.toLowerCase(), value)
  }

  #attribute(key: string, value: string): void {
    if (/^(?:.*:)?on[a-z]/.test(key) || /^\s*javascript:/i.test(value)) this.findings.add('logo_script')
    if (/(?:^|:)href$/.test(key) && !/^\s*#/.test(value)) this.findings.add('logo_external')
    if (refersOutside(value)) this.findings.add('logo_external')
  }

  text(text: string): void {
    if (this.#isInTitle && text.trim() !== '') this.hasTitle = true
    if (this.#isInStyle && refersOutside(text)) this.findings.add('logo_external')
  }

  close(): void {
    this.depth--
    this.#isInTitle = false
    this.#isInStyle = false
  }
}

/** True if a style refers to another document: a URL that is no fragment, or an import. */
const refersOutside = (style: string): boolean => /url\(\s*["']?\s*(?!["'#\s])|@import\b/i.test(style)

/** Returns the findings about the bytes of an image. */
export async function svgFindings(bytes: Buffer): Promise<BimiFinding[]> {
  const { Parser } = await import('htmlparser2')
  const seen = new Seen()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => seen.open(name, attributes),
      ontext: (text) => seen.text(text),
      onclosetag: () => seen.close(),
      onprocessinginstruction(name, data) {
        // A document type may define entities, and a style sheet is another document.
        if (/^!/.test(name) ? /\[|entity/i.test(data) : /^\?xml-stylesheet/i.test(name)) {
          seen.findings.add('logo_external')
        }
      },
    },
    { xmlMode: true },
  )
  parser.write(bytes.toString('utf8'))
  parser.end()
  if (seen.root === undefined) return ['logo_not_svg']
  const { version, baseProfile: profile } = seen.root
  if (version !== '1.2' || profile !== 'tiny-ps') seen.findings.add('logo_profile')
  if (!seen.hasTitle) seen.findings.add('logo_title')
  if (!isSquare(seen.root)) seen.findings.add('logo_not_square')
  return [...seen.findings]
}

/** True if the viewBox of an svg element has equal sides. */
function isSquare({ viewBox = '' }: Readonly<Record<string, string>>): boolean {
  const [, , width, height] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return width !== undefined && width > 0 && width === height
}
