// Limits by receiving site and by host address: concurrent attempts, windows that grow and shrink with the replies,
// pauses and rates. The file is long because all of these limits decide together about one site.

import type { Rate } from '../lib/rate-limiter.ts'
import { type SharedBuckets, UnsettledTokens } from '../lib/shared-buckets.ts'
import type { Signal } from '../model/attempt.ts'

/** Initial window: the maximum number of concurrent attempts at a site that is not known yet. */
const FIRST_WINDOW = 5
/**
 * Maximum number of concurrent attempts at a site that accepts everything (`MAX_AT_SITE`), and at a host address that
 * many sites share.
 */
export const MAX_AT_SITE = 64
const MAX_AT_ADDRESS = 256
/** Number of consecutive pushbacks after which the site is closed for a while. */
const PUSHBACKS_TO_CLOSE = 3
/** Duration of the first pause in milliseconds; each further pause is twice as long, up to LAST_PAUSE_MS. */
const FIRST_PAUSE_MS = 15_000
const LAST_PAUSE_MS = 600_000
const JITTER = 0.1
const MAX_REMEMBERED = 20_000

/** State of a site or of a host address. */
export interface Site {
  readonly name: string
  /** Number of attempts in progress. */
  active: number
  /** Bytes charged to the attempts in progress. */
  bytes: number
  /** Number of slots reserved for messages that are about to be accepted. */
  reserved: number
  /** Maximum number of concurrent attempts; fractional while the window grows slowly. */
  window: number
  /**
   * Threshold of slow start: a window below the threshold grows by one per success, a larger window by one per full
   * window of successes.
   */
  threshold: number
  pushbacks: number
  /** Number of consecutive pauses without a successful attempt in between. */
  pauses: number
  closedUntil: number
  /** Time of the last reduction of the window: attempts that began earlier do not reduce the window again. */
  shrunkAt: number
}

/**
 * Token bucket of a rate limit. A site and the destination that the rate limit names share one bucket once the route is
 * known.
 */
interface Bucket {
  /** Name of the site or destination in the settings, the same on every node. */
  readonly name: string
  readonly rate: Rate
  /** Number of attempts that may begin, at the time `at`. */
  tokens: number
  at: number
  /** Number of slots reserved at the site and at the destinations that share this bucket. */
  reserved: number
}

/**
 * Keeps a window of concurrent attempts per site, like TCP (RFC 5681): slow start, growth, and halving after a
 * pushback. Destinations share a site if their routes lead to hosts of the same provider.
 *
 * Host names cost nothing, so a sender can create any number of sites, by a wildcard record or by decoys among the MX
 * records. The address of the first host therefore has a window too. Pauses close only sites and never addresses,
 * because many sites may share an address. An unreachable host closes only the destination and not the site, because
 * anybody may put the name of any provider's host into an MX record.
 *
 * Times are in milliseconds.
 */
export class SiteLimits implements SharedBuckets {
  readonly unsettled = new UnsettledTokens()
  readonly #buckets: Map<string, Bucket>
  readonly #random: () => number
  readonly #sites = new Map<string, Site>()
  /** Sites with attempts in progress or reserved slots. */
  readonly #busy = new Set<Site>()
  readonly #closed = new Set<Site>()
  /**
   * Names that limit each destination: the site, the host address, and the destination itself if its hosts were
   * unreachable.
   */
  readonly #namesOf = new Map<string, readonly string[]>()
  readonly #destinationsOf = new Map<string, Set<string>>()

  /**
   * @param rates rate limits by site, or by a destination whose limit applies to its whole site once the site is known
   */
  constructor(rates: ReadonlyMap<string, Rate> = new Map(), random: () => number = Math.random) {
    this.#buckets = new Map([...rates].map(([name, rate]) => [name, bucketOf(name, rate)]))
    this.#random = random
  }

  /**
   * Returns the names that limit a destination: the site and the host address, or the destination itself until its
   * route is known.
   */
  namesOf(destination: string): readonly string[] {
    return this.#namesOf.get(destination) ?? [destination]
  }

  /** Returns the state of a site or of a host address; undefined if the name is unknown. */
  find(name: string): Site | undefined {
    return this.#sites.get(name)
  }

  /**
   * Records the site and address to which the route of a destination leads, and returns the names that limit the
   * destination. A rate limit that names the destination then applies to the whole site.
   */
  join(destination: string, site: string, address?: string): readonly string[] {
    return this.#join(destination, site, address === undefined ? undefined : nameOfAddress(address))
  }

  #join(destination: string, site: string, host: string | undefined): readonly string[] {
    const before = this.#namesOf.get(destination)
    const own = host !== undefined && this.#sites.has(ownName(destination)) ? ownName(destination) : undefined
    if (before !== undefined && before[0] === site && before[1] === host && before[2] === own) return before
    if (before !== undefined) this.#leave(destination, before)
    if (this.#namesOf.size >= MAX_REMEMBERED) this.#forgetOldestDestination()
    const names = [site, host, own].filter((name) => name !== undefined)
    this.#namesOf.set(destination, names)
    for (const name of names) {
      const shared = this.#destinationsOf.get(name)
      if (shared === undefined) this.#destinationsOf.set(name, new Set([destination]))
      else shared.add(destination)
    }
    const bucket = this.#buckets.get(destination)
    const isRoom = this.#buckets.size < MAX_REMEMBERED
    if (bucket !== undefined && isRoom && !this.#buckets.has(site)) this.#buckets.set(site, bucket)
    return names
  }

  /** Returns the destinations that are known to share a site or a host address. */
  destinationsOf(name: string): ReadonlySet<string> | undefined {
    return this.#destinationsOf.get(name)
  }

  /** Yields the sites that a claim must name: sites with a rate limit, busy sites and closed sites. */
  *special(now: number): Iterable<string> {
    for (const name of this.#buckets.keys()) {
      yield name
      yield* this.namesOf(name)
    }
    for (const { name } of this.#busy) yield name
    for (const site of this.#closed) {
      if (!isClosed(site, now)) this.#closed.delete(site)
      else yield site.name
    }
  }

  /**
   * Returns how many more attempts the window, a pause and a rate limit allow, in addition to attempts in progress and
   * reserved slots; never negative. The attempt has already begun at the names in `from`: a name that shares a rate
   * limit with one of these names needs no second token.
   */
  available(name: string, now: number, from: readonly string[] = []): number {
    const site = this.#sites.get(name)
    const bucket = this.#buckets.get(name)
    const window = site === undefined ? FIRST_WINDOW : isClosed(site, now) ? 0 : site.window
    const { active = 0, reserved = 0 } = site ?? {}
    const available = Math.max(0, Math.floor(window) - active - reserved)
    if (bucket === undefined || from.some((one) => this.#buckets.get(one) === bucket)) return available
    return Math.max(0, Math.min(available, Math.floor(tokensOf(bucket, now)) - bucket.reserved))
  }

  /**
   * True if more attempts are in progress than the window allows, because one claim took recipients of many
   * destinations.
   */
  isOver(name: string, now: number): boolean {
    const site = this.#sites.get(name)
    return site !== undefined && site.active > (isClosed(site, now) ? 0 : Math.floor(site.window))
  }

  /**
   * Returns the time at which an unavailable site may become available without the end of an attempt; undefined if only
   * attempts in progress limit the site.
   */
  opensAt(name: string, now: number): number | undefined {
    const site = this.#sites.get(name)
    if (site !== undefined && isClosed(site, now)) return site.closedUntil
    const bucket = this.#buckets.get(name)
    const tokens = bucket === undefined ? 1 : tokensOf(bucket, now)
    if (bucket === undefined || tokens >= 1) return undefined
    return now + Math.ceil(((1 - tokens) * bucket.rate.perMs) / bucket.rate.count)
  }

  /** Changes the number of reserved slots at a site by `by`. */
  reserve(name: string, by: number, now: number): void {
    const site = this.#site(name, now)
    site.reserved += by
    this.#noteBusy(site)
    const bucket = this.#buckets.get(name)
    if (bucket !== undefined) bucket.reserved += by
  }

  /** Counts the beginning of an attempt at a site, with the bytes charged to the attempt. */
  begin(name: string, bytes: number, now: number): void {
    this.#count(name, bytes, now)
    const bucket = this.#buckets.get(name)
    if (bucket !== undefined) this.#take(bucket, now)
  }

  /** Moves an attempt from the expected names to the names to which its route leads. */
  move(
    from: readonly string[],
    to: readonly string[],
    slot: { bytes: number; startedAt: number },
    now: number,
  ): void {
    const taken = new Set(from.map((name) => this.#buckets.get(name)))
    for (const name of from) this.end(name, 'neutral', slot, now)
    for (const name of to) {
      this.#count(name, slot.bytes, now)
      const bucket = this.#buckets.get(name)
      if (bucket !== undefined && !taken.has(bucket)) this.#take(bucket, now)
    }
  }

  settle(name: string, debtMs: number, at: number): void {
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) return
    const { rate } = bucket
    const missingMs = Math.max(0, debtMs) + this.unsettled.owed(name)
    bucket.tokens = burstOf(rate) - (missingMs * rate.count) / rate.perMs
    bucket.at = at
  }

  #take(bucket: Bucket, now: number): void {
    takeToken(bucket, now)
    this.unsettled.note(bucket.name, bucket.rate.perMs / bucket.rate.count)
  }

  #count(name: string, bytes: number, now: number): void {
    const site = this.#site(name, now)
    site.active++
    site.bytes += bytes
    this.#noteBusy(site)
  }

  /** Counts the end of an attempt that began at `startedAt`, with the bytes charged to the attempt. */
  end(name: string, signal: Signal, { bytes, startedAt }: { bytes: number; startedAt: number }, now: number) {
    const site = this.#sites.get(name)
    if (site === undefined) return
    site.active--
    site.bytes -= bytes
    this.#noteBusy(site)
    if (signal === 'success') grow(site)
    else if (signal !== 'neutral') this.#shrink(site, startedAt, now)
  }

  /** Counts the end of an attempt at every name that limited the attempt. */
  endAll(
    way: string,
    names: readonly string[],
    signal: Signal,
    slot: { bytes: number; startedAt: number },
    now: number,
  ): void {
    const [site, host] = names
    // A relay has no host address here; an unreachable relay counts as an unreachable site.
    const isOfHost = signal === 'unreachable' && site !== undefined && host !== undefined
    for (const name of names) this.end(name, isOfHost && name === site ? 'neutral' : signal, slot, now)
    const own = ownName(way)
    if (!isOfHost || names.includes(own)) return
    this.#shrink(this.#site(own, now), slot.startedAt, now)
    this.#join(way, site, host)
  }

  #site(name: string, now: number): Site {
    let site = this.#sites.get(name)
    if (site === undefined) {
      this.#forgetSites(now)
      site = newSite(name)
      this.#sites.set(name, site)
    }
    return site
  }

  #noteBusy(site: Site): void {
    if (site.active + site.reserved > 0) this.#busy.add(site)
    else this.#busy.delete(site)
  }

  #shrink(site: Site, startedAt: number, now: number): void {
    site.pushbacks++
    if (startedAt >= site.shrunkAt) {
      site.threshold = Math.max(2, site.window / 2)
      site.window = Math.max(1, site.window / 2)
      site.shrunkAt = now
    }
    // One attempt probes the site after a pause, and one pushback suffices for the next, longer pause.
    const enough = site.pauses > 0 ? 1 : PUSHBACKS_TO_CLOSE
    if (isAddress(site)) site.window = Math.max(FIRST_WINDOW, site.window)
    if (isAddress(site) || site.pushbacks < enough || isClosed(site, now)) return
    const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** site.pauses)
    site.closedUntil = now + Math.round(pause * (1 - JITTER + 2 * JITTER * this.#random()))
    this.#closed.add(site)
    site.pauses = Math.min(site.pauses + 1, 20)
    site.pushbacks = 0
    site.window = 1
  }

  /**
   * Bounds the memory: removes the oldest sites, but closed sites only if no other site is left, and busy sites never.
   */
  #forgetSites(now: number): void {
    if (this.#sites.size < MAX_REMEMBERED) return
    let spare = MAX_REMEMBERED / 10
    for (const sparesClosed of [true, false]) {
      for (const [name, site] of this.#sites) {
        if (this.#busy.has(site) || (sparesClosed && site.closedUntil > now)) continue
        this.#sites.delete(name)
        this.#closed.delete(site)
        if (--spare === 0) return
      }
    }
  }

  #forgetOldestDestination(): void {
    for (const [destination, names] of this.#namesOf) {
      this.#leave(destination, names)
      return
    }
  }

  #leave(destination: string, names: readonly string[]): void {
    this.#namesOf.delete(destination)
    for (const name of names) {
      const shared = this.#destinationsOf.get(name)
      shared?.delete(destination)
      if (shared?.size === 0) this.#destinationsOf.delete(name)
    }
  }
}

function grow(site: Site): void {
  site.pushbacks = 0
  site.pauses = 0
  const most = isAddress(site) ? MAX_AT_ADDRESS : MAX_AT_SITE
  site.window = Math.min(most, site.window + (site.window < site.threshold ? 1 : 1 / site.window))
}

/** Returns the name of a host address; all IPv6 addresses of a /64 prefix, which has one owner, share a name. */
function nameOfAddress(address: string): string {
  if (!address.includes(':')) return `[${address}]`
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  while (groups.length + after.length < 8 && address.includes('::')) groups.push('0')
  return `[${[...groups, ...after].slice(0, 4).join(':')}]`
}

/** Returns the name under which a destination is closed separately from its site. */
const ownName = (destination: string): string => `=${destination}`

const isAddress = ({ name }: Site): boolean => name.startsWith('[')

/**
 * True if a pause closes the site. A pause that ends further ahead than the longest pause lasts was set before the
 * clock was set back, and is ignored.
 */
const isClosed = ({ closedUntil }: Site, now: number): boolean =>
  closedUntil > now && closedUntil - now <= LAST_PAUSE_MS * (1 + JITTER)

const newSite = (name: string): Site => ({
  name,
  active: 0,
  bytes: 0,
  reserved: 0,
  window: FIRST_WINDOW,
  threshold: name.startsWith('[') ? MAX_AT_ADDRESS : MAX_AT_SITE,
  pushbacks: 0,
  pauses: 0,
  closedUntil: 0,
  shrunkAt: Number.NEGATIVE_INFINITY,
})

const bucketOf = (name: string, rate: Rate): Bucket => ({
  name,
  rate,
  tokens: burstOf(rate),
  at: Number.NEGATIVE_INFINITY,
  reserved: 0,
})

/** Returns the size of the token bucket of a rate: the number of attempts allowed in one second, at least one. */
const burstOf = ({ count, perMs }: Rate): number => Math.max(1, (count * 1_000) / perMs)

/** Returns the number of attempts that a rate allows now; a clock that was set back removes no tokens. */
function tokensOf(bucket: Bucket, now: number): number {
  const { rate } = bucket
  if (bucket.at - now > LAST_PAUSE_MS) bucket.at = now
  const gained = (Math.max(0, now - bucket.at) * rate.count) / rate.perMs
  return Math.min(burstOf(rate), bucket.tokens + gained)
}

function takeToken(bucket: Bucket, now: number): void {
  bucket.tokens = tokensOf(bucket, now) - 1
  bucket.at = now
}
