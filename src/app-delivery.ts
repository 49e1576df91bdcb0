// Delivery put together: from settings to the worker, with its routes, limits and connections.

import { resolverOf } from './app-domains.ts'
import type { Ground } from './app-ground.ts'
import { ConnectionPool, DEFAULT_LIMITS } from './delivery/pool.ts'
import type { Preparation } from './delivery/prepare.ts'
import { Routing } from './delivery/routing.ts'
import { Throttle } from './delivery/throttle.ts'
import { DeliveryWorker } from './delivery/worker.ts'
import { parseNetworks } from './dns/special-use.ts'
import type { Figure } from './lib/figures.ts'
import { timeoutsWithin } from './smtp/timeouts.ts'
import type { ClockWatch } from './store/clock-watch.ts'

/** What delivery stands on. */
export interface DeliveryGround extends Ground {
  /** The installation's. */
  readonly secret: string
  readonly preparation: Preparation
  readonly clockWatch: ClockWatch
  /** Where the built-in mail host listens that everything goes to; undefined without one. */
  readonly playgroundPort: number | undefined
}

/** Starts delivering; undefined on a node that does not. */
export async function startDelivery(ground: DeliveryGround): Promise<DeliveryWorker | undefined> {
  const { config, store, clock, log, lifecycle, secret, preparation, clockWatch } = ground
  if (!config.roles.includes('delivery')) return undefined
  const routing = await lifecycle.start(routingOf(ground))
  return lifecycle.start(
    new DeliveryWorker({
      ...{ store, clock, log, preparation, routing },
      skew: () => clockWatch.skew,
      dataDir: config.dataDir,
      throttle: new Throttle(new Map(config.destinationRates)),
      pool: new ConnectionPool({
        ...DEFAULT_LIMITS,
        perHost: config.destinationConnections,
        messagesPerConnection: config.messagesPerConnection,
      }),
      heloName: config.hostname,
      ownNames: routing.ownNames,
      tlsResults: routing.tlsResults,
      timeouts: timeoutsWithin(config.replyTimeoutMs),
      retrySchedule: config.retrySchedule,
      returnPathSecret: secret,
      alone: config.databaseUrl === undefined,
    }),
  )
}

/** In the playground without name servers of its own everything goes to the built-in mail host. */
function routingOf({ config, store, clock, log, playgroundPort }: DeliveryGround): Routing {
  const builtIn = playgroundPort !== undefined
  const networks = [...config.allowPrivateNetworks, ...(builtIn ? ['127.0.0.1/32'] : [])]
  return new Routing({
    ...{ ...config, store, clock, log },
    resolver: resolverOf(config, store, undefined, clock),
    allowed: parseNetworks(networks.join(',')),
    mxPort: playgroundPort ?? config.mxPort,
    inbound:
      config.roles.includes('inbound') && config.inboundPort !== undefined
        ? { host: config.smtpHost, port: config.inboundPort }
        : undefined,
    secureServers: config.dnssec === 'trusted' && !builtIn ? (config.dnsServers ?? []) : undefined,
  })
}

/** The figures of delivery. */
export const workerFigures = (worker: DeliveryWorker): Figure[] => [
  {
    name: 'postrider_attempts_total',
    help: 'Delivery attempts that ended, by outcome',
    kind: 'counter',
    label: 'outcome',
    read: () => Object.entries(worker.ended),
  },
  {
    name: 'postrider_attempts_in_flight',
    help: 'Delivery attempts under way',
    kind: 'gauge',
    read: () => worker.inFlight,
  },
]
