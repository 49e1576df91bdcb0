// The queue manager: claims recipients that are due, has them attempted, writes the outcomes and releases the rest.
// The file is long because its states and all their transitions belong on one page.

import type { AttemptOne, OpenMessage } from '../delivery/deliver.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import type { SharedBuckets } from '../lib/shared-buckets.ts'
import {
  LEASE_MS,
  type Lease,
  leftOf,
  lostLease,
  newLease,
  PROBATION_MS,
  wasRenewed,
} from '../model/lease.ts'
import { flowOf } from '../model/queue-state.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { Accepted, AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { MAX_SKEW_MS } from '../store/node/clock-watch.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { keepHeartbeat } from '../store/queue/heartbeat.ts'
import { releaseAllLeases, releaseLeasesOf, renewLeases, type Unattempted } from '../store/queue/leases.ts'
import type { LowWater } from '../store/queue/low-water.ts'
import { type Claim, type Claimed, type Content, claimRecipients } from '../store/queue/queue.ts'
import { isAnyReady, queueOutlook } from '../store/queue/queue-moves.ts'
import { DELIVERY_MS, eventLoopBudget } from '../threads/event-loop-budget.ts'
import { Pacer } from '../threads/pacer.ts'
import { type ImmediateMessage, immediate, releaseOf } from './immediate.ts'
import { takeOverWorker } from './left-journal.ts'
import { LowWaterMarks } from './low-water-marks.ts'
import { OutcomeLog } from './outcome-log.ts'
import { SiteLimits } from './site-limits.ts'
import { keyOf, type Slot, Slots } from './slots.ts'

export { FairOrder } from './fair-order.ts'
export { SiteLimits } from './site-limits.ts'

/** Interval of lease renewal. Leases are renewed when they are new or have less than MIN_LEFT_MS left. */
const RENEW_MS = PROBATION_MS / 2
const MIN_LEFT_MS = (LEASE_MS * 2) / 3
/** Longest time between two checks of the queue: other nodes may have inserted recipients. */
const POLL_MS = 1_000
/** Poll interval of a node with nothing to claim; at least POLL_PAUSE_FACTOR times the duration of a poll. */
const EMPTY_POLL_MS = 100
const POLL_PAUSE_FACTOR = 20
/**
 * Maximum number of claims without a reply that the next claim releases. The recipients of further claims become free
 * when their lease ends.
 */
const MAX_ABANDONED = 64
/** Time for attempts under way to end when the node stops; the others are released. */
const STOP_MS = 10_000
/** Time for the ends of aborted attempts to be written. */
const ABORT_MS = 2_000

/**
 * States of claiming.
 * - `idle`: everything ready has been claimed, as far as this node knows.
 * - `claiming`: a claim is under way; before it, everything ready had been claimed.
 * - `claim-again`: a claim is under way, and recipients have arrived since that it may not see.
 * - `blind`: there may be ready recipients that are not claimed: at the start, without slots, with the store
 *   unreachable.
 * - `claiming-blind`: a claim is under way that began in `blind`.
 */
type State = 'idle' | 'claiming' | 'claim-again' | 'blind' | 'claiming-blind'

/**
 * Events. `begin`: a claim begins; `missed`: there may be ready recipients that no claim under way sees; `sawAll`:
 * the claim has ended and saw everything ready; `sawPart`: the claim ended without that, or failed.
 */
type Event = 'begin' | 'missed' | 'sawAll' | 'sawPart'

const NEXT: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>> = {
  idle: { begin: 'claiming', missed: 'blind' },
  blind: { begin: 'claiming-blind', missed: 'blind' },
  claiming: { missed: 'claim-again', sawAll: 'idle', sawPart: 'blind' },
  'claiming-blind': { missed: 'claim-again', sawAll: 'idle', sawPart: 'blind' },
  'claim-again': { missed: 'claim-again', sawAll: 'idle', sawPart: 'blind' },
}

export interface QueueManagerOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
  readonly dataDir: string
  /** Folders of workers that this node no longer starts. */
  readonly formerWorkers?: readonly string[]
  /** True if no other node shares the store. */
  readonly alone: boolean
  /** Milliseconds by which the clock of this node is ahead of the other nodes; negative if it is slow. */
  readonly skew: () => number
  /** Rate limits by site, or by a destination that turns out to share one. */
  readonly rates: ReadonlyMap<string, Rate>
  /** Opens messages for their attempts; `stopping` is aborted when the node can no longer wait for them. */
  readonly delivery: (stopping: AbortSignal) => OpenMessage
}

/** Delivers everything in the queue from `start` to `stop`. */
export class QueueManager implements Part {
  readonly name = 'queue'
  readonly #options: QueueManagerOptions
  readonly #slots: Slots
  /** Token buckets of sites with a rate limit, shared between nodes. */
  readonly rates: SharedBuckets
  readonly #outcomes: OutcomeLog
  readonly #openMessage: OpenMessage
  #state: State = 'blind'
  /** Lease tokens of failed claims that the store may have committed. */
  #abandoned: string[] = []
  /** Messages whose attempts begin in the next turn of the event loop, so that the client gets its reply first. */
  #immediate: ImmediateMessage[] = []
  #checkFrom: string | undefined
  #holdsFrom = ''
  readonly #lowWater = new LowWaterMarks()
  readonly #pacer = new Pacer(DELIVERY_MS)
  readonly #stopper = new AbortController()
  #stopping = false
  #cancelTimer = (): void => {}
  readonly #renewing: Periodic
  readonly #polling: Periodic
  #onIdle: (() => void) | undefined

  constructor(options: QueueManagerOptions) {
    this.#options = options
    const limits = new SiteLimits(options.rates)
    this.#slots = new Slots(limits)
    this.rates = limits
    this.#outcomes = new OutcomeLog(options, (released) => this.#noteReleased(released))
    this.#openMessage = options.delivery(this.#stopper.signal)
    this.#renewing = new Periodic({
      ...{ name: 'leases', clock: systemClock, log: options.log, everyMs: RENEW_MS },
      failure: 'leases could not be renewed',
      step: () => this.#renew(),
    })
    this.#polling = new Periodic({
      ...{ name: 'queue polls', clock: systemClock, log: options.log, everyMs: EMPTY_POLL_MS },
      restFactor: POLL_PAUSE_FACTOR,
      failure: 'the queue could not be polled',
      step: () => this.#pollStore(),
    })
  }

  /** Number of attempts under way and reserved slots. */
  get inFlight(): number {
    return this.#slots.count
  }

  /** Attempts that ended since the start, by outcome and category. */
  get ended(): OutcomeLog['ended'] {
    return this.#outcomes.ended
  }

  async start(): Promise<void> {
    const { store, clock, node, alone, formerWorkers = [] } = this.#options
    await this.#outcomes.takeUp()
    for (const folder of formerWorkers) await takeOverWorker(folder, this.#options)
    // The process that held the leases is gone.
    if (alone) await store.write(releaseAllLeases, { now: clock.now() })
    else await store.write(releaseLeasesOf, { node: node.id })
    await this.#renew()
    this.#renewing.start()
    await this.#checkQueue()
    this.wake()
    if (!alone) this.#polling.start()
  }

  /** Stops claiming, lets attempts under way end for a while, and releases the others. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#outcomes.stop()
    this.#cancelTimer()
    await this.#idle(STOP_MS)
    // Messages past their final dot are unknown from here on and recorded as unknown; the others are released without
    // an attempt.
    this.#stopper.abort()
    await this.#idle(ABORT_MS)
    await Promise.all([this.#renewing.stop(), this.#polling.stop()])
    this.#outcomes.release(this.#slots.active.map(({ claimed, lease }) => unattempted(claimed, lease)))
    await this.#outcomes.flush()
    this.#outcomes.close()
  }

  /** Tells the manager that a recipient may be due. The call is cheap enough for every accepted message. */
  wake(): void {
    if (!this.#isClaiming && this.#mayClaim) void this.#claim()
    else this.#become('missed') // until there are slots, or the claim under way has ended
    // No event marks the moment at which the clock is right again, so the clock is checked by a timer.
    if (this.#isClockWrong && !this.#stopping) this.#wakeAfter(POLL_MS)
  }

  /**
   * Reserves slots for a message that is about to be accepted. Returns the lease to accept the message under if all
   * its recipients can be attempted at once and no waiting recipient comes first. The caller must call `commit`.
   */
  reserve(message: AcceptMessage): Lease | undefined {
    const now = this.#options.clock.now()
    const sawAll = this.#state === 'idle' || this.#state === 'claiming'
    if (!sawAll || !this.#mayClaim || !this.#slots.reserve(message, now)) return undefined
    return this.#newLease()
  }

  /**
   * Attempts a message that was accepted under a lease. Without a `result` the store may or may not have accepted the
   * message.
   */
  commit(message: AcceptMessage, result: Accepted | undefined, request?: SendRequest): void {
    const found = result?.kind === 'accepted' ? result.immediate : undefined
    if (found !== undefined) {
      this.#immediate.push(immediate(message, found, request))
      if (this.#immediate.length === 1) eventLoopBudget.putOff(() => this.#beginImmediate())
      return
    }
    this.#slots.cancelReservation(message, this.#options.clock.now())
    if (result === undefined) this.#outcomes.release(releaseOf(message))
    this.#noteIdle()
  }

  #beginImmediate(): void {
    const now = this.#options.clock.now()
    const begun: Slot[] = []
    const contents = new Map<string, Content>()
    for (const { message, lease, recipients, request } of this.#immediate) {
      this.#slots.cancelReservation(message, now)
      contents.set(message.message.id, { format: message.format, content: message.content, request })
      // A claim under way may have taken the slots since the reservation, or the site may have closed.
      const goes = !this.#stopping && this.#slots.areAvailable(recipients, now)
      if (goes) begun.push(...recipients.flatMap((claimed) => this.#take(claimed, lease, now) ?? []))
      else this.#outcomes.release(recipients.map((claimed) => unattempted(claimed, lease)))
    }
    this.#immediate = []
    void this.#begin(begun, contents)
    void this.#outcomes.flush()
    this.#noteIdle()
  }

  #become(event: Event): void {
    this.#state = NEXT[this.#state][event] ?? this.#state
  }

  get #isClaiming(): boolean {
    return this.#state !== 'idle' && this.#state !== 'blind'
  }

  get #mayClaim(): boolean {
    return !this.#stopping && !this.#isClockWrong && !this.#outcomes.isBehind && this.#slots.isAvailable
  }

  /**
   * True if the clock is wrong by more than MAX_SKEW_MS. The node then claims nothing: due times and history would be
   * wrong.
   */
  get #isClockWrong(): boolean {
    return Math.abs(this.#options.skew()) > MAX_SKEW_MS
  }

  #wakeAfter(ms: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#options.clock.after(ms, () => this.wake())
  }

  #newLease(): Lease {
    return newLease(this.#options.clock, this.#options.node.newToken())
  }

  async #claim(): Promise<void> {
    this.#become('begin')
    this.#cancelTimer()
    const now = this.#options.clock.now()
    const claim = await this.#tryClaim(now).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the queue cannot be read')
    })
    const hasMissed = this.#state === 'claim-again'
    this.#become(claim !== undefined && !claim.more ? 'sawAll' : 'sawPart')
    // The next claim begins at once, as it sees the recipients that have arrived since. A blind manager would send
    // all further mail through the queue, and miss part of that again, for as long as mail arrives. After a failure
    // the manager waits.
    if (claim !== undefined && (hasMissed || this.#state === 'blind') && this.#mayClaim) return this.wake()
    if (hasMissed) this.#become('missed')
    await this.#sleepAfter(now)
    this.#noteIdle()
  }

  /** Throws when the store is unreachable. */
  async #tryClaim(now: number): Promise<Claim> {
    const { store, log, alone } = this.#options
    const lease = this.#newLease()
    const abandoned = this.#abandoned.splice(0)
    const { from } = this.#lowWater
    const request = { ...this.#slots.request(now), now, lease, from, abandoned, holdsFrom: this.#holdsFrom }
    const claim = await store.write(claimRecipients, request).catch((error) => {
      this.#abandoned = [...this.#abandoned, ...abandoned, lease.token].slice(-MAX_ABANDONED)
      throw error
    })
    this.#holdsFrom = claim.holdsNext
    for (const message_id of claim.failed)
      log.error({ message_id }, 'given up: the process ended during its attempt')
    const takenAt = this.#options.clock.now()
    const begun = claim.recipients.flatMap((claimed) => this.#take(claimed, lease, takenAt) ?? [])
    void this.#begin(begun, claim.contents)
    this.#slots.noteClaim(claim)
    if (!alone) this.#lowWater.noteClaim(claim, now)
    void this.#outcomes.flush()
    return claim
  }

  /** Waits until the next recipient is due or the next check of the queue. */
  async #sleepAfter(claimedAt: number): Promise<void> {
    const { clock } = this.#options
    const dueAt = await this.#checkQueue()
    if (this.#isClaiming || this.#stopping) return
    const opensAt = this.#slots.opensAt(claimedAt)
    const next = Math.min(dueAt ?? Number.POSITIVE_INFINITY, opensAt ?? Number.POSITIVE_INFINITY)
    // Recipients that were due at the claim and not taken have no slot; only later ones are waited for.
    const wait = next <= claimedAt ? POLL_MS : Math.min(POLL_MS, next - clock.now())
    if (wait <= 0) this.wake()
    else this.#wakeAfter(wait)
  }

  /** Claims at once if another node has accepted recipients without delivering them itself. */
  async #pollStore(): Promise<void> {
    if (this.#state !== 'idle' || !this.#mayClaim) return
    // Read errors are ignored here because claims log them.
    if (await isAnyReady(this.#options.store.urgentRead, this.#lowWater.from).catch(() => false)) this.wake()
  }

  /** Checks the queue; returns the time at which the next recipient is due. */
  async #checkQueue(): Promise<number | undefined> {
    const { store, clock, alone } = this.#options
    const read = (from?: LowWater) => queueOutlook(store.urgentRead, this.#checkFrom, from)
    const checking = alone ? read() : this.#lowWater.check(read, clock.now())
    const outlook = await checking.catch(() => undefined)
    if (outlook === undefined || this.#isClaiming) return undefined
    this.#checkFrom = outlook.next
    this.#slots.noteThrottled(outlook.throttled)
    return outlook.dueAt
  }

  /** Takes a slot; undefined when the attempt of the recipient is under way or has been made. */
  #take(claimed: Claimed, lease: Lease, now: number): Slot | undefined {
    // The lease expired while the attempt went on (clock jump, store unreachable): do not begin a second attempt.
    const slot = this.#slots.find(claimed)
    if (slot !== undefined) {
      slot.lease = lease
      return undefined
    }
    if (this.#outcomes.wasMade(claimed, lease)) return undefined
    return this.#slots.take(claimed, lease, now)
  }

  /** Begins the attempts a few at a time: finding all routes of a claim at once would stall the event loop. */
  async #begin(slots: readonly Slot[], contents: Map<string, Content>): Promise<void> {
    const opened = new Map<string, AttemptOne>()
    for (const slot of slots) {
      await this.#pacer.turn()
      // Attempts whose outcome cannot be recorded are not begun.
      if (this.#outcomes.isBehind) {
        this.#release(slot)
        continue
      }
      const { messageId } = slot.claimed
      const attempt = opened.get(messageId) ?? this.#openMessage(slot.claimed, contents.get(messageId))
      opened.set(messageId, attempt)
      // The opened message drops its content after composing.
      contents.delete(messageId)
      void this.#attempt(slot, attempt)
    }
  }

  async #attempt(slot: Slot, attempt: AttemptOne): Promise<void> {
    const { clock, alone } = this.#options
    const result = await attempt(slot.claimed, {
      // No other node can take over the recipient, however long this node is suspended.
      leftMs: () => (alone ? Number.POSITIVE_INFINITY : leftOf(slot.lease, clock)),
      goTo: (site, address) => this.#slots.goTo(slot, site, address, clock.now()),
      isHurried: this.#slots.isScarce,
      journalPlace: () => this.#outcomes.placeOf(slot),
    })
    if (typeof result === 'string') this.#outcomes.forget(slot)
    // The stopping manager releases the recipient.
    if (result === 'stopped') return
    if (result === 'throttled') this.#throttle(slot)
    else if (result === 'lost') this.#release(slot)
    else {
      if (!(await this.#outcomes.write(slot, result.ended))) this.#become('missed')
      this.#slots.release(slot, result.signal, clock.now())
    }
    const isWorthIt = this.#state === 'blind' || this.#slots.mayRefill(slot, clock.now())
    if (isWorthIt && this.#mayClaim) this.wake()
    this.#noteIdle()
  }

  /** Releases a recipient that was not attempted. */
  #release(slot: Slot): void {
    this.#outcomes.release([unattempted(slot.claimed, slot.lease)])
    this.#slots.release(slot, 'neutral', this.#options.clock.now())
    void this.#outcomes.flush()
  }

  /** Releases a recipient whose site turned out to have no slot, with its old start tag in its flow. */
  #throttle(slot: Slot): void {
    const { claimed, lease, throttledBy } = slot
    const { startTag } = claimed
    const flow = flowOf(throttledBy, claimed)
    this.#outcomes.release([{ ...unattempted(claimed, lease), throttledIn: { flow, startTag } }])
    this.#slots.release(slot, 'neutral', this.#options.clock.now())
    this.#slots.throttle(flow)
    void this.#outcomes.flush()
  }

  /** Notes that recipients are in the queue again. */
  #noteReleased(released: readonly Unattempted[]): void {
    for (const { throttledIn } of released) {
      if (throttledIn !== undefined) this.#lowWater.noteReleased(throttledIn)
    }
    this.wake()
  }

  /** Renews leases, and records a heartbeat of this node in the store. */
  async #renew(): Promise<void> {
    const { store, clock, alone } = this.#options
    const now = clock.now()
    await Promise.all([this.#renewLeases(now), alone ? undefined : store.write(keepHeartbeat, {})])
  }

  async #renewLeases(now: number): Promise<void> {
    const { store, clock } = this.#options
    const slots = this.#slots.active.filter(
      ({ lease, startedAt }) =>
        leftOf(lease, clock) < MIN_LEFT_MS ||
        (now - startedAt >= PROBATION_MS && !wasRenewed(startedAt, lease.until)),
    )
    if (slots.length === 0) return
    const { until, endsAt } = newLease(clock, '')
    const held = slots.map(({ claimed, lease }) => unattempted(claimed, lease))
    const renewed = new Set((await store.write(renewLeases, { held, until })).map(keyOf))
    for (const [index, slot] of slots.entries()) {
      // This node may have claimed the recipient again meanwhile.
      if (slot.lease.token !== held[index]?.lease) continue
      // A lost lease stays lost: attempts that have not begun under it do not begin.
      slot.lease = renewed.has(keyOf(slot.claimed)) ? { ...slot.lease, until, endsAt } : lostLease(slot.lease)
    }
  }

  /** Waits until nothing is under way, at most `maxMs` milliseconds. */
  async #idle(maxMs: number): Promise<void> {
    if (this.#slots.count === 0 && !this.#isClaiming) return
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    await Promise.race([idle, new Promise<void>((resolve) => setTimeout(resolve, maxMs).unref())])
  }

  #noteIdle(): void {
    if (this.#slots.count === 0 && !this.#isClaiming) this.#onIdle?.()
  }
}

/** Returns a recipient and its lease in the form that the store expects. */
const unattempted = ({ messageId, position, domainId, attempt }: Claimed, { token }: Lease): Unattempted => ({
  ...{ messageId, position, domainId, attempt },
  lease: token,
})
