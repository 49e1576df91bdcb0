// Queries the name servers of the zone itself, so that newly published records are found despite caches.

import { isIPv6 } from 'node:net'
import { findAddresses } from './mail-hosts.ts'
import { createResolver, type DnsAnswer, type Resolver } from './resolver.ts'
import { type AllowedNetworks, isSpecialUse } from './special-use.ts'

const MAX_HOSTS = 4
const MAX_SERVERS = 3
const PORT = 53
const TIMEOUT_MS = 1_500
/**
 * Time limit for all questions of one lookup, in milliseconds: the owner of a name determines the number and the speed
 * of its name servers.
 */
const LOOKUP_MS = 30_000
/** Maximum number of labels of a name for the search for its zone. */
const MAX_LABELS = 20

export interface AuthoritativeOptions {
  /** Resolver that finds the name servers, and that answers if the name servers do not; must not cache. */
  readonly resolver: Resolver
  /** Special-use networks in which name servers may be queried nevertheless. */
  readonly allowed: AllowedNetworks
  /** Port of name servers; default 53. */
  readonly port?: number
  /** Time limit for all questions together, from the first question, in milliseconds. */
  readonly lookupMs?: number
}

/**
 * Returns a resolver that asks the name servers of the zone for TXT, MX and CNAME records, and `resolver` for other
 * records or if the name servers do not answer. The returned resolver caches the name servers of zones and has a time
 * limit, so each lookup needs a new resolver.
 */
export function authoritativeResolver(options: AuthoritativeOptions): Resolver {
  const { allowed, port = PORT, lookupMs = LOOKUP_MS } = options
  const inTime = timeForAll(lookupMs)
  const resolver = timed(options.resolver, inTime)
  const zones = new Map<string, Promise<readonly string[] | undefined>>()

  /** Returns the name servers to which the name, or its nearest parent with a delegation, is delegated. */
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
    // One address of each host is sufficient, because the hosts of a zone rarely fail together.
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
    // Name servers return only the alias for a name that is an alias into another zone (RFC 1034 §4.3.2).
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

/** Limits the total time of many questions: pending questions fail after this time, and no further question is sent. */
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
