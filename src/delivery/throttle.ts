// How much goes to one site at once: it grows while the site takes mail, and shrinks or stops when the site objects.

import type { Rate } from '../lib/rate-limiter.ts'

/**
 * What an attempt says of its site. `fine`: it serves us, whatever it thought of the message; `objected`: it asks for
 * less (421, 4.7.x, a rate limit, a block that may pass); `unreachable`: no dialog came about; `none`: nothing.
 */
export type Signal = 'fine' | 'objected' | 'unreachable' | 'none'

/** Attempts at a site about which nothing is known yet. */
const FIRST_WINDOW = 5
/** Attempts at a site that takes everything. */
export const MOST_AT_SITE = 64
/** Objections in a row after which nothing goes to the site for a while. */
const OBJECTIONS_TO_CLOSE = 3
/** The first pause, doubled each time up to the last. */
const FIRST_PAUSE_MS = 15_000
const LAST_PAUSE_MS = 600_000
const JITTER = 0.1
const MOST_REMEMBERED = 20_000

interface Site {
  /** Attempts that may be under way; between whole numbers while it grows slowly. */
  window: number
  /** Up to here the window grows by one with each success, above by one with each full window. */
  threshold: number
  underWay: number
  objections: number
  /** Pauses in a row, without a success between. */
  pauses: number
  closedUntil: number
  /** Attempts that began before do not shrink the window again. */
  shrunkAt: number
  /** What may begin now under a rate, and since when. */
  tokens: number
  tokensAt: number
}

/** Windows by site, as TCP has them (RFC 5681): slow start, growth, and halving at an objection. Times in milliseconds. */
export class Throttle {
  readonly #rates: Map<string, Rate>
  readonly #random: () => number
  readonly #sites = new Map<string, Site>()
  readonly #closed = new Set<string>()

  /** `rates` by site, or by one of the destinations that turn out to share it. */
  constructor(rates: ReadonlyMap<string, Rate> = new Map(), random: () => number = Math.random) {
    this.#rates = new Map(rates)
    this.#random = random
  }

  /** The sites and destinations that have a rate. */
  get rated(): Iterable<string> {
    return this.#rates.keys()
  }

  /** A destination turned out to belong to a site: a rate that names it holds for all of the site. */
  joins(destination: string, site: string): void {
    const rate = this.#rates.get(destination)
    if (rate !== undefined && !this.#rates.has(site)) this.#rates.set(site, rate)
  }

  /** How many more attempts may begin; never below zero. */
  room(name: string, now: number): number {
    const site = this.#sites.get(name)
    const rate = this.#rates.get(name)
    const window = site === undefined ? FIRST_WINDOW : this.#windowOf(site, now)
    const room = Math.max(0, Math.floor(window) - (site?.underWay ?? 0))
    if (rate === undefined) return room
    return Math.min(room, site === undefined ? mostAtOnce(rate) : Math.floor(tokensOf(site, rate, now)))
  }

  /** When a site that has no room now may have some again without an attempt ending; undefined when that is now. */
  opensAt(name: string, now: number): number | undefined {
    const site = this.#sites.get(name)
    if (site === undefined) return undefined
    if (isClosed(site, now)) return site.closedUntil
    const rate = this.#rates.get(name)
    const tokens = rate === undefined ? 1 : tokensOf(site, rate, now)
    if (rate === undefined || tokens >= 1) return undefined
    return now + Math.ceil(((1 - tokens) * rate.perMs) / rate.count)
  }

  /** An attempt begins. */
  began(name: string, now: number): void {
    let site = this.#sites.get(name)
    const rate = this.#rates.get(name)
    if (site === undefined) {
      this.#forget(now)
      site = newSite(rate === undefined ? 0 : mostAtOnce(rate), now)
      this.#sites.set(name, site)
    }
    site.underWay++
    if (rate === undefined) return
    site.tokens = tokensOf(site, rate, now) - 1
    site.tokensAt = now
  }

  /** An attempt has ended that began at `startedAt`; it may have turned out that its site is another. */
  ended(name: string, signal: Signal, startedAt: number, now: number): void {
    const site = this.#sites.get(name)
    if (site === undefined) return
    site.underWay--
    if (signal === 'fine') this.#grow(site)
    else if (signal !== 'none') this.#shrink(name, site, startedAt, now)
  }

  /** The sites that nothing goes to now. */
  closed(now: number): readonly string[] {
    for (const name of this.#closed) {
      const site = this.#sites.get(name)
      if (site === undefined || !isClosed(site, now)) this.#closed.delete(name)
    }
    return [...this.#closed]
  }

  #windowOf(site: Site, now: number): number {
    return isClosed(site, now) ? 0 : site.window
  }

  #grow(site: Site): void {
    site.objections = 0
    site.pauses = 0
    site.window = Math.min(MOST_AT_SITE, site.window + (site.window < site.threshold ? 1 : 1 / site.window))
  }

  #shrink(name: string, site: Site, startedAt: number, now: number): void {
    site.objections++
    if (startedAt >= site.shrunkAt) {
      site.threshold = Math.max(2, site.window / 2)
      site.window = Math.max(1, site.window / 2)
      site.shrunkAt = now
    }
    // After a pause one attempt finds out; its objection is enough for the next, longer pause.
    const enough = site.pauses > 0 ? 1 : OBJECTIONS_TO_CLOSE
    if (site.objections < enough || isClosed(site, now)) return
    const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** site.pauses)
    site.closedUntil = now + Math.round(pause * (1 - JITTER + 2 * JITTER * this.#random()))
    this.#closed.add(name)
    site.pauses = Math.min(site.pauses + 1, 20)
    site.objections = 0
    site.window = 1
  }

  /** Keeps the memory bounded: of those that have nothing under way and no pause, the oldest go first. */
  #forget(now: number): void {
    if (this.#sites.size < MOST_REMEMBERED) return
    let spare = MOST_REMEMBERED / 10
    for (const [name, site] of this.#sites) {
      if (site.underWay > 0 || site.closedUntil > now) continue
      this.#sites.delete(name)
      if (--spare === 0) return
    }
  }
}

/** Whether its pause lasts; one that ends later than any pause was set by a clock that has been put back. */
const isClosed = ({ closedUntil }: Site, now: number): boolean =>
  closedUntil > now && closedUntil - now <= LAST_PAUSE_MS * (1 + JITTER)

const newSite = (tokens: number, now: number): Site => ({
  window: FIRST_WINDOW,
  threshold: MOST_AT_SITE,
  underWay: 0,
  objections: 0,
  pauses: 0,
  closedUntil: 0,
  shrunkAt: Number.NEGATIVE_INFINITY,
  tokens,
  tokensAt: now,
})

/** A rate is spread over its time: what a second of it allows may go at once, and at least one. */
const mostAtOnce = ({ count, perMs }: Rate): number => Math.max(1, (count * 1_000) / perMs)

/** What a site may begin now under its rate. A clock that went back takes nothing away. */
function tokensOf(site: Site, rate: Rate, now: number): number {
  if (site.tokensAt - now > LAST_PAUSE_MS) site.tokensAt = now
  const gained = (Math.max(0, now - site.tokensAt) * rate.count) / rate.perMs
  return Math.min(mostAtOnce(rate), site.tokens + gained)
}
