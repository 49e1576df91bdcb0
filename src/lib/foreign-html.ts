// Makes foreign HTML a document that a browser only displays.

/**
 * Headers of such a document. The policy also applies in a frame without `sandbox` and in a window of its own: no
 * scripts, no forms, no requests, an origin without data, no DNS prefetch of links.
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
  /** Type as declared in the mail, in lower case. */
  readonly contentType: string
  readonly content?: Buffer
}

/** Links request a new window, which the sandbox forbids, so that clicks lead nowhere. */
const OPENING = `<!doctype html><base target="_blank"><style>:where(body){font:14px/1.5 Arial,sans-serif}</style>\n`

/** Elements that can connect despite any policy (`<link rel=preconnect>`), or only show foreign pages. */
const CONNECTING = /<(\/?)(link|iframe|frame|portal|fencedframe)(?=[\s/>])/gi
const SHOWN_TYPES = /^image\/(?:png|jpeg|gif|webp|avif)$/
const MAX_INLINE_BYTES = 10 * 1024 * 1024

/**
 * Returns the document. Elements that could connect despite the policy get meaningless names, wherever they appear: a
 * tag has only one spelling, so no parser needs to be trusted.
 */
export function foreignDocument(html: string, files: readonly InlineFile[] = []): string {
  return OPENING + withImages(html.replace(CONNECTING, '<$1x-$2'), files)
}

/** Replaces `cid:` references by the images of the mail. */
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
    // One image referenced a million times would exceed the memory.
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
