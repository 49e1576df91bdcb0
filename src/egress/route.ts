// Routes: the hosts to try for a destination, in order, for mail and for probes, with their TLS policy.

import { isIP, isIPv6 } from 'node:net'
import { findAddresses, type HostResolver } from '../dns/mail-hosts.ts'
import type { Resolver } from '../dns/resolver.ts'
import { createSecureResolver } from '../dns/secure-resolver.ts'
import type { AllowedNetworks } from '../dns/special-use.ts'
import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { cannotUse } from '../lib/own-address.ts'
import { parseRelay, type Relay, type SourceAssignment, type SourcePool } from '../lib/route-settings.ts'
import { TLS_REPORT_STREAM } from '../model/stream.ts'
import { isInbox } from '../model/test-inbox.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Source, Sources } from '../smtp/dial.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { SealedText } from '../store/database/secrets.ts'
import type { Store } from '../store/database/store.ts'
import { isInboundHost } from '../store/workspace/inbound-addresses.ts'
import {
  type HostAddresses,
  type LookupOptions,
  lookUpDestination,
  MAIL_BREADTH,
  type NoRoute,
  PROBE_BREADTH,
} from './destination.ts'
import { MtaStsPolicies } from './mta-sts.ts'
import { type OwnHost, type OwnHostOptions, ownHostOf } from './own-host.ts'
import { siteOf, siteOfRelay } from './site.ts'
import { OPPORTUNISTIC, type TlsPolicy, type TlsPolicySources, tlsPolicyOf } from './tls-policy.ts'
import { TlsResults } from './tls-results.ts'

/** A mail host, with all properties that decide whether an open connection can be reused for the host. */
export interface Host {
  readonly hostName: string
  /** Addresses of the host, at least one; all of the addresses may be dialled. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly tls: TlsPolicy
  /** Local addresses to connect from; undefined leaves the choice to the operating system. */
  readonly sources?: Sources | undefined
  /** The relay, if the host is a relay. */
  readonly relay?: Relay | undefined
  /** True if the host may be this installation, which accepts mail for an inbound stream. */
  readonly isOurs?: boolean
}

/** A host that must not be contacted, and the reason. */
export interface NotTried {
  readonly hostName: string
  readonly failure: StageFailure
}

/** Hosts to try, or the reason why no host can be tried; known before any host is dialled. */
export type Route =
  | {
      readonly kind: 'hosts'
      /** All mail hosts of the destination, in order of preference. */
      readonly names: readonly string[]
      /** Hosts that may be tried, in order; can be iterated more than once. */
      readonly hosts: AsyncIterable<Host | NotTried>
    }
  | NoRoute

/**
 * A route of mail, with the site of the destination and the first address of the first host. The address of a relay is
 * looked up only when the relay is tried. The route `inbox` leads to a test inbox and to no host.
 */
export type MailRoute =
  | (Exclude<Route, NoRoute> & { readonly site: string; readonly address?: string | undefined })
  | NoRoute
  | { readonly kind: 'inbox'; readonly inboxId: string }

/** Sender and destination of mail. */
export interface MailRouteRequest {
  /** Domain of the recipient, or the ID of a test inbox. */
  readonly destination: string
  /** Test inbox of the message; null for a live message. */
  readonly inboxId: string | null
  /** The sending domain. */
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
  readonly requireTls: boolean
  /** Relay of the sending domain; overrides the relay of the installation. */
  readonly relayUrl: SealedText | null
}

/** Resolver and addresses for probes; these settings may differ from the settings for mail. */
export interface ProbeRouteOptions {
  readonly resolver: HostResolver
  readonly allowed: AllowedNetworks
  readonly sources: Sources | undefined
}

/** Settings and components of the node that routes use. */
export interface RoutesOptions extends OwnHostOptions {
  readonly resolver: Resolver
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly allowed: AllowedNetworks
  readonly mtaStsPort: number
  /** Whether TLS reports are sent, so that results are counted for all domains that want reports. */
  readonly tlsReports: 'yes' | 'no'
  /** The relay of the installation. */
  readonly relayUrl: string | undefined
  readonly sourcePools: readonly SourceAssignment[]
  /** Name servers whose DNSSEC validation is trusted; undefined if there are no such servers. */
  readonly secureServers: readonly string[] | undefined
  readonly probes: ProbeRouteOptions
}

/** Returns an OwnHost that matches no host. */
function noOwnHost(): OwnHost {
  const none = new Set<string>()
  return { names: none, addresses: none }
}

/** Finds the routes of mail and probes, between `start` and `stop`. */
export class Routes implements Part {
  readonly name = 'routes'
  /** Counts TLS results with the hosts of domains that have a policy. */
  readonly tlsResults: TlsResults
  /** Names and addresses by which a host is recognised as this installation. */
  readonly own: OwnHost
  readonly #options: RoutesOptions
  readonly #http: OutgoingHttp
  readonly #mtaSts: MtaStsPolicies
  readonly #tls: TlsPolicySources
  readonly #sources: SourcePools
  readonly #relay: Relay | undefined
  readonly #relays = cacheOf<Relay>('relays')
  readonly #mailLookup: LookupOptions
  readonly #probeLookup: LookupOptions

  constructor(options: RoutesOptions) {
    this.#options = options
    const { resolver, store, clock, log, allowed, relayUrl, secureServers, probes } = options
    this.tlsResults = new TlsResults(store, clock, log, options.tlsReports === 'yes' ? resolver : undefined)
    this.own = ownHostOf(options)
    this.#http = new OutgoingHttp({ resolver, allowed })
    this.#mtaSts = new MtaStsPolicies({
      ...{ resolver, http: this.#http, store, clock, log, port: options.mtaStsPort },
      onFailure: (domain, failure) => this.tlsResults.count({ type: 'sts', domain, text: [] }, '', failure),
    })
    const secureResolver =
      secureServers === undefined ? undefined : createSecureResolver({ servers: secureServers, clock })
    this.#tls = { mtaSts: this.#mtaSts, secureResolver, results: this.tlsResults }
    this.#sources = new SourcePools(options.sourceAddresses, options.sourcePools)
    this.#relay = relayUrl === undefined ? undefined : parseRelay(relayUrl)
    const { own } = this
    this.#mailLookup = { resolver, allowed, own, breadth: MAIL_BREADTH }
    this.#probeLookup = { resolver: probes.resolver, allowed: probes.allowed, own, breadth: PROBE_BREADTH }
  }

  async start(): Promise<void> {
    const { sourceAddresses, log } = this.#options
    // A missing source address is not fatal: the address may be assigned to this machine later, and mail that must use
    // the address waits.
    for (const { name, addresses } of sourceAddresses) {
      for (const { address } of addresses) {
        const code = await cannotUse(address)
        if (code !== undefined) log.error({ pool: name, address, code }, 'a source address cannot be used')
      }
    }
  }

  async stop(): Promise<void> {
    await this.#http.stop()
    await this.#mtaSts.stop()
    await this.tlsResults.stop()
  }

  /**
   * Finds the route of mail to a recipient. The route of a test message is its inbox, without a lookup. The stored
   * message and the stored recipient both name the inbox, and either is enough to keep the message from every host.
   */
  async forMail(request: MailRouteRequest): Promise<MailRoute> {
    const { relayUrl, requireTls, destination, domainId, inboxId } = request
    if (inboxId !== null || isInbox(destination)) return { kind: 'inbox', inboxId: inboxId ?? destination }
    const relay = relayUrl === null ? this.#relay : this.#parsedRelay(relayUrl, domainId)
    if (relay !== undefined) {
      const hosts = lookedUpOnDemand(() => relayHost(relay, requireTls, this.#options.resolver))
      return { kind: 'hosts', names: [relay.host], hosts, site: siteOfRelay(relay) }
    }
    const others = await lookUpDestination(destination, this.#mailLookup)
    // Mail for an inbound stream ends at this installation, so the mail does not loop.
    const isOurs =
      others.kind === 'no_route' &&
      others.cause === 'own_host' &&
      (await isInboundHost(this.#options.store.read, destination))
    const found = isOurs
      ? await lookUpDestination(destination, { ...this.#mailLookup, own: noOwnHost() })
      : others
    if (found.kind === 'no_route') return found
    const hosts = eachAs(found.hosts, async (host) => {
      const mailHost = await this.#mailHost(host, request)
      return isOurs && 'addresses' in mailHost ? { ...mailHost, isOurs } : mailHost
    })
    const [address] = found.first.addresses
    return { kind: 'hosts', names: found.names, hosts, site: siteOf(found.names), address }
  }

  /**
   * Finds the route of a probe. Ignores relays, which say nothing about the mailbox. Calls `named` as soon as the
   * mail hosts are known. Never rejects.
   */
  async forProbe(destination: string, named?: (names: readonly string[]) => void): Promise<Route> {
    const found = await lookUpDestination(destination, this.#probeLookup, named)
    if (found.kind === 'no_route') return found
    const { mxPort: port, probes } = this.#options
    // A probe transmits no message that a TLS policy would protect, so TLS is opportunistic.
    const shared = { port, tls: OPPORTUNISTIC, sources: probes.sources }
    const hosts = eachAs(found.hosts, (host) => ({ ...host, ...shared }))
    return { kind: 'hosts', names: found.names, hosts }
  }

  async #mailHost(
    { hostName, addresses }: HostAddresses,
    { destination, domainName, stream, requireTls }: MailRouteRequest,
  ): Promise<Host | NotTried> {
    const { mxPort: port } = this.#options
    const tls =
      stream === TLS_REPORT_STREAM
        ? OPPORTUNISTIC
        : await tlsPolicyOf({ destination, hostName, port }, requireTls, this.#tls)
    if ('forbidden' in tls) return { hostName, failure: tls.forbidden }
    return { hostName, addresses, port, tls, sources: this.#sources.choose(domainName, stream) }
  }

  #parsedRelay(url: SealedText, domainId: string): Relay {
    let relay = this.#relays.get(url)
    if (relay === undefined) {
      relay = parseRelay(this.#options.store.secrets.open(url, domainId))
      this.#relays.set(url, relay)
    }
    return relay
  }
}

const lookedUpOnDemand = <T>(find: () => Promise<T>): AsyncIterable<T> => ({
  async *[Symbol.asyncIterator]() {
    yield await find()
  },
})

/** Maps an async iterable without generators, because two generators would be created for each message. */
const eachAs = <A, B>(all: AsyncIterable<A>, as: (one: A) => B | Promise<B>): AsyncIterable<B> => ({
  [Symbol.asyncIterator]() {
    const iterator = all[Symbol.asyncIterator]()
    return {
      async next() {
        const { done, value } = await iterator.next()
        return done === true ? { done, value: undefined } : { value: await as(value) }
      },
    }
  },
})

const MAX_ADDRESSES = 5

/** A relay that can be tried. */
interface RelayHost {
  readonly hostName: string
  readonly addresses: readonly string[]
  readonly port: number
  readonly tls: TlsPolicy
  readonly relay: Relay
}

/** Looks up the addresses of a relay. A relay may be in a private network, because the operator has configured it. */
async function relayHost(
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

/**
 * Returns the TLS policy of a relay. No other host may get the password of the relay, so the certificate is verified
 * unless the URL of the relay disables the verification.
 */
function tlsOf(relay: Relay, addresses: readonly string[], requireTls: boolean): TlsPolicy {
  if (requireTls) return { required: true, verify: true, demandedBy: 'the message' }
  const stays = addresses.every((address) => address.startsWith('127.') || address === '::1')
  if (relay.auth === undefined || stays) return OPPORTUNISTIC
  return { required: true, verify: relay.verify, demandedBy: 'the password for the relay' }
}

/** Pools of source addresses, by the domains and streams that use the pools. */
class SourcePools {
  readonly #pools: ReadonlyMap<string, { readonly ipv4: readonly Source[]; readonly ipv6: readonly Source[] }>
  readonly #assigned: ReadonlyMap<string, string>

  constructor(pools: readonly SourcePool[], assignments: readonly SourceAssignment[]) {
    this.#pools = new Map(
      pools.map(({ name, addresses }) => [
        name,
        {
          ipv4: addresses.filter(({ address }) => !isIPv6(address)),
          ipv6: addresses.filter(({ address }) => isIPv6(address)),
        },
      ]),
    )
    this.#assigned = new Map(assignments.map(({ domain, stream, pool }) => [`${domain}/${stream}`, pool]))
  }

  /** Returns one address per family of the pool for this mail; undefined when the mail has no pool. */
  choose(domain: string, stream: string): Sources | undefined {
    if (this.#assigned.size === 0) return undefined
    const name =
      this.#assigned.get(`${domain}/${stream}`) ??
      this.#assigned.get(`${domain}/*`) ??
      this.#assigned.get(`*/${stream}`) ??
      this.#assigned.get('*/*')
    const pool = name === undefined ? undefined : this.#pools.get(name)
    return pool && { ipv4: anyOf(pool.ipv4), ipv6: anyOf(pool.ipv6) }
  }
}

const anyOf = (sources: readonly Source[]): Source | undefined =>
  sources[Math.trunc(Math.random() * sources.length)]
