// A relay as the one host of a route: its addresses, and the TLS that its password needs.

import { isIP } from 'node:net'
import { findAddresses } from '../dns/mail-hosts.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Relay } from '../lib/relay.ts'
import type { StageFailure } from '../smtp/stage.ts'
import { OPPORTUNISTIC, type TlsPolicy } from './tls-policy.ts'

const MAX_ADDRESSES = 5

/** A relay that can be tried. */
interface RelayHost {
  readonly hostName: string
  readonly addresses: readonly string[]
  readonly port: number
  readonly tls: TlsPolicy
  readonly relay: Relay
}

/** Looks up an operator's relay, which may stand anywhere, also in a private network. */
export async function relayHost(
  relay: Relay,
  requireTls: boolean,
  resolver: Resolver,
): Promise<RelayHost | { readonly hostName: string; readonly failure: StageFailure }> {
  const { host: hostName, port } = relay
  const found = await addressesOf(hostName, resolver)
  if (typeof found === 'string') {
    const message = `The relay ${hostName} could not be looked up (${found})`
    return { hostName, failure: { stage: 'connect', error: { code: 'unreachable', message } } }
  }
  return { hostName, addresses: found, port, relay, tls: tlsOf(relay, found, requireTls) }
}

async function addressesOf(host: string, resolver: Resolver): Promise<readonly string[] | string> {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return ['127.0.0.1']
  const answer = await findAddresses(resolver, host)
  if (answer.kind === 'found') return answer.records.slice(0, MAX_ADDRESSES)
  return answer.kind === 'failure' ? answer.code : answer.kind
}

/** A password is only for the relay that it belongs to, so its certificate is verified, unless the URL says no. */
function tlsOf(relay: Relay, addresses: readonly string[], requireTls: boolean): TlsPolicy {
  if (requireTls) return { required: true, verify: true, demandedBy: 'the message' }
  const stays = addresses.every((address) => address.startsWith('127.') || address === '::1')
  if (relay.auth === undefined || stays) return OPPORTUNISTIC
  return { required: true, verify: relay.verify, demandedBy: 'the password for the relay' }
}
