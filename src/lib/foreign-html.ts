// Converts foreign HTML into a document that a browser displays without scripts and network requests.

/**
 * HTTP headers of a document with foreign HTML. The Content-Security-Policy forbids scripts, forms and network requests
 * and gives the document an opaque origin, even in a frame without `sandbox` and in a separate window. Other headers
 * disable DNS prefetching of links and caching.
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

/** A file of a mail, to which the HTML of the mail may refer by `cid:`. */
export interface InlineFile {
  readonly contentId: string | undefined
  /** Media type as declared in the mail, in lower case. */
  readonly contentType: string
  readonly content?: Buffer
}

/**
 * Beginning of every document: links request a new window, which the sandbox forbids, so that clicks have no effect.
 */
const OPENING = `<!doctype html><base target="_blank"><style>:where(body){font:14px/1.5 Arial,sans-serif}</style>\n`

/**
 * Elements that can open connections despite any policy (`<link rel=preconnect>`), or that only embed foreign pages.
 */
const CONNECTING = /<(\/?)(link|iframe|frame|portal|fencedframe)(?=[\s/>])/gi
const SHOWN_TYPES = /^image\/(?:png|jpeg|gif|webp|avif)$/
const MAX_INLINE_BYTES = 10 * 1024 * 1024

/**
 * Returns the document. Elements that could open connections despite the policy get meaningless names wherever the
 * elements occur. A text search is sufficient and no parser is needed, because each tag has only one spelling.
 */
export function foreignDocument(html: string, files: readonly InlineFile[] = []): string {
  return OPENING + withImages(html.replace(CONNECTING, '<$1x-$2'), files)
}

/** Replaces `cid:` references with the images of the mail as `data:` URLs. */
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
    // The total size is limited, because one image that is referenced a million times would exceed the memory.
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
