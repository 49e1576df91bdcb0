// All caches of the process by name, with their maximum sizes in bytes, so that clients that choose the keys of a cache
// cannot exhaust the memory.

import { LRUCache } from 'lru-cache'

const MIB = 1024 * 1024

/**
 * Maximum size of each cache in bytes, as counted by `WeighedCache`. Each cache is created once, by the part of the
 * node that uses the cache.
 */
export const CACHE_BYTES = {
  /** DNS answers; one cache per resolver. */
  dns_answers: 32 * MIB,
  /** DNS answers with DNSSEC status. */
  secure_dns_answers: 16 * MIB,
  /** MTA-STS policies by recipient domain. */
  mta_sts_policies: 16 * MIB,
  /** Results of address verifications. */
  verifications: 16 * MIB,
  /** Catch-all domains, which accept mail for every local part. */
  catch_all_domains: 4 * MIB,
  /** Addresses that their mail host greylisted, to be probed again. */
  greylisted_probes: 4 * MIB,
  /** Catch-all probe addresses that were greylisted, by domain; a second probe uses the same address. */
  greylisted_catch_all_probes: 1 * MIB,
  /** State of mail hosts by IP address: pauses and TLS failures. */
  mail_host_addresses: 8 * MIB,
  /** Mail hosts that announce unsupported extensions, by host name. */
  mail_host_quirks: 2 * MIB,
  /** Meanings of SMTP replies by the text of the reply; one cache per process. */
  reply_meanings: 2 * MIB,
  /** TLS results by policy, host and day, until they are written. */
  tls_results: 8 * MIB,
  /** Combinations of a domain and an hour that the counts of replies have already. */
  reply_combinations: 2 * MIB,
  /** Relays of sending domains, parsed from the relay URL. */
  relays: 1 * MIB,
  /** Token buckets by credential, client address or network; one cache per kind of limit. */
  rate_limits: 8 * MIB,
  /** Parsed rate limits of credentials. */
  written_rates: 1 * MIB,
  /** Credentials by the hash of the secret. */
  credentials: 16 * MIB,
  /** Sets of scopes of credentials, by the stored list. */
  scope_sets: 1 * MIB,
  /** Networks that recently logged in or delivered wanted mail; one cache per kind of SMTP listener. */
  known_networks: 2 * MIB,
  /** Last start tag of each stream. */
  start_tags: 4 * MIB,
  /** Stored bytes of accounts that have a limit. */
  stored_bytes: 2 * MIB,
  /** Signing keys by sending domain. */
  signing_keys: 32 * MIB,
  /** Signing keys of tracked links by requested host. */
  tracking_keys: 1 * MIB,
  /** User agents of tracking hits, classified as programs or mail clients of people. */
  user_agents: 2 * MIB,
  /** Templates, layouts and streams by domain and name, as stored in the database. */
  workspaces: 32 * MIB,
  /** Parsed templates and layouts by version; one cache on the event loop, and one per worker thread. */
  template_trees: 48 * MIB,
  /** Template versions that took too long to render on the event loop. */
  slow_templates: 1 * MIB,
  /** Last known progress of lists and bulks. */
  progress: 1 * MIB,
  /** Pairs of sender and recipient that the mail host of the playground has greylisted. */
  playground_greylist: 4 * MIB,
} as const

export type CacheName = keyof typeof CACHE_BYTES

/** Overhead of a cache entry in bytes: its slot in the map and its slot in the usage order. */
const ENTRY = 150

/** A map with a maximum size in bytes, which evicts the least recently used entries. */
export class WeighedCache<Value> {
  readonly #entries: LRUCache<string, { readonly value: Value; readonly bytes: number }>

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ bytes }, key) => ENTRY + 2 * key.length + bytes,
    })
  }

  /** Returns the value and marks the entry as most recently used. */
  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /** @param bytes size of the value; a value larger than the whole cache is not stored */
  set(key: string, value: Value, bytes: number = bytesOf(value)): void {
    this.#entries.set(key, { value, bytes })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  entries(): Iterable<readonly [key: string, value: Value]> {
    return this.#entries.entries().map(([key, { value }]) => [key, value] as const)
  }

  /** Total size of the entries, in bytes. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  get size(): number {
    return this.#entries.size
  }
}

/** Returns the approximate size of plain data in memory, in bytes. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  const inside = Array.isArray(value) ? value : Object.values(value)
  let bytes = 48
  for (const one of inside) bytes += 8 + bytesOf(one)
  return bytes
}

/** Returns a new cache with the maximum size that `CACHE_BYTES` defines for the name. */
export const cacheOf = <Value>(name: CacheName): WeighedCache<Value> => new WeighedCache(CACHE_BYTES[name])
