// The page that a login goes on to, from an address that any site may have put together.

/**
 * A page of our own only, home for any other. The address is read as browsers read it: they leave out tabs and line
 * breaks, so that what begins with one slash can lead elsewhere all the same.
 */
export function insideAddress(to: string, origin: string): string {
  if (!to.startsWith('/') || !URL.canParse(to, origin)) return '/'
  const { href, origin: ofPage, pathname } = new URL(to, origin)
  return ofPage === origin && !pathname.startsWith('/login') ? href : '/'
}
