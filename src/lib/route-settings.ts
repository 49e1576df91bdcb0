// Setting types about outgoing routes: relays, pools of source addresses, and their assignment.

import { isIP } from 'node:net'
import { parseRelay } from './relay.ts'
import { hostName, type Kind } from './setting-kinds.ts'

/** The URL of a relay, for `parseRelay`. */
export const relayUrl: Kind<string> = {
  title: 'URL (smtp, smtps)',
  secret: true, // its password
  read(text) {
    parseRelay(text)
    return text
  },
}

/** A name for some addresses of this machine. */
export interface SourcePool {
  readonly name: string
  readonly addresses: readonly { readonly address: string; readonly heloName: string | undefined }[]
}

/** Domain and stream whose mail uses a pool; `*` is any. */
export interface SourceAssignment {
  readonly domain: string
  readonly stream: string
  readonly pool: string
}

const NAME = /^[a-z0-9_-]{1,64}$/i

/** `main=192.0.2.10@mta1.example.com+2001:db8::10` */
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

/** `example.com/broadcast=bulk`, `example.com=main`, `*=main` */
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
