// Source addresses of mail: the settings choose a pool for a domain or one of its streams.

import { isIPv6 } from 'node:net'
import type { SourceAssignment, SourcePool } from '../lib/route-settings.ts'
import type { Source, Sources } from '../smtp/dial.ts'

/** Pools by the domains and streams they serve. */
export class SourcePools {
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
