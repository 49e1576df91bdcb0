// Extracts the domain name from user input, such as a URL or an e-mail address.

/** Returns `example.com` for `https://example.com/shop`, `me@example.com`, `example.com:443` and ` example.com. `. */
export const domainIn = (typed: string): string =>
  typed
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')

/** Returns `example.com` for `www.example.com`, the address of a website; undefined for any other domain. */
export const withoutWww = (domain: string): string | undefined => /^www\.(.+\..+)$/i.exec(domain)?.[1]
