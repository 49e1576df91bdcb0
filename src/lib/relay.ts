// A smarthost for all mail, defined by a URL.

/** Address of a relay, and the credentials for it. */
export interface Relay {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly implicitTls: boolean
  /** True if its certificate must be valid for its name; `?verify=no` in the URL turns this off. */
  readonly verify: boolean
  readonly auth: { readonly user: string; readonly password: string } | undefined
}

/** Parses `smtp://user:password@host:port` or `smtps://…`. Throws an Error whose message names the problem. */
export function parseRelay(url: string): Relay {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Error('must be a URL such as smtp://user:password@host:587')
  }
  const { protocol, hostname, port, username, password, pathname, search, hash } = parsed
  if (!/^\/?$/.test(pathname) || !/^(\?verify=(yes|no))?$/.test(search) || hash !== '') {
    throw new Error('has more than ?verify=no after the port')
  }
  const implicitTls = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, '').toLowerCase(),
    port: port === '' ? (implicitTls ? 465 : 587) : Number(port),
    implicitTls,
    verify: search !== '?verify=no',
    auth: username === '' ? undefined : { user: decoded(username), password: decoded(password) },
  }
}

/** Returns the URL without its password. */
export function shownRelay({ host, port, implicitTls, auth }: Relay): string {
  const user = auth === undefined ? '' : `${encodeURIComponent(auth.user)}:********@`
  return `${implicitTls ? 'smtps' : 'smtp'}://${user}${host.includes(':') ? `[${host}]` : host}:${port}`
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (plain.includes('\0')) throw new Error()
    return plain
  } catch {
    throw new Error('has a user or password that is not percent-encoded UTF-8')
  }
}
