// Asks the name servers of the zone itself, so that records published a moment ago are seen despite caches.

import { isIPv6 } from 'node:net'
import { findAddresses } from './mail-hosts.ts'
import { createResolver, type DnsAnswer, type Resolver } from './resolver.ts'
import { type AllowedNetworks, isSpecialUse } from './special-use.ts'

const MAX_HOSTS = 4
const MAX_SERVERS = 3
const PORT = 53
const TIMEOUT_MS = 1_500
/**
 * Time for all questions of one lookup: the owner of a name determines how many name servers there are, and how slow.
 */
const LOOKUP_MS = 30_000
/** Maximum labels of a name whose zone is searched. */
const MAX_LABELS = 20

export interface AuthoritativeOptions {
  /** Finds the name servers, and answers where they do not; must not cache. */
  readonly resolver: Resolver
  /** Special-use networks that may be asked nevertheless. */
  readonly allowed: AllowedNetworks
  /** Port of name servers; default 53. */
  readonly port?: number
  /** Time for all questions together, from the first one, in milliseconds. */
  readonly lookupMs?: number
}

/**
 * Returns a resolver that asks the name servers of the zone for TXT, MX and CNAME records, and `resolver` for the
 * rest or if they do not answer. Caches the servers of a zone and has a time limit, so each lookup needs a new one.
 */
export function authoritativeResolver(options: AuthoritativeOptions): Resolver {
  const { allowed, port = PORT, lookupMs = LOOKUP_MS } = options
  const inTime = timeForAll(lookupMs)
  const resolver = timed(options.resolver, inTime)
  const zones = new Map<string, Promise<readonly string[] | undefined>>()

  /** Returns the name servers for a name: those that the name, or the nearest name above it, is delegated to. */
  async function serversOf(name: string, own: boolean): Promise<readonly string[] | undefined> {
    const labels = name.split('.')
    if (labels.length > MAX_LABELS) return undefined
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
    // One address of each host, as the hosts of a zone rarely fail together.
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
    const direct = timed(createResolver({ servers, timeoutMs: TIMEOUT_MS, tries: 1, cache: false }), inTime)
    const answer = await query(direct)
    if (answer.kind === 'failure') return query(resolver)
    if (answer.kind === 'found' && answer.records.length > 0) return answer
    // RFC 1034 §4.3.2: if the name is an alias into another zone, its servers return only the alias.
    const alias = await direct.cname(name)
    if (alias.kind === 'found') return query(resolver)
    return answer.kind === 'found' ? { kind: 'nodata' } : answer
  }

  return {
    ...resolver,
    txt: (name) => ask(name, true, (it) => it.txt(name)),
    mx: (name) => ask(name, true, (it) => it.mx(name)),
    // The servers of the target zone do not know the alias.
    cname: (name) => ask(name, false, (it) => it.cname(name)),
  }
}

type InTime = <T>(ask: () => Promise<DnsAnswer<T>>) => Promise<DnsAnswer<T>>

/** Bounds the time of many questions together: after it, open questions fail and further ones are not asked. */
function timeForAll(ms: number): InTime {
  let end: number | undefined
  return async (ask) => {
    end ??= performance.now() + ms
    const left = end - performance.now()
    if (left <= 0) return LATE
    const over = Promise.withResolvers<typeof LATE>()
    const timer = setTimeout(() => over.resolve(LATE), left)
    try {
      return await Promise.race([ask(), over.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

const LATE = { kind: 'failure', code: 'ETIMEOUT' } as const

const timed = (resolver: Resolver, inTime: InTime): Resolver => ({
  mx: (name) => inTime(() => resolver.mx(name)),
  a: (name) => inTime(() => resolver.a(name)),
  aaaa: (name) => inTime(() => resolver.aaaa(name)),
  txt: (name) => inTime(() => resolver.txt(name)),
  cname: (name) => inTime(() => resolver.cname(name)),
  ns: (zone) => inTime(() => resolver.ns(zone)),
  ptr: (ip) => inTime(() => resolver.ptr(ip)),
})
