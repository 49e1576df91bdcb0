// The slots of a node: attempts in progress, reserved slots, and the number of further attempts that may begin. The
// file is long because one budget counts all slots.

import { CONTENT_BYTES } from '../lib/content-memory.ts'
import type { Signal } from '../model/attempt.ts'
import { type Lease, wasRenewed } from '../model/lease.ts'
import {
  accountShare,
  bytesOf,
  type Flow,
  holderOf,
  isAccount,
  isBytes,
  RETRIES,
  relayShare,
  type Share,
  wayShare,
} from '../model/queue-state.ts'
import { isIsolated, isSuspect, MAX_WITH_ISOLATED, SMALL_BYTES } from '../model/triage.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Claim, Claimed, ClaimRequest } from '../store/queue/queue.ts'
import { MAX_AT_SITE, type SiteLimits } from './site-limits.ts'
import { flowsOf, Throttled } from './throttled.ts'

/** Maximum number of concurrent attempts on this node. */
export const MAX_ACTIVE = 1_024
/** Maximum number of bytes of messages in delivery; one large message may exceed this maximum. */
const MAX_BYTES = CONTENT_BYTES.delivery()
/** Number of freed bytes that justifies a claim for large throttled recipients. */
const MIN_FREED_BYTES = MAX_BYTES / 16
/** Number of bytes in delivery at a site from which a claim limits the bytes for this site. */
const MIN_NAMED_BYTES = MAX_AT_SITE * SMALL_BYTES
/** Maximum number of concurrent retries; the remaining slots are reserved for first attempts. */
const MAX_RETRIES = (MAX_ACTIVE * 3) / 4
/** Number of concurrent attempts from which slots count as scarce. */
const SCARCE = (MAX_ACTIVE * 3) / 4
/** Maximum number of recipients of a message that is delivered immediately. */
const MAX_IMMEDIATE_RECIPIENTS = 16
/** Maximum number of recipients that one claim takes. */
const MAX_CLAIMED = 256
/** Number of free slots that justifies a claim. */
const MIN_FREE = 16
/** Number of free slots of a share that justifies a claim for the share's throttled recipients. */
const MIN_FREE_IN_SHARE = 16
/** Maximum number of slots for immediate delivery; the other half is reserved for the queue. */
const MAX_IMMEDIATE = MAX_ACTIVE / 2
/** Maximum number of suspects attempted concurrently, so that a message that crashes the process is found quickly. */
const MAX_SUSPECTS = 4
/**
 * Limits of the shares that a claim lists: at most MAX_NAMED destinations of a site with free slots, and at most
 * MAX_SHARES shares in total.
 */
const MAX_NAMED = 64
const MAX_SHARES = 4_096

/** The slot of an attempt in progress. */
export interface Slot {
  readonly claimed: Claimed
  /** Lease of the recipient: renewed while the attempt runs, and replaced if this node claims the recipient again. */
  lease: Lease
  /** Names of the site and address at which the slot is counted; the expected names until the route is known. */
  names: readonly string[]
  readonly startedAt: number
  /** Key of the message content in memory, which the recipients of a message share. */
  readonly content: string
  /** Bytes charged to this slot; content that recipients share is charged only to the first recipient. */
  readonly bytes: number
  /**
   * Share along the route that lacks slots or bytes; the share of the destination or relay until the route is known.
   */
  throttledBy: Share
}

type Recipient = Pick<Claimed, 'messageId' | 'position'>

/** Returns the key of a recipient. */
export const keyOf = ({ messageId, position }: Recipient): string => `${messageId} ${position}`

/** Slots reserved for a message that is about to be accepted, with the names at which the slots are reserved. */
interface Reservation {
  readonly account: Share
  readonly names: readonly (readonly string[])[]
}

/** Counts attempts in total, by account, by site and by host address. */
export class Slots {
  readonly #limits: SiteLimits
  readonly #throttled: Throttled
  readonly #active = new Map<string, Slot>()
  /** Number of attempts in progress and reserved slots by account, and number of retries. */
  readonly #byShare = new Map<Share, number>()
  readonly #suspects = new Set<Slot>()
  /** Number of slots that share each message content in memory. */
  readonly #sharing = new Map<string, number>()
  #bytes = 0
  readonly #bytesByAccount = new Map<Share, number>()
  readonly #reservations = new Map<string, Reservation>()
  #reserved = 0
  /** Bytes of large messages freed since the last refill; recipients of any share may have waited for these bytes. */
  #freedBytes = 0

  constructor(limits: SiteLimits) {
    this.#limits = limits
    this.#throttled = new Throttled(limits)
  }

  /** Slots of the attempts in progress. */
  get active(): readonly Slot[] {
    return [...this.#active.values()]
  }

  /** Number of slots that are taken or reserved. */
  get count(): number {
    return this.#active.size + this.#reserved
  }

  /** True if a claim could return enough recipients to justify the cost of the claim. */
  get isAvailable(): boolean {
    // Small messages still get a slot after large messages have used up the bytes.
    const maxBytes = MAX_BYTES + MAX_ACTIVE * SMALL_BYTES
    return this.count <= MAX_ACTIVE - MIN_FREE && this.#bytes < maxBytes
  }

  /** True if attempts are so many that hosts get less time to reply. */
  get isScarce(): boolean {
    return this.#active.size >= SCARCE
  }

  /** Returns the slot of a recipient whose attempt is in progress. */
  find(recipient: Recipient): Slot | undefined {
    return this.#active.get(keyOf(recipient))
  }

  /**
   * Reserves slots for a message that is about to be accepted. Returns false if the message cannot be delivered
   * immediately: the message is large or scheduled, the slots are needed, or throttled recipients wait for the same
   * account or for one of the same sites. The caller must call `cancelReservation`.
   */
  reserve({ message, recipients, streamRules }: AcceptMessage, now: number): boolean {
    if (message.send_at !== null || streamRules?.paced || message.size > SMALL_BYTES) return false
    if (recipients.length > Math.min(MAX_IMMEDIATE - this.count, MAX_IMMEDIATE_RECIPIENTS)) return false
    const account = accountShare(message.account_id)
    if (this.#throttled.has(account) || this.#left(account) < recipients.length) return false
    const names = recipients.map(({ destination }) => this.#limits.namesOf(destination))
    if (this.#comesAfter(message.domain_id, names)) return false
    if (!this.#areAvailable(names, now)) return false
    const reservation = { account, names }
    this.#reservations.set(message.id, reservation)
    this.#changeReserved(reservation, 1, now)
    return true
  }

  /** True if throttled recipients wait for one of these names or for the relay that the domain may have. */
  #comesAfter(domainId: string, names: readonly (readonly string[])[]): boolean {
    if (this.#throttled.isEmpty) return false
    const relay = this.#limits.namesOf(relayShare(domainId))
    return [...names, relay].some((some) => some.some((name) => this.#throttled.has(name)))
  }

  /** Cancels the reservation of slots for a message. */
  cancelReservation({ message }: AcceptMessage, now: number): void {
    const reservation = this.#reservations.get(message.id)
    if (reservation === undefined) return
    this.#reservations.delete(message.id)
    this.#changeReserved(reservation, -1, now)
  }

  /** True if the attempts of all these recipients may begin now; the recipients belong to one account. */
  areAvailable(recipients: readonly Claimed[], now: number): boolean {
    const [first] = recipients
    if (first === undefined) return true
    if (this.#left(accountShare(first.accountId)) < recipients.length) return false
    return this.#areAvailable(
      recipients.map((claimed) => this.#limits.namesOf(wayShare(claimed))),
      now,
    )
  }

  #areAvailable(names: readonly (readonly string[])[], now: number): boolean {
    // This fast path handles messages with one recipient; most messages have only one recipient.
    if (names.length === 1) return names[0]!.every((name) => this.#available(name, now) > 0)
    const counts = new Map<string, number>()
    for (const name of names.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
    return [...counts].every(([name, count]) => this.#available(name, now) >= count)
  }

  #changeReserved({ account, names }: Reservation, by: 1 | -1, now: number): void {
    this.#reserved += by * names.length
    this.#count(account, by * names.length)
    for (const name of names.flat()) this.#limits.reserve(name, by, now)
  }

  #count(share: Share, by: number): void {
    const count = (this.#byShare.get(share) ?? 0) + by
    if (count === 0) this.#byShare.delete(share)
    else this.#byShare.set(share, count)
  }

  /** Takes a slot for an attempt at the site to which the route is expected to lead. */
  take(claimed: Claimed, lease: Lease, now: number): Slot {
    const way = wayShare(claimed)
    const names = this.#limits.namesOf(way)
    const content = `${claimed.messageId} ${lease.token}`
    const sharing = this.#sharing.get(content) ?? 0
    const bytes = sharing === 0 ? claimed.size : 0
    const slot: Slot = {
      ...{ claimed, lease, names, startedAt: now, content, bytes },
      throttledBy: way,
    }
    this.#active.set(keyOf(claimed), slot)
    this.#sharing.set(content, sharing + 1)
    this.#changeBytes(claimed, bytes)
    this.#changeShares(slot, 1)
    for (const name of names) this.#limits.begin(name, bytes, now)
    return slot
  }

  /**
   * Counts a slot at the site and the host address to which the route leads; called before a connection is opened.
   * Returns false if the site or address has no slots or bytes left; `throttledBy` then names the destination or relay,
   * or the share of its bytes.
   */
  goTo(slot: Slot, site: string, address: string | undefined, now: number): boolean {
    const way = wayShare(slot.claimed)
    const names = this.#limits.join(way, site, address)
    const before = slot.names
    const others = names.filter((name) => !before.includes(name))
    if (before.some((name) => names.includes(name) && this.#limits.isOver(name, now))) return false
    if (others.length === 0 && names.length === before.length) return true
    if (others.some((name) => this.#available(name, now, before) <= 0)) return false
    if (slot.bytes > SMALL_BYTES && others.some((name) => this.#bytesLeft(this.#bytesAt(name)) <= 0)) {
      slot.throttledBy = bytesOf(way)
      return false
    }
    const left = before.filter((name) => !names.includes(name))
    this.#limits.move(left, others, slot, now)
    slot.names = names
    return true
  }

  /** Releases the slot of an attempt that has ended. */
  release(slot: Slot, signal: Signal, now: number): void {
    if (!this.#active.delete(keyOf(slot.claimed))) return
    this.#releaseContent(slot)
    this.#changeShares(slot, -1)
    this.#limits.endAll(wayShare(slot.claimed), slot.names, signal, slot, now)
  }

  #changeShares(slot: Slot, by: 1 | -1): void {
    const { claimed } = slot
    this.#count(accountShare(claimed.accountId), by)
    if (claimed.attempt > 1) this.#count(RETRIES, by)
    if (isSuspect(claimed)) this.#suspects[by === 1 ? 'add' : 'delete'](slot)
  }

  /** Replaces the known flows of throttled recipients. */
  noteThrottled(flows: readonly Flow[]): void {
    this.#throttled.note(flows)
  }

  /** Records that a recipient was throttled in a flow. */
  throttle(flow: Flow): void {
    this.#throttled.add(flow)
  }

  /** Updates the throttled flows after a claim. */
  noteClaim({ recipients, throttled, lowest }: Pick<Claim, 'recipients' | 'throttled' | 'lowest'>): void {
    if (lowest.flows.size === 0 && throttled.length === 0) return
    const empty = [...lowest.flows].flatMap(([flow, tag]) => (Number.isFinite(tag) ? [] : flow))
    this.#throttled.noteClaim({ empty, taken: recipients.flatMap(flowsOf), throttled })
  }

  /**
   * True if throttled recipients may be attempted: recipients of a share that the ended attempt used, or recipients of
   * large messages if enough bytes are free.
   */
  mayRefill(ended: Slot, now: number): boolean {
    if (this.#throttled.isEmpty) return false
    const hasFreed = this.#freedBytes >= MIN_FREED_BYTES || (this.#freedBytes > 0 && this.#bytes === 0)
    if (hasFreed && this.#throttled.hasBytes) return true
    const names = [...ended.names, accountShare(ended.claimed.accountId), RETRIES]
    return names.some((name) => this.#throttled.has(name) && this.#isWorthRefill(name, now))
  }

  #isWorthRefill(name: string, now: number): boolean {
    const active = this.#byShare.get(name) ?? this.#limits.find(name)?.active ?? 0
    return this.#slotsOf(name, now) >= (active < MIN_FREE_IN_SHARE ? 1 : MIN_FREE_IN_SHARE)
  }

  /**
   * Returns the time at which a pause or a rate limit next allows an attempt of a throttled recipient; undefined if no
   * flow waits for a pause or rate limit.
   */
  opensAt(now: number): number | undefined {
    return this.#throttled.opensAt(now)
  }

  /** Returns the slots that a claim may fill now. */
  request(now: number): Omit<ClaimRequest, 'now' | 'lease' | 'from' | 'abandoned' | 'holdsFrom'> {
    const eachDestination = this.#available('', now)
    this.#freedBytes = 0
    const byShare = new Map<Share | Flow, number>([[RETRIES, this.#left(RETRIES)]])
    for (const share of this.#byShare.keys()) byShare.set(share, this.#left(share))
    for (const [account, bytes] of this.#bytesByAccount) byShare.set(bytesOf(account), this.#bytesLeft(bytes))
    for (const name of new Set(this.#limits.special(now))) {
      this.#nameBytes(name, byShare)
      const shared = this.#limits.destinationsOf(name)
      // A site with free slots and many destinations needs no entry for each destination.
      if (shared !== undefined && shared.size > MAX_NAMED && this.#available(name, now) >= eachDestination)
        continue
      for (const destination of shared ?? [name]) {
        if (byShare.size < MAX_SHARES) byShare.set(destination, this.#slotsOf(destination, now))
      }
    }
    const refill = this.#throttled.next(
      (name) => this.#slotsOf(name, now),
      (name, slots) => byShare.set(name, slots),
    )
    // A crash usually follows the start of an attempt closely, so an attempt whose lease was renewed is no longer
    // suspected.
    const suspects = [...this.#suspects].filter(({ startedAt, lease }) => !wasRenewed(startedAt, lease.until))
    const isIsolating = suspects.some(({ claimed }) => isIsolated(claimed))
    return {
      limit: Math.min(isIsolating ? MAX_WITH_ISOLATED : MAX_CLAIMED, MAX_ACTIVE - this.count),
      bytes: Math.max(0, MAX_BYTES - this.#bytes),
      eachBytes: this.#bytesLeft(0),
      eachDestination,
      eachAccount: this.#left(''),
      byShare,
      refill,
      suspects: isIsolating ? 0 : Math.max(0, MAX_SUSPECTS - suspects.length),
      isolated: suspects.length === 0,
    }
  }

  /**
   * Returns how many more slots an account may take, at most as many as are free; returns the number of free slots for
   * retries if `share` is RETRIES.
   */
  #left(share: Share): number {
    const taken = this.#byShare.get(share) ?? 0
    return Math.max(0, (share === RETRIES ? MAX_RETRIES : MAX_ACTIVE - this.count) - taken)
  }

  /**
   * Adds to `byShare` the number of bytes left for each destination of a site or address that has many bytes in
   * delivery.
   */
  #nameBytes(name: string, byShare: Map<Share, number>): void {
    const bytes = this.#bytesAt(name)
    if (bytes < MIN_NAMED_BYTES) return
    for (const destination of this.#limits.destinationsOf(name) ?? [name]) {
      const share = bytesOf(destination)
      const left = Math.min(this.#bytesLeft(bytes), byShare.get(share) ?? MAX_BYTES)
      if (byShare.size < MAX_SHARES) byShare.set(share, left)
    }
  }

  #bytesAt(name: string): number {
    return this.#limits.find(name)?.bytes ?? 0
  }

  /**
   * Returns the bytes that a holder of `held` bytes may take: a holder takes at most as many bytes as it leaves free,
   * so that every further holder finds free bytes.
   */
  #bytesLeft(held: number): number {
    return Math.max(0, Math.floor((MAX_BYTES - this.#bytes - held) / 2))
  }

  #bytesLeftOf(holder: Share): number {
    if (isAccount(holder)) return this.#bytesLeft(this.#bytesByAccount.get(holder) ?? 0)
    return this.#bytesLeft(Math.max(...this.#limits.namesOf(holder).map((name) => this.#bytesAt(name))))
  }

  /** Returns the free slots of a share, site or address, or the free bytes of a share of bytes. */
  #slotsOf(name: string, now: number): number {
    if (isBytes(name)) return this.#bytesLeftOf(holderOf(name))
    if (name === RETRIES || isAccount(name)) return this.#left(name)
    return Math.min(...this.#limits.namesOf(name).map((one) => this.#available(one, now)))
  }

  /**
   * Returns the number of slots that a site or an address may still take. A site or address holds at most its window,
   * and at most half as many slots as are free, so that a further site finds a slot even if many sites are slow
   * (dynamic thresholds: Choudhury and Hahne 1998). An account holds at most as many slots as are free.
   */
  #available(name: string, now: number, from?: readonly string[]): number {
    const { active = 0, reserved = 0 } = this.#limits.find(name) ?? {}
    const share = Math.floor((MAX_ACTIVE - this.#active.size) / 2) - active
    return Math.max(0, Math.min(share - reserved, this.#limits.available(name, now, from)))
  }

  /** Releases the bytes of a message content when the last slot that shares the content is released. */
  #releaseContent({ content, claimed }: Slot): void {
    const sharing = (this.#sharing.get(content) ?? 1) - 1
    if (sharing > 0) {
      this.#sharing.set(content, sharing)
      return
    }
    this.#sharing.delete(content)
    this.#changeBytes(claimed, -claimed.size)
    if (claimed.size > SMALL_BYTES) this.#freedBytes += claimed.size
  }

  #changeBytes({ accountId }: Claimed, by: number): void {
    const account = accountShare(accountId)
    const bytes = (this.#bytesByAccount.get(account) ?? 0) + by
    if (bytes > 0) this.#bytesByAccount.set(account, bytes)
    else this.#bytesByAccount.delete(account)
    this.#bytes += by
  }
}
