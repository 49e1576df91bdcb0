// Looks up the mail hosts of a destination in the DNS: in the order of attempts, with the addresses that may be
// dialled.

import { isIP } from 'node:net'
import {
  findAddresses,
  findMailHosts,
  type HostResolver,
  type MailHostName,
  type MailHosts,
} from '../dns/mail-hosts.ts'
import type { DnsAnswer } from '../dns/resolver.ts'
import { type AllowedNetworks, isSpecialUse } from '../dns/special-use.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { OwnHost } from './own-host.ts'

/** Resolver of a lookup, and the addresses that must not be dialled. */
export interface LookupOptions {
  readonly resolver: HostResolver
  /** Special-use networks that may be dialled nevertheless. */
  readonly allowed: AllowedNetworks
  readonly own: OwnHost
  readonly breadth: Breadth
}

/** Bounds of a lookup. */
export interface Breadth {
  /** Maximum number of hosts tried within one attempt. */
  readonly hosts: number
  /** Maximum number of addresses per host and address family. */
  readonly perFamily: number
  /** Maximum number of addresses of all hosts together. */
  readonly addresses: number
  /** `both`: queries both address families; `ipv4-else-ipv6`: queries IPv6 only if the host has no IPv4 address. */
  readonly families: 'both' | 'ipv4-else-ipv6'
  /** Maximum number of DNS questions; each question may be repeated once, and once more over TCP. */
  readonly questions: number
}

export const MAIL_BREADTH: Breadth = {
  hosts: 5,
  perFamily: 2,
  addresses: Number.POSITIVE_INFINITY,
  families: 'both',
  questions: Number.POSITIVE_INFINITY,
}

/**
 * Bounds of a probe: one question about mail hosts and four questions about addresses, which cause at most ten DNS
 * queries.
 */
export const PROBE_BREADTH: Breadth = {
  hosts: 3,
  perFamily: 2,
  addresses: 4,
  families: 'ipv4-else-ipv6',
  questions: 5,
}

/** A mail host and its addresses, at least one; all of the addresses may be dialled. */
export interface HostAddresses {
  readonly hostName: string
  readonly addresses: readonly string[]
}

/** Reason why a destination has no host that can be tried. */
export type NoRouteCause =
  | 'null_mx'
  | 'domain_not_found'
  | 'no_mail_host'
  | 'no_address'
  | 'special_use'
  | 'own_host'
  | 'dns_error'

/** Result of a lookup for a destination without a host that can be tried. */
export interface NoRoute {
  readonly kind: 'no_route'
  readonly cause: NoRouteCause
  /** True if a later attempt would end the same way. */
  readonly permanent: boolean
  /** Reason in one sentence for the user. */
  readonly reason: string
  /** Bounce category; by default `domain_invalid` if permanent, otherwise `dns`. */
  readonly category?: BounceCategory
  /** Mail hosts of the destination, in order of preference. */
  readonly names: readonly string[]
}

/** A destination with at least one host that can be tried. */
export interface Destination {
  readonly kind: 'hosts'
  /** All mail hosts of the destination, in order of preference. */
  readonly names: readonly string[]
  /** Hosts to try, in order; the addresses of each host are looked up once, when its turn comes. */
  readonly hosts: AsyncIterable<HostAddresses>
  /** The first of `hosts`. */
  readonly first: HostAddresses
}

/**
 * Looks up the mail hosts of a domain and the addresses of the first host with addresses. Calls `named` as soon as the
 * mail hosts are known. Never rejects.
 */
export async function lookUpDestination(
  domain: string,
  options: LookupOptions,
  named?: (names: readonly string[]) => void,
): Promise<Destination | NoRoute> {
  const { questions } = options.breadth
  const resolver = Number.isFinite(questions)
    ? boundedResolver(options.resolver, questions)
    : options.resolver
  const found = await findMailHosts(resolver, domain)
  if (found.kind !== 'hosts') return withoutHosts(found)
  const ordered = shuffleEquals(found.hosts)
  const names = ordered.map((host) => host.name)
  named?.(names)
  // Only hosts with a lower preference value than this installation are tried if this installation is among the hosts
  // (RFC 5321 §5.1).
  const own = found.hosts.find((host) => options.own.names.has(host.name))
  const others = own === undefined ? ordered : ordered.filter((host) => host.preference < own.preference)
  const tried = others.slice(0, options.breadth.hosts).map((host) => host.name)
  const hosts = new HostsInTurn(tried, { ...options, resolver }, own !== undefined)
  const first = await hosts.at(0)
  return first === undefined ? withoutAddresses(hosts, names) : { kind: 'hosts', names, hosts, first }
}

function withoutHosts(found: Exclude<MailHosts, { kind: 'hosts' }>): NoRoute {
  switch (found.kind) {
    case 'null_mx':
      return noRoute('null_mx', 'The domain accepts no mail (null MX).')
    case 'nxdomain':
      return noRoute('domain_not_found', 'The domain does not exist.')
    case 'no_mail_host':
      return noRoute('no_mail_host', 'The domain has no mail host.')
    case 'failure':
      return failed(`The domain could not be looked up (${found.code}).`)
  }
}

function withoutAddresses({ failure, leadsToUs, special }: HostsInTurn, names: readonly string[]): NoRoute {
  if (failure !== undefined)
    return failed(`The mail hosts of the domain could not be looked up (${failure}).`, names)
  if (leadsToUs) {
    const reason = 'The mail hosts of the domain are this installation itself: a mail loop (5.4.6).'
    return { ...noRoute('own_host', reason, names), category: 'dns' }
  }
  if (!special) return noRoute('no_address', 'The mail hosts of the domain have no addresses.', names)
  // The operator may allow these networks later, so the failure says nothing about the recipient's address.
  const reason =
    'The mail hosts of the domain have only addresses of private or special use, which are not contacted.'
  return { ...noRoute('special_use', reason, names), category: 'dns' }
}

const noRoute = (cause: NoRouteCause, reason: string, names: readonly string[] = []): NoRoute => ({
  kind: 'no_route',
  cause,
  permanent: true,
  reason,
  names,
})

const failed = (reason: string, names: readonly string[] = []): NoRoute => ({
  ...noRoute('dns_error', reason, names),
  permanent: false,
})

/** Looks up hosts with their addresses one by one, on demand. */
class HostsInTurn implements AsyncIterable<HostAddresses> {
  /** DNS error of a host that could not be looked up. */
  failure: string | undefined
  /** True if one of the hosts is this installation itself. */
  leadsToUs: boolean
  /** True if a host has addresses, but none that may be contacted. */
  special = false
  readonly #options: LookupOptions
  readonly #left: string[]
  readonly #found: HostAddresses[] = []
  #addressesLeft: number

  constructor(names: string[], options: LookupOptions, leadsToUs: boolean) {
    this.#left = names
    this.#options = options
    this.#addressesLeft = options.breadth.addresses
    this.leadsToUs = leadsToUs
  }

  /** Returns the host with this index among the hosts that can be tried; undefined beyond the last host. */
  async at(index: number): Promise<HostAddresses | undefined> {
    while (index >= this.#found.length && (await this.#oneMore()));
    return this.#found[index]
  }

  [Symbol.asyncIterator](): AsyncIterator<HostAddresses, undefined> {
    let index = 0
    return {
      next: async () => {
        const value = await this.at(index++)
        return value === undefined ? { done: true, value } : { value }
      },
    }
  }

  async #oneMore(): Promise<boolean> {
    while (this.#addressesLeft > 0) {
      const hostName = this.#left.shift()
      if (hostName === undefined) return false
      const addresses = (await this.#lookUp(hostName)).slice(0, this.#addressesLeft)
      this.#addressesLeft -= addresses.length
      if (addresses.length === 0) continue
      this.#found.push({ hostName, addresses })
      return true
    }
    return false
  }

  async #lookUp(hostName: string): Promise<readonly string[]> {
    const { allowed, own, breadth } = this.#options
    const answer = await this.#ask(hostName)
    if (answer.kind === 'failure') this.failure ??= answer.code
    if (answer.kind !== 'found') return []
    if (answer.records.some((address) => own.addresses.has(address))) {
      // Hosts that follow this installation in the order of preference would only send the message back (RFC 5321
      // §5.1).
      this.leadsToUs = true
      this.#left.length = 0
      return []
    }
    // Special-use addresses are dropped without a connection, so that a sender learns nothing about ports at these
    // addresses.
    const usable = answer.records.filter((address) => !isSpecialUse(address, allowed))
    this.special ||= usable.length === 0
    return [4, 6].flatMap((family) =>
      usable.filter((address) => isIP(address) === family).slice(0, breadth.perFamily),
    )
  }

  async #ask(hostName: string): Promise<DnsAnswer<readonly string[]>> {
    const { resolver, breadth } = this.#options
    if (breadth.families === 'both') return findAddresses(resolver, hostName)
    const a = await resolver.a(hostName)
    if (a.kind === 'found') return a
    const aaaa = await resolver.aaaa(hostName)
    return a.kind === 'failure' && aaaa.kind !== 'found' ? a : aaaa
  }
}

/** Sorts hosts by preference, and hosts of equal preference at random (RFC 5321 §5.1). */
function shuffleEquals(hosts: readonly MailHostName[]): MailHostName[] {
  if (hosts.length === 1) return [...hosts]
  return hosts
    .map((host) => ({ ...host, lot: Math.random() }))
    .sort((a, b) => a.preference - b.preference || a.lot - b.lot)
}

const REFUSED: DnsAnswer<never> = { kind: 'failure', code: 'ETOOMANY' }

/**
 * Returns a resolver that forwards the first `most` questions and fails all further questions, so that the DNS data of
 * a domain cannot cause an endless number of questions.
 */
function boundedResolver(resolver: HostResolver, most: number): HostResolver {
  let left = most
  const bounded = <T>(ask: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> =>
    left-- > 0 ? ask() : Promise.resolve(REFUSED)
  return {
    mx: (name) => bounded(() => resolver.mx(name)),
    a: (name) => bounded(() => resolver.a(name)),
    aaaa: (name) => bounded(() => resolver.aaaa(name)),
  }
}
