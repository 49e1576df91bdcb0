// Setting types for outgoing routes: relays, pools of source addresses, and assignments of pools.

import { isIP } from 'node:net'
import { hostName, type Kind } from './setting-kinds.ts'

/** Setting type of a relay URL, which `parseRelay` parses. */
export const relayUrl: Kind<string> = {
  title: 'URL (smtp, smtps)',
  secret: true, // A relay URL may contain a password.
  read(text) {
    parseRelay(text)
    return text
  },
}

/** A named pool of source IP addresses of this machine. */
export interface SourcePool {
  readonly name: string
  readonly addresses: readonly { readonly address: string; readonly heloName: string | undefined }[]
}

/** Domain and stream of the mail that uses a pool; `*` matches any domain or stream. */
export interface SourceAssignment {
  readonly domain: string
  readonly stream: string
  readonly pool: string
}

const NAME = /^[a-z0-9_-]{1,64}$/i

/** Setting type of a pool, such as `main=192.0.2.10@mta1.example.com+2001:db8::10`. */
export const sourcePool: Kind<SourcePool> = {
  title: 'pool=address[@HELO name][+…]',
  read(text) {
    const [name = '', rest = ''] = splitOnce(text, '=')
    const addresses = rest.split('+').map((one) => {
      const [address = '', helo] = splitOnce(one.trim(), '@')
      if (isIP(address) === 0) throw new Error(MALFORMED_POOL)
      return { address, heloName: helo === undefined ? undefined : hostName.read(helo) }
    })
    if (!NAME.test(name)) throw new Error(MALFORMED_POOL)
    return { name, addresses }
  },
}

const MALFORMED_POOL = 'must be pools such as main=192.0.2.10@mta1.example.com+2001:db8::10'

/** Setting type of an assignment, such as `example.com/broadcast=bulk`, `example.com=main` or `*=main`. */
export const sourceAssignment: Kind<SourceAssignment> = {
  title: 'domain[/stream]=pool',
  read(text) {
    const [whose = '', pool = ''] = splitOnce(text, '=')
    const [domain = '', stream = '*'] = splitOnce(whose.trim(), '/')
    if (!NAME.test(pool.trim()) || (stream !== '*' && !NAME.test(stream)))
      throw new Error(MALFORMED_ASSIGNMENT)
    return { domain: domain === '*' ? '*' : hostName.read(domain), stream, pool: pool.trim() }
  },
}

const MALFORMED_ASSIGNMENT = 'must be such as example.com/broadcast=bulk, example.com=main or *=main'

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Address, TLS settings and credentials of a relay. */
export interface Relay {
  readonly host: string
  readonly port: number
  /** True if TLS begins with the first byte of the connection (smtps). */
  readonly implicitTls: boolean
  /**
   * True if the relay's certificate must be valid for the relay's host name; `?verify=no` in the URL disables the
   * check.
   */
  readonly verify: boolean
  readonly auth: { readonly user: string; readonly password: string } | undefined
}

/** Parses `smtp://user:password@host:port` or `smtps://…`. Throws an Error with a message that names the problem. */
export function parseRelay(url: string): Relay {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Error('must be a URL such as smtp://user:password@host:587')
  }
  const { protocol, hostname, port, username, password, pathname, search, hash } = parsed
  if (!/^\/?$/.test(pathname) || !/^(\?verify=(yes|no))?$/.test(search) || hash !== '') {
    throw new Error('contains something other than ?verify=no after the port')
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

/** Returns the URL of a relay with a masked password. */
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
