// Finding routes, with everything that it needs: DNS, TLS policies, relays, our own addresses and names.

import { networkInterfaces } from 'node:os'
import type { Resolver } from '../dns/resolver.ts'
import { createSecureResolver } from '../dns/secure-resolver.ts'
import type { AllowedNetworks } from '../dns/special-use.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { cannotUse } from '../lib/own-address.ts'
import { parseRelay, type Relay } from '../lib/relay.ts'
import type { SourceAssignment, SourcePool } from '../lib/route-settings.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/store.ts'
import { MtaStsPolicies } from './mta-sts.ts'
import { findRoute, type Route, type RouteOptions, type RouteRequest } from './route.ts'
import { SourcePools } from './sources.ts'
import { TlsResults } from './tls-results.ts'

/** The settings, and what the rest of the node lends. */
export interface RoutingOptions {
  readonly resolver: Resolver
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly allowed: AllowedNetworks
  readonly mxPort: number
  readonly mtaStsPort: number
  readonly relayUrl: string | undefined
  readonly hostname: string
  readonly returnPathHost: string
  /** Where this node takes mail for the installation itself, if it does. */
  readonly inbound: { readonly host: string; readonly port: number } | undefined
  readonly sourceAddresses: readonly SourcePool[]
  readonly sourcePools: readonly SourceAssignment[]
  /** Name servers whose word on DNSSEC is taken; undefined: nobody's. */
  readonly secureServers: readonly string[] | undefined
}

/** Mail of whom to where. */
export type RoutingRequest = Omit<RouteRequest, 'relay' | 'requireTls'> & {
  readonly requireTls: number
  readonly relayUrl: string | null
}

/** URLs of relays that are remembered parsed. */
const MOST_RELAYS = 1_000

/** Finds routes from `start` to `stop`. */
export class Routing implements Part {
  readonly name = 'routing'
  /** Counts how TLS goes with the hosts of domains that have a policy. */
  readonly tlsResults: TlsResults
  /** By which hosts know us, and would be us. */
  readonly ownNames: ReadonlySet<string>
  readonly #options: RoutingOptions
  readonly #http: OutgoingHttp
  readonly #mtaSts: MtaStsPolicies
  readonly #route: RouteOptions
  readonly #relays = new Map<string, Relay>()

  constructor(options: RoutingOptions) {
    this.#options = options
    const { resolver, store, clock, log, allowed, mxPort, relayUrl, secureServers } = options
    this.tlsResults = new TlsResults(store, clock, log)
    this.ownNames = ownNames(options)
    this.#http = new OutgoingHttp({ resolver, allowed })
    this.#mtaSts = new MtaStsPolicies({
      ...{ resolver, http: this.#http, store, clock, log, port: options.mtaStsPort },
      onFailure: (domain, failure) => this.tlsResults.count({ type: 'sts', domain, text: [] }, '', failure),
    })
    const secureResolver =
      secureServers === undefined ? undefined : createSecureResolver({ servers: secureServers, clock })
    this.#route = {
      ...{ resolver, mxPort, allowed },
      relay: relayUrl === undefined ? undefined : parseRelay(relayUrl),
      sources: new SourcePools(options.sourceAddresses, options.sourcePools),
      tls: { mtaSts: this.#mtaSts, secureResolver, results: this.tlsResults },
      ownNames: this.ownNames,
      ownAddresses: ownAddresses(options),
    }
  }

  async start(): Promise<void> {
    const { sourceAddresses, log } = this.#options
    // Not fatal: an address may move here later. Until then mail that is to leave from it waits.
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

  /** The way of a recipient's mail. */
  find({ relayUrl, requireTls, ...request }: RoutingRequest): Promise<Route> {
    const relay = relayUrl === null ? undefined : this.#relay(relayUrl)
    return findRoute({ ...request, relay, requireTls: requireTls === 1 }, this.#route)
  }

  #relay(url: string): Relay {
    let relay = this.#relays.get(url)
    if (relay === undefined) {
      if (this.#relays.size >= MOST_RELAYS) this.#relays.clear()
      relay = parseRelay(url)
      this.#relays.set(url, relay)
    }
    return relay
  }
}

/** A name without a dot, such as localhost, is everybody's. */
function ownNames({ hostname, returnPathHost, sourceAddresses }: RoutingOptions): ReadonlySet<string> {
  const helos = sourceAddresses.flatMap((pool) => pool.addresses.map((source) => source.heloName))
  const names = [hostname, returnPathHost, ...helos].filter((name) => name?.includes('.'))
  return new Set(names as string[])
}

/** At which addresses whoever speaks to the MX port speaks to us. */
function ownAddresses({ inbound, mxPort }: RoutingOptions): ReadonlySet<string> {
  if (inbound === undefined || inbound.port !== mxPort) return new Set()
  if (inbound.host !== '0.0.0.0' && inbound.host !== '::') return new Set([inbound.host])
  return new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map((one) => one.address) ?? []))
}
