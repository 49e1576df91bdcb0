// The places of a worker: what is under way, to which sites, and how much more may begin.

import type { AcceptMessage } from '../store/messages.ts'
import { type Claimed, type ClaimRequest, isSuspect, SMALL_OCTETS } from '../store/queue.ts'
import { MOST_AT_SITE, type Signal, type Throttle } from './throttle.ts'

/** Attempts under way at once. */
export const MOST_IN_FLIGHT = 1_024
/** Octets of messages under way at once. */
const MOST_BYTES = 64 * 1024 * 1024
/** Recipients of a message that may begin as soon as it is accepted. */
const MOST_ONE_DIRECT = 16
/** Recipients in one claim. */
const MOST_CLAIMED = 256
/** Room that is worth a look at the queue. */
const LEAST_ROOM = 64
/** Room at a site that is worth a look at what was put aside for it. */
const LEAST_ROOM_AT_SITE = 16
/** Up to here a message may begin as soon as it is accepted; the other half of the places is for what has its turn. */
const MOST_DIRECT = MOST_IN_FLIGHT / 2
/** Suspects under way at once, so that the one that ends our node is soon found. */
const MOST_SUSPECTS = 4
/** Destinations of one site that a claim names even if they have room to spare, and all that it names. */
const MOST_NAMED = 64
const MOST_ROOMS = 4_096
/** Destinations that one claim looks into for what was put aside. */
const MOST_DRAWN = 32
const MOST_REMEMBERED = 20_000

interface Place {
  readonly site: string
  readonly startedAt: number
  /** The content in memory that it shares with the other recipients of its claim. */
  readonly content: string
  /** Octets that are counted for it: of those that share a content the first has all. */
  readonly bytes: number
}

/** What is under way at a site. */
interface AtSite {
  count: number
  bytes: number
}

/** Keeps count. Destinations share a site when their mail hosts are the same provider's, which their routes tell. */
export class Places {
  readonly #throttle: Throttle
  readonly #places = new Map<Claimed, Place>()
  readonly #sites = new Map<string, AtSite>()
  readonly #siteOf = new Map<string, string>()
  readonly #destinationsOf = new Map<string, Set<string>>()
  #aside = new Set<string>()
  #asideSites = new Set<string>()
  #suspects = 0
  /** How many places share each content that is in memory. */
  readonly #sharing = new Map<string, number>()
  #bytes = 0
  /** Places that are promised to messages that are about to be accepted: in all, by message and by site. */
  #promised = 0
  readonly #promises = new Map<string, readonly string[]>()
  readonly #promisedAt = new Map<string, number>()
  /** Octets have become free that something put aside, for whatever destination, may have waited for. */
  #hasGivenBack = false

  constructor(throttle: Throttle) {
    this.#throttle = throttle
  }

  /** What is under way. */
  get claimed(): readonly Claimed[] {
    return [...this.#places.keys()]
  }

  /** Places that are taken or promised. */
  get count(): number {
    return this.#places.size + this.#promised
  }

  /** Whether a claim could bring something worth its cost. */
  get hasRoom(): boolean {
    // Small messages find a place also when the large ones have taken theirs.
    const most = MOST_BYTES + MOST_IN_FLIGHT * SMALL_OCTETS
    return this.count <= MOST_IN_FLIGHT - LEAST_ROOM && this.#bytes < most
  }

  /**
   * Promises places to a message that is about to be accepted; false when nothing of it may begin at once: it is large,
   * or the places are needed, or something waits for a site of its recipients. `redeem` has to follow.
   */
  promise({ message, recipients, streamRules }: AcceptMessage, now: number): boolean {
    const most = MOST_DIRECT - this.count
    if (message.send_at !== null || streamRules?.paced || message.size > SMALL_OCTETS) return false
    if (recipients.length > Math.min(most, MOST_ONE_DIRECT)) return false
    const sites = recipients.map(({ destination }) => this.#site(destination))
    if (sites.some((site) => this.#asideSites.has(site)) || !this.hasRoomFor(recipients, now)) return false
    this.#promises.set(message.id, sites)
    this.#changePromised(sites, 1)
    return true
  }

  /** The message has been accepted, or not: from here on its places are taken, or free. */
  redeem({ message }: AcceptMessage): void {
    this.#changePromised(this.#promises.get(message.id) ?? [], -1)
    this.#promises.delete(message.id)
  }

  /** Whether all of these may begin now. */
  hasRoomFor(recipients: readonly Pick<Claimed, 'destination'>[], now: number): boolean {
    const bySite = Map.groupBy(recipients, ({ destination }) => this.#site(destination))
    return [...bySite].every(([site, { length }]) => this.#room(site, now) >= length)
  }

  #changePromised(sites: readonly string[], by: 1 | -1): void {
    this.#promised += by * sites.length
    for (const site of sites) {
      const count = (this.#promisedAt.get(site) ?? 0) + by
      if (count === 0) this.#promisedAt.delete(site)
      else this.#promisedAt.set(site, count)
    }
  }

  /** An attempt begins. */
  take(claimed: Claimed, now: number): void {
    const site = this.#site(claimed.destination)
    const content = `${claimed.messageId} ${claimed.lease}`
    const sharing = this.#sharing.get(content) ?? 0
    const bytes = sharing === 0 ? claimed.size : 0
    this.#places.set(claimed, { site, startedAt: now, content, bytes })
    this.#sharing.set(content, sharing + 1)
    this.#bytes += bytes
    if (isSuspect(claimed)) this.#suspects++
    const at = this.#sites.get(site) ?? { count: 0, bytes: 0 }
    at.count++
    at.bytes += bytes
    this.#sites.set(site, at)
    this.#throttle.began(site, now)
  }

  /** An attempt has ended; `site` is where it went, if a route was found. */
  free(claimed: Claimed, site: string | undefined, signal: Signal, now: number): void {
    const place = this.#places.get(claimed)
    if (place === undefined) return
    this.#places.delete(claimed)
    this.#release(place.content, claimed.size)
    if (isSuspect(claimed)) this.#suspects--
    const at = this.#sites.get(place.site) as AtSite
    at.count--
    at.bytes -= place.bytes
    if (at.count === 0) this.#sites.delete(place.site)
    if (site === undefined || site === place.site) {
      this.#throttle.ended(place.site, signal, place.startedAt, now)
      return
    }
    this.#learn(claimed.destination, site)
    // It was counted where we thought that it would go.
    this.#throttle.ended(place.site, 'none', place.startedAt, now)
    this.#throttle.began(site, now)
    this.#throttle.ended(site, signal, place.startedAt, now)
  }

  /** Notes for which destinations recipients wait aside, in place of what was known; whoever waits longest stays first. */
  noteAside(destinations: readonly string[]): void {
    const now = new Set(destinations)
    const before = [...this.#aside].filter((destination) => now.has(destination))
    this.#setAside(new Set([...before, ...destinations]))
  }

  /** Whether there is room again for something that was put aside, for this destination's site or for want of octets. */
  mayDraw(destination: string, now: number): boolean {
    if (this.#hasGivenBack && this.#aside.size > 0) {
      this.#hasGivenBack = false
      return true
    }
    const site = this.#site(destination)
    if (!this.#asideSites.has(site)) return false
    const few = (this.#sites.get(site)?.count ?? 0) < LEAST_ROOM_AT_SITE
    return this.#room(site, now) >= (few ? 1 : LEAST_ROOM_AT_SITE)
  }

  /** When a pause or a rate lets something go that was put aside; undefined when nothing waits for that. */
  opensAt(now: number): number | undefined {
    let soonest: number | undefined
    for (const destination of this.#aside) {
      const at = this.#throttle.opensAt(this.#site(destination), now)
      if (at !== undefined && (soonest === undefined || at < soonest)) soonest = at
    }
    return soonest
  }

  /** What may be claimed now. */
  request(now: number): Pick<ClaimRequest, 'limit' | 'bytes' | 'room' | 'rooms' | 'draw' | 'suspects'> {
    const room = this.#room('', now)
    const rooms = new Map<string, number>()
    for (const rated of this.#throttle.rated) rooms.set(rated, this.#room(this.#site(rated), now))
    const special = [this.#sites.keys(), this.#promisedAt.keys(), this.#throttle.closed(now)]
    for (const site of new Set(special.flatMap((sites) => [...sites]))) {
      const here = this.#room(site, now)
      const destinations = this.#destinationsOf.get(site)
      // One of very many that share a site with room to spare is nothing special.
      if (destinations !== undefined && destinations.size > MOST_NAMED && here >= room) continue
      for (const destination of destinations ?? [site]) {
        if (rooms.size < MOST_ROOMS) rooms.set(destination, here)
      }
    }
    const draw: string[] = []
    for (const destination of this.#aside) {
      if (draw.length === MOST_DRAWN) break
      const here = this.#room(this.#site(destination), now)
      rooms.set(destination, here)
      if (here > 0) draw.push(destination)
    }
    return {
      limit: Math.min(MOST_CLAIMED, MOST_IN_FLIGHT - this.count),
      bytes: Math.max(0, MOST_BYTES - this.#bytes),
      room,
      rooms,
      draw,
      suspects: Math.max(0, MOST_SUSPECTS - this.#suspects),
    }
  }

  /** Takes in what a claim brought: what it looked into and found empty is forgotten, the rest goes to the end. */
  drawn(draw: readonly string[], taken: readonly Claimed[], full: readonly string[]): void {
    const found = new Set(taken.map((one) => one.destination))
    const aside = new Set(this.#aside)
    for (const destination of draw) {
      aside.delete(destination)
      if (found.has(destination)) aside.add(destination)
    }
    for (const destination of full) aside.add(destination)
    this.#setAside(aside)
  }

  #setAside(destinations: Set<string>): void {
    this.#aside = destinations
    this.#asideSites = new Set([...destinations].map((destination) => this.#site(destination)))
  }

  /**
   * What a site has room for. Beside its window it may take half of what is free, so that however many sites are slow,
   * there is a place for one more (dynamic thresholds: Choudhury and Hahne 1998).
   */
  #room(site: string, now: number): number {
    const at = this.#sites.get(site) ?? { count: 0, bytes: 0 }
    const isLarge = at.bytes > MOST_AT_SITE * SMALL_OCTETS
    if (isLarge && at.bytes >= MOST_BYTES - this.#bytes) return 0
    const promised = this.#promisedAt.get(site) ?? 0
    const share = Math.floor((MOST_IN_FLIGHT - this.#places.size) / 2) - at.count
    return Math.max(0, Math.min(share, this.#throttle.room(site, now)) - promised)
  }

  /** The last of those that share a content gives its octets back. */
  #release(content: string, size: number): void {
    const sharing = (this.#sharing.get(content) ?? 1) - 1
    if (sharing > 0) {
      this.#sharing.set(content, sharing)
      return
    }
    this.#sharing.delete(content)
    this.#bytes -= size
    if (size > SMALL_OCTETS) this.#hasGivenBack = true
  }

  #site(destination: string): string {
    return this.#siteOf.get(destination) ?? destination
  }

  #learn(destination: string, site: string): void {
    const before = this.#siteOf.get(destination)
    if (before !== undefined) this.#destinationsOf.get(before)?.delete(destination)
    this.#siteOf.delete(destination)
    if (this.#siteOf.size >= MOST_REMEMBERED) this.#forgetOldest()
    this.#siteOf.set(destination, site)
    this.#throttle.joins(destination, site)
    const shared = this.#destinationsOf.get(site)
    if (shared === undefined) this.#destinationsOf.set(site, new Set([destination]))
    else shared.add(destination)
  }

  #forgetOldest(): void {
    for (const [destination, site] of this.#siteOf) {
      this.#siteOf.delete(destination)
      const shared = this.#destinationsOf.get(site)
      shared?.delete(destination)
      if (shared?.size === 0) this.#destinationsOf.delete(site)
      return
    }
  }
}
