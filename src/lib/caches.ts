// Every cache of the process by name, with its bound in bytes: what strangers choose the keys of never grows beyond it.

import { LRUCache } from 'lru-cache'

const MIB = 1024 * 1024

/** The bound of each cache, in bytes as `WeighedCache` reckons them. Each part of the node that has one has it once. */
export const CACHE_BYTES = {
  /** Answers of the DNS; one for each resolver. */
  dns_answers: 32 * MIB,
  /** Answers of the DNS with what DNSSEC says of them. */
  secure_dns_answers: 16 * MIB,
  /** MTA-STS policies by recipient domain. */
  mta_sts_policies: 16 * MIB,
  /** Findings about addresses that were verified. */
  verifications: 16 * MIB,
  /** Domains that take mail for any name. */
  catch_all_domains: 4 * MIB,
  /** Hosts that put an address off, to be asked again. */
  greylisted_probes: 4 * MIB,
  /** Catch-all probe addresses that were put off, by domain, to be asked for again. */
  greylisted_catch_all_probes: 1 * MIB,
  /** State of mail hosts by address: pauses, and TLS that fails. */
  mail_host_addresses: 8 * MIB,
  /** Mail hosts by name that offer what they cannot do. */
  mail_host_quirks: 2 * MIB,
  /** Meanings of replies by their words; one for the process. */
  reply_meanings: 2 * MIB,
  /** Results of TLS by policy, host and day, until they are written. */
  tls_results: 8 * MIB,
  /** Relays of sending domains, read from their URL. */
  relays: 1 * MIB,
  /** Token buckets by credential, address or network; one for each kind of limit. */
  rate_limits: 8 * MIB,
  /** Rates that credentials have of their own, read. */
  written_rates: 1 * MIB,
  /** Credentials by the hash of their secret. */
  credentials: 16 * MIB,
  /** Networks that have lately logged in, or brought wanted mail; one for each kind of SMTP door. */
  known_networks: 2 * MIB,
  /** The last start tag of each stream. */
  start_tags: 4 * MIB,
  /** Bytes that accounts with a limit of them store. */
  stored_bytes: 2 * MIB,
  /** Signing keys by sending domain. */
  signing_keys: 32 * MIB,
  /** Keys of tracked links by the host that is asked. */
  tracking_keys: 1 * MIB,
  /** User agents of hits: programs, or what people use. */
  user_agents: 2 * MIB,
  /** Templates, layouts and streams by domain and name, as they are stored. */
  workspaces: 32 * MIB,
  /** Templates and layouts by version, read into trees; one on the event loop, and one in each worker thread. */
  template_trees: 48 * MIB,
  /** Versions whose rendering was too long for the event loop. */
  slow_templates: 1 * MIB,
  /** Mails of the playground's mailbox as a list shows them. */
  mailbox_lines: 4 * MIB,
  /** Progress of lists and bulks when it was last asked for. */
  progress: 1 * MIB,
  /** Senders and recipients that the playground's mail host has put off. */
  playground_greylist: 4 * MIB,
} as const

export type CacheName = keyof typeof CACHE_BYTES

/** Bytes of an entry besides its key and its value: its place in the map and in the order of use. */
const ENTRY = 150

/** A map that holds at most so many bytes: the entry used least recently makes room. */
export class WeighedCache<Value> {
  readonly #entries: LRUCache<string, { readonly value: Value; readonly bytes: number }>

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ bytes }, key) => ENTRY + 2 * key.length + bytes,
    })
  }

  /** The value, which then counts as just used. */
  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /** @param bytes of the value; one that is heavier than the whole cache is not kept */
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

  /** Size of the entries, in bytes. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  get size(): number {
    return this.#entries.size
  }
}

/** About as many bytes as plain data takes in memory. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  const inside = Array.isArray(value) ? value : Object.values(value)
  let bytes = 48
  for (const one of inside) bytes += 8 + bytesOf(one)
  return bytes
}

/** A new cache with the bound of its name. */
export const cacheOf = <Value>(name: CacheName): WeighedCache<Value> => new WeighedCache(CACHE_BYTES[name])
