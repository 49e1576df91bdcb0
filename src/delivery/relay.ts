// The smarthost that a URL names.

import type { Relay } from './route.ts'

/** Reads `smtp://user:password@host:port` or `smtps://…`; undefined stays undefined. */
export function relayFrom(url: string | undefined): Relay | undefined {
  if (url === undefined) return undefined
  const { protocol, hostname, port, username, password } = new URL(url)
  const implicitTls = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (implicitTls ? 465 : 587) : Number(port),
    implicitTls,
    auth:
      username === ''
        ? undefined
        : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
  }
}
