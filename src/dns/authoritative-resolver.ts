// Asks the name servers of the zone itself, so that what was published a moment ago is seen despite caches.

import { isIPv6 } from 'node:net'
import { findAddresses } from './mail-hosts.ts'
import { createResolver, type DnsAnswer, type Resolver } from './resolver.ts'
import { type AllowedNetworks, isSpecialUse } from './special-use.ts'

const MAX_HOSTS = 4
const MAX_SERVERS = 3
const PORT = 53
const TIMEOUT_MS = 1_500

export interface AuthoritativeOptions {
  /** Finds the name servers, and answers where they do not; without a cache of its own. */
  readonly resolver: Resolver
  /** Special networks that may be asked all the same. */
  readonly allowed: AllowedNetworks
  /** The port that name servers are asked on; 53 unless told. */
  readonly port?: number
}

/**
 * TXT, MX and CNAME records from the zone's own name servers where these answer, else as `resolver` tells; all else by
 * `resolver`. It remembers which servers a zone has: make a new one for each look.
 */
export function authoritativeResolver({ resolver, allowed, port = PORT }: AuthoritativeOptions): Resolver {
  const zones = new Map<string, Promise<readonly string[] | undefined>>()

  /** Name servers to ask for a name: those that it, or the nearest name above it, is delegated to. */
  async function serversOf(name: string, own: boolean): Promise<readonly string[] | undefined> {
    const labels = name.split('.')
    for (let first = own ? 0 : 1; first < labels.length - 1; first++) {
      const zone = labels.slice(first).join('.')
      const found = zones.get(zone) ?? serversOfZone(zone)
      zones.set(zone, found)
      const servers = await found
      if (servers !== undefined) return servers
    }
    return undefined
  }

  async function serversOfZone(zone: string): Promise<readonly string[] | undefined> {
    const hosts = await resolver.ns(zone)
    if (hosts.kind !== 'found' || hosts.records.length === 0) return undefined
    const answers = await Promise.all(
      hosts.records.slice(0, MAX_HOSTS).map((host) => findAddresses(resolver, host)),
    )
    // One address of each host first: the hosts of a zone are rarely away together.
    const addresses = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records.slice(0, 1) : []))
    return addresses
      .filter((address) => !isSpecialUse(address, allowed))
      .slice(0, MAX_SERVERS)
      .map((address) => (isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`))
  }

  async function ask<T extends readonly unknown[]>(
    name: string,
    own: boolean,
    query: (resolver: Resolver) => Promise<DnsAnswer<T>>,
  ): Promise<DnsAnswer<T>> {
    const servers = await serversOf(name, own)
    if (servers === undefined || servers.length === 0) return query(resolver)
    const direct = createResolver({ servers, timeoutMs: TIMEOUT_MS, tries: 1, cache: false })
    const answer = await query(direct)
    if (answer.kind === 'failure') return query(resolver)
    if (answer.kind === 'found' && answer.records.length > 0) return answer
    // RFC 1034 §4.3.2: where the name is an alias into another zone, its servers tell the alias alone.
    const alias = await direct.cname(name)
    if (alias.kind === 'found') return query(resolver)
    return answer.kind === 'found' ? { kind: 'nodata' } : answer
  }

  return {
    ...resolver,
    txt: (name) => ask(name, true, (it) => it.txt(name)),
    mx: (name) => ask(name, true, (it) => it.mx(name)),
    // The servers of an alias's target know nothing of the alias.
    cname: (name) => ask(name, false, (it) => it.cname(name)),
  }
}
