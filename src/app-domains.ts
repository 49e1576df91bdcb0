// Domains put together: the resolver that sees what has just been published.

import type { Config } from './config.ts'
import { authoritativeResolver } from './dns/authoritative-resolver.ts'
import { createResolver, type Resolver } from './dns/resolver.ts'
import { parseNetworks } from './dns/special-use.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createPlaygroundResolver } from './playground/resolver.ts'
import { findRecordsByName } from './store/domains.ts'
import type { Store } from './store/store.ts'

/** The resolver that the settings ask for, past or with a cache. */
export function resolverOf(
  config: Config,
  store: Store,
  cache: false | undefined,
  clock: Clock = systemClock,
): Resolver {
  if (config.mode === 'playground' && config.dnsServers === undefined) {
    return createPlaygroundResolver((name) => findRecordsByName(store.read, name))
  }
  return createResolver({ servers: config.dnsServers, cache, clock })
}

/** The resolver that a domain is verified with: one for each look. */
export function verifyingResolver(config: Config, store: Store): Resolver {
  const resolver = resolverOf(config, store, false)
  if (config.mode === 'playground' && config.dnsServers === undefined) return resolver
  return authoritativeResolver({ resolver, allowed: parseNetworks(config.allowPrivateNetworks.join(',')) })
}
