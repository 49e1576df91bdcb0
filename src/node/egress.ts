// Builds the routes and connections to mail hosts (egress), shared by deliveries and verification probes.

import { isIPv6 } from 'node:net'
import type { Config } from '../config/settings.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import type { AttemptOptions } from '../egress/attempt.ts'
import { ConnectionPool, DEFAULT_LIMITS } from '../egress/pool.ts'
import { type ProbeRouteOptions, Routes } from '../egress/route.ts'
import type { Figure } from '../lib/figures.ts'
import { createPlaygroundResolver } from '../playground/resolver.ts'
import { PLAYGROUND_ADDRESSES } from '../playground/verification-steering.ts'
import type { Sources } from '../smtp/dial.ts'
import { DialogThreads } from '../smtp/threads/dialog-threads.ts'
import { findRecordsByName } from '../store/domains/domain-rows.ts'
import { resolverOf } from './domains.ts'
import type { NodeParts } from './parts.ts'

/** Parts of the node that egress needs. */
export interface EgressParts extends NodeParts {
  /** Port of the playground's mail host, which receives all mail; undefined on a node without this mail host. */
  readonly playgroundPort: number | undefined
}

/** Routes and connections by which delivery and verification reach mail hosts. */
export interface Egress {
  readonly routes: Routes
  readonly attempts: AttemptOptions
}

export async function startEgress(parts: EgressParts): Promise<Egress> {
  const { config, clock, lifecycle } = parts
  const routes = await lifecycle.start(routesOf(parts))
  const threads = await lifecycle.start(new DialogThreads(config.deliveryThreads))
  const limits = {
    ...DEFAULT_LIMITS,
    perHost: config.destinationConnections,
    probesPerAddress: config.verifyMxConnections,
    probes: config.verifyConnections,
    messagesPerConnection: config.messagesPerConnection,
  }
  const pool = await lifecycle.start(new ConnectionPool(clock, limits, threads.connect))
  const { own, tlsResults } = routes
  return { routes, attempts: { pool, clock, heloName: config.hostname, ownNames: own.names, tlsResults } }
}

/** Returns the metrics of the connections to mail hosts. */
export const egressFigures = ({ attempts: { pool } }: Egress): Figure[] => [
  {
    name: 'postrider_mail_host_connections',
    help: 'Connections to mail hosts, for mail and probes, by whether they are in use',
    kind: 'gauge',
    labels: ['state'],
    read: () => [
      ['in use', pool.open - pool.idle],
      ['idle', pool.idle],
    ],
  },
]

/** Returns the routes to mail hosts. A playground without configured name servers has one route, to its mail host. */
function routesOf(parts: EgressParts): Routes {
  const { config, store, clock, log, playgroundPort } = parts
  const builtIn = playgroundPort !== undefined
  const networks = [...config.allowPrivateNetworks, ...(builtIn ? ['127.0.0.1/32'] : [])]
  return new Routes({
    ...{ ...config, store, clock, log },
    resolver: resolverOf(config, store, undefined, clock),
    allowed: parseNetworks(networks.join(',')),
    mxPort: playgroundPort ?? config.mxPort,
    inbound:
      config.roles.includes('inbound') && config.inboundPort !== undefined
        ? { host: config.inboundHost, port: config.inboundPort }
        : undefined,
    secureServers: config.dnssec === 'trusted' && !builtIn ? (config.dnsServers ?? []) : undefined,
    probes: { ...probeNetworkOf(parts), sources: probeSourcesOf(config) },
  })
}

/** Limits of a DNS lookup for a probe; a slower lookup would leave too little time for the mail hosts. */
const PROBE_DNS = { timeoutMs: 2_000, tries: 2 }

/** Returns the DNS resolver of probes, and the private networks to which probes may connect. */
function probeNetworkOf({
  config,
  store,
  clock,
  playgroundPort,
}: EgressParts): Omit<ProbeRouteOptions, 'sources'> {
  if (playgroundPort === undefined) {
    return {
      resolver: createResolver({ ...PROBE_DNS, servers: config.dnsServers, clock }),
      allowed: parseNetworks(config.allowPrivateNetworks.join(',')),
    }
  }
  return {
    resolver: createPlaygroundResolver((name) => findRecordsByName(store.read, name)),
    allowed: parseNetworks(PLAYGROUND_ADDRESSES),
  }
}

/**
 * Returns the source addresses of probes. The addresses are fixed, because greylisting recognises a client by its
 * address.
 */
function probeSourcesOf({ verifySourcePool: name, sourceAddresses }: Config): Sources | undefined {
  if (name === undefined) return undefined
  const { addresses = [] } = sourceAddresses.find((one) => one.name === name) ?? {}
  return {
    ipv4: addresses.find(({ address }) => !isIPv6(address)),
    ipv6: addresses.find(({ address }) => isIPv6(address)),
  }
}
