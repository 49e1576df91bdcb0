// The address that was typed on the page before, so that it need not be typed twice.

/** From the state that a link between the pages of the login carries; the browser may have kept an older one. */
export function typedEmail(state: unknown): string {
  const email = typeof state === 'object' && state !== null && 'email' in state ? state.email : ''
  return typeof email === 'string' ? email : ''
}
