// The domain in what people type or paste as one.

/** `example.com` of `https://example.com/shop`, `me@example.com`, `example.com:443` and ` example.com. `. */
export const domainIn = (typed: string): string =>
  typed
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
