// Source addresses of mail: a pool for a domain or a stream of it, chosen by setting.

import { isIPv6 } from 'node:net'
import type { SourceAssignment, SourcePool } from '../lib/route-settings.ts'
import type { Source, Sources } from '../smtp/dial.ts'

/** Pools by whom they serve. */
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

  /** An address of each family that the pool of this mail has; undefined when it has no pool. */
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
