// HTML that strangers wrote, as a document that a browser shows and does nothing else with.

/**
 * Headers of such a document. The policy holds in a frame without `sandbox` and in a window of its own as well: no
 * scripts, no forms, no requests, an origin that has nothing. Names of links are not looked up either.
 */
export const FOREIGN_HTML_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'private, no-store',
}

/** A file of the mail that its HTML may show by `cid:`. */
export interface InlineFile {
  readonly contentId: string | undefined
  /** As the mail says, in lower case. */
  readonly contentType: string
  readonly content?: Buffer
}

/** Links ask for a window, which the sandbox does not give: a click leads nowhere. */
const OPENING = `<!doctype html><base target="_blank"><style>:where(body){font:14px/1.5 Arial,sans-serif}</style>\n`

/** No policy keeps these from connecting (`<link rel=preconnect>`), or they only show what is elsewhere. */
const CONNECTING = /<(\/?)(link|iframe|frame|portal|fencedframe)(?=[\s/>])/gi
const SHOWN_TYPES = /^image\/(?:png|jpeg|gif|webp|avif)$/
const MAX_INLINE_BYTES = 10 * 1024 * 1024

/**
 * The document. Elements that could connect without a policy having a say get names that mean nothing, wherever they
 * stand: a tag is never written in another way, so no parser needs to be trusted for it.
 */
export function foreignDocument(html: string, files: readonly InlineFile[] = []): string {
  return OPENING + withImages(html.replace(CONNECTING, '<$1x-$2'), files)
}

/** Images of the mail itself in the place of their `cid:`. */
function withImages(html: string, files: readonly InlineFile[]): string {
  const images = new Map<string, string>()
  let bytes = 0
  for (const { contentId, contentType, content } of files) {
    if (contentId === undefined || content === undefined || !SHOWN_TYPES.test(contentType)) continue
    bytes += content.length
    if (bytes <= MAX_INLINE_BYTES) {
      images.set(contentId, `data:${contentType};base64,${content.toString('base64')}`)
    }
  }
  if (images.size === 0) return html
  let left = MAX_INLINE_BYTES * 2
  return html.replace(/\bcid:([^"'\s)>]{1,200})/gi, (whole, id: string) => {
    const image = images.get(id) ?? images.get(decoded(id))
    // One image named a million times is a document too large for memory.
    if (image === undefined || image.length > left) return whole
    left -= image.length
    return image
  })
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
