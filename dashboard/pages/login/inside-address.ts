// The target page of a login, from a URL that any other site may have created.

/**
 * Returns the path of a dashboard page, or `/` for any other target. The URL is parsed as browsers parse it: browsers
 * ignore tabs and line breaks, so a text that begins with a single slash may still lead to another host.
 */
export function insideAddress(to: string, origin: string): string {
  if (!to.startsWith('/') || !URL.canParse(to, origin)) return '/'
  const { href, origin: ofPage, pathname } = new URL(to, origin)
  return ofPage === origin && !pathname.startsWith('/login') ? href : '/'
}
