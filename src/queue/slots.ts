// The slots of a node: attempts under way, reserved slots, and how many more attempts may begin. The file is long because
// one budget counts all of them.

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

/** Maximum number of attempts under way. */
export const MAX_ACTIVE = 1_024
/** Maximum bytes of messages under way, plus one large message. */
const MAX_BYTES = CONTENT_BYTES.delivery()
/** Freed bytes that justify a claim for large throttled recipients. */
const MIN_FREED_BYTES = MAX_BYTES / 16
/** Bytes under way at a site from which a claim is given the bytes left. */
const MIN_NAMED_BYTES = MAX_AT_SITE * SMALL_BYTES
/** Maximum number of retries under way; the other slots are kept for first attempts. */
const MAX_RETRIES = (MAX_ACTIVE * 3) / 4
/** Attempts under way from which slots count as scarce. */
const SCARCE = (MAX_ACTIVE * 3) / 4
/** Maximum number of recipients of a message for immediate delivery. */
const MAX_IMMEDIATE_RECIPIENTS = 16
/** Maximum number of recipients in one claim. */
const MAX_CLAIMED = 256
/** Free slots that justify a claim. */
const MIN_FREE = 16
/** Free slots of a share that justify a claim for its throttled recipients. */
const MIN_FREE_IN_SHARE = 16
/** Slots usable for immediate delivery; the other half is for the queue. */
const MAX_IMMEDIATE = MAX_ACTIVE / 2
/** Maximum number of suspects under way, so that a message that crashes the process is found quickly. */
const MAX_SUSPECTS = 4
/**
 * Maximum number of destinations of one site that a claim names despite free slots, and of all shares that it names.
 */
const MAX_NAMED = 64
const MAX_SHARES = 4_096

/** An attempt under way. */
export interface Slot {
  readonly claimed: Claimed
  /** Lease, renewed while the attempt runs; replaced when this node has claimed the recipient again. */
  lease: Lease
  /** Site and address at which the slot is counted; the expected ones until the route is known. */
  names: readonly string[]
  readonly startedAt: number
  /** Key of the content in memory, shared with other recipients of the message. */
  readonly content: string
  /** Bytes charged to this slot. Recipients that share one content are charged once, to the first. */
  readonly bytes: number
  /** Share without slots or bytes along the route; until the route is known, the share of its destination or relay. */
  throttledBy: Share
}

type Recipient = Pick<Claimed, 'messageId' | 'position'>

/** Returns the key of a recipient. */
export const keyOf = ({ messageId, position }: Recipient): string => `${messageId} ${position}`

/** A message about to be accepted, and the names at which slots are reserved for it. */
interface Reservation {
  readonly account: Share
  readonly names: readonly (readonly string[])[]
}

/** Counts attempts in total, by account, by site and by host address. */
export class Slots {
  readonly #limits: SiteLimits
  readonly #throttled: Throttled
  readonly #active = new Map<string, Slot>()
  /** Attempts under way and reserved slots by account, and the number of retries. */
  readonly #byShare = new Map<Share, number>()
  readonly #suspects = new Set<Slot>()
  /** Number of slots that share each content in memory. */
  readonly #sharing = new Map<string, number>()
  #bytes = 0
  readonly #bytesByAccount = new Map<Share, number>()
  readonly #reservations = new Map<string, Reservation>()
  #reserved = 0
  /** Bytes of large messages freed since the last refill; recipients of any share may have waited for them. */
  #freedBytes = 0

  constructor(limits: SiteLimits) {
    this.#limits = limits
    this.#throttled = new Throttled(limits)
  }

  /** Attempts under way. */
  get active(): readonly Slot[] {
    return [...this.#active.values()]
  }

  /** Number of slots taken or reserved. */
  get count(): number {
    return this.#active.size + this.#reserved
  }

  /** True if a claim could return enough recipients to justify its cost. */
  get isAvailable(): boolean {
    // Small messages still find a slot after large ones have used up the bytes.
    const maxBytes = MAX_BYTES + MAX_ACTIVE * SMALL_BYTES
    return this.count <= MAX_ACTIVE - MIN_FREE && this.#bytes < maxBytes
  }

  /** True if so many attempts are under way that hosts get less time to reply. */
  get isScarce(): boolean {
    return this.#active.size >= SCARCE
  }

  /** Returns the slot of a recipient whose attempt is under way. */
  find(recipient: Recipient): Slot | undefined {
    return this.#active.get(keyOf(recipient))
  }

  /**
   * Reserves slots for a message that is about to be accepted. Returns false when the message cannot be delivered
   * immediately: it is large or scheduled, the slots are needed, or throttled recipients wait for its account or one
   * of its sites. The caller must call `cancelReservation`.
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

  /** Cancels the reservation of a message. */
  cancelReservation({ message }: AcceptMessage, now: number): void {
    const reservation = this.#reservations.get(message.id)
    if (reservation === undefined) return
    this.#reservations.delete(message.id)
    this.#changeReserved(reservation, -1, now)
  }

  /** True if all these recipients, of one account, may begin now. */
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
    // Fast path: most messages have one recipient.
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

  /** Takes a slot for an attempt that begins, at the site that its route is expected to lead to. */
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
   * Counts a slot at the site and host address that its route leads to, before anything is dialled. Returns false if
   * these have no slots or bytes left; `throttledBy` then names the destination or relay, or its share of bytes.
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

  /** Notes that a recipient became throttled in a flow. */
  throttle(flow: Flow): void {
    this.#throttled.add(flow)
  }

  /** Updates the throttled flows from the result of a claim. */
  noteClaim({ recipients, throttled, lowest }: Pick<Claim, 'recipients' | 'throttled' | 'lowest'>): void {
    if (lowest.flows.size === 0 && throttled.length === 0) return
    const empty = [...lowest.flows].flatMap(([flow, tag]) => (Number.isFinite(tag) ? [] : flow))
    this.#throttled.noteClaim({ empty, taken: recipients.flatMap(flowsOf), throttled })
  }

  /**
   * True if throttled recipients may go: recipients of a share of the ended attempt, or large ones if enough bytes
   * are free.
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

  /** Time at which a pause or a rate admits a throttled recipient; undefined when no flow waits for that. */
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
      // A site with slots to spare need not be named for each of its many destinations.
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
    // A crash follows the start of an attempt closely, so an attempt whose lease was renewed is no longer suspected.
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
   * Slots that an account may take in addition to those it has, at most as many as are free; or slots left for
   * retries.
   */
  #left(share: Share): number {
    const taken = this.#byShare.get(share) ?? 0
    return Math.max(0, (share === RETRIES ? MAX_RETRIES : MAX_ACTIVE - this.count) - taken)
  }

  /** Names the bytes left for the destinations of a site or an address that has many bytes under way. */
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
   * Bytes that a holder of `held` bytes may take: at most as many as it leaves free, so that every further holder
   * finds some.
   */
  #bytesLeft(held: number): number {
    return Math.max(0, Math.floor((MAX_BYTES - this.#bytes - held) / 2))
  }

  #bytesLeftOf(holder: Share): number {
    if (isAccount(holder)) return this.#bytesLeft(this.#bytesByAccount.get(holder) ?? 0)
    return this.#bytesLeft(Math.max(...this.#limits.namesOf(holder).map((name) => this.#bytesAt(name))))
  }

  /** Slots of a share, site or address; bytes of a share of bytes. */
  #slotsOf(name: string, now: number): number {
    if (isBytes(name)) return this.#bytesLeftOf(holderOf(name))
    if (name === RETRIES || isAccount(name)) return this.#left(name)
    return Math.min(...this.#limits.namesOf(name).map((one) => this.#available(one, now)))
  }

  /**
   * Returns the number of slots that a site or an address may still take. Each holds at most its window, and at most
   * half as many slots as are free: however many sites are slow, one more finds a slot (dynamic thresholds: Choudhury
   * and Hahne 1998). An account holds at most as many slots as are free.
   */
  #available(name: string, now: number, from?: readonly string[]): number {
    const { active = 0, reserved = 0 } = this.#limits.find(name) ?? {}
    const share = Math.floor((MAX_ACTIVE - this.#active.size) / 2) - active
    return Math.max(0, Math.min(share - reserved, this.#limits.available(name, now, from)))
  }

  /** Releases the bytes of a content with the last slot that shares it. */
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
