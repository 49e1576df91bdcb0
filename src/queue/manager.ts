// The queue manager: claims due recipients, starts their attempts, writes the outcomes and releases recipients that
// were not attempted. The file is long because the states and all of their transitions belong in one file.

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
import type { LogMail } from '../model/mail-log.ts'
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

/**
 * Interval at which leases are checked. A lease is renewed once its attempt has lasted PROBATION_MS, and whenever the
 * lease has less than MIN_LEFT_MS left.
 */
const RENEW_MS = PROBATION_MS / 2
const MIN_LEFT_MS = (LEASE_MS * 2) / 3
/** Maximum time between two checks of the queue, because other nodes may have inserted recipients. */
const POLL_MS = 1_000
/**
 * Minimum interval between polls of a node that has nothing to claim; the pause after a poll is also at least
 * POLL_PAUSE_FACTOR times the duration of the poll.
 */
const EMPTY_POLL_MS = 100
const POLL_PAUSE_FACTOR = 20
/**
 * Maximum number of unanswered claims whose recipients the next claim releases. Recipients of further unanswered claims
 * become free when their lease ends.
 */
const MAX_ABANDONED = 64
/**
 * Time in milliseconds for which a stopping node lets attempts in progress continue; then the node releases all other
 * recipients.
 */
const STOP_MS = 10_000
/** Time in milliseconds for writing the outcomes of aborted attempts. */
const ABORT_MS = 2_000

/**
 * States of claiming.
 * - `idle`: every ready recipient has been claimed, as far as this node knows.
 * - `claiming`: a claim is in progress; every ready recipient had been claimed before the claim.
 * - `claim-again`: a claim is in progress, and recipients have arrived that the claim may miss.
 * - `blind`: ready recipients may exist that are not claimed: at the start, without free slots, or while the store is
 *   unreachable.
 * - `claiming-blind`: a claim is in progress that began in the state `blind`.
 */
type State = 'idle' | 'claiming' | 'claim-again' | 'blind' | 'claiming-blind'

/**
 * Events of claiming.
 * - `begin`: a claim begins.
 * - `missed`: ready recipients may exist that no claim in progress finds.
 * - `sawAll`: the claim has ended and found every ready recipient.
 * - `sawPart`: the claim has failed, or has ended without finding every ready recipient.
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
  /** Logs the end of each attempt; undefined if the settings ask for no lines about mail. */
  readonly logMail?: LogMail | undefined
  readonly node: NodeName
  readonly dataDir: string
  /** Data directories of workers that this node no longer starts. */
  readonly formerWorkers?: readonly string[]
  /** True if no other node shares the store. */
  readonly alone: boolean
  /** Milliseconds by which the clock of this node is ahead of the database's clock; negative if the clock is slow. */
  readonly skew: () => number
  /** Rate limits by site, or by a destination whose limit applies to its whole site once the site is known. */
  readonly rates: ReadonlyMap<string, Rate>
  /**
   * Opens messages for their attempts; `stopping` is aborted when the stopping node can no longer wait for attempts.
   */
  readonly delivery: (stopping: AbortSignal) => OpenMessage
}

/** Delivers the mail in the queue, from `start` to `stop`. */
export class QueueManager implements Part {
  readonly name = 'queue'
  readonly #options: QueueManagerOptions
  readonly #slots: Slots
  /** Token buckets of the sites with a rate limit; nodes share these buckets. */
  readonly rates: SharedBuckets
  readonly #outcomes: OutcomeLog
  readonly #openMessage: OpenMessage
  #state: State = 'blind'
  /** Lease tokens of failed claims; the store may have committed these claims. */
  #abandoned: string[] = []
  /** Messages whose attempts begin in the next turn of the event loop, so that the client gets its response first. */
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

  /** Number of attempts in progress plus reserved slots. */
  get inFlight(): number {
    return this.#slots.count
  }

  /** Number of attempts that have ended since the start of the process, by outcome and category. */
  get ended(): OutcomeLog['ended'] {
    return this.#outcomes.ended
  }

  async start(): Promise<void> {
    const { store, clock, node, alone, formerWorkers = [] } = this.#options
    await this.#outcomes.takeUp()
    for (const folder of formerWorkers) await takeOverWorker(folder, this.#options)
    // The process that held these leases has ended.
    if (alone) await store.write(releaseAllLeases, { now: clock.now() })
    else await store.write(releaseLeasesOf, { node: node.id })
    await this.#renew()
    this.#renewing.start()
    await this.#checkQueue()
    this.wake()
    if (!alone) this.#polling.start()
  }

  /** Stops claiming, lets attempts in progress end for a while, and releases all other recipients. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#outcomes.stop()
    this.#cancelTimer()
    await this.#idle(STOP_MS)
    // Attempts after the final dot are recorded with an unknown outcome; the other recipients are released without an
    // attempt.
    this.#stopper.abort()
    await this.#idle(ABORT_MS)
    await Promise.all([this.#renewing.stop(), this.#polling.stop()])
    this.#outcomes.release(this.#slots.active.map(({ claimed, lease }) => unattempted(claimed, lease)))
    await this.#outcomes.flush()
    this.#outcomes.close()
  }

  /** Notifies the manager that a recipient may be due; cheap enough to be called for every accepted message. */
  wake(): void {
    if (!this.#isClaiming && this.#mayClaim) void this.#claim()
    else this.#become('missed') // The next claim begins when slots are free or this claim ends.
    // A timer checks the clock, because no event occurs when the clock becomes right again.
    if (this.#isClockWrong && !this.#stopping) this.#wakeAfter(POLL_MS)
  }

  /**
   * Reserves slots for a message that is about to be accepted. Returns a lease for accepting the message if all of its
   * recipients can be attempted immediately and no waiting recipient comes first. The caller must call `commit`.
   */
  reserve(message: AcceptMessage): Lease | undefined {
    const now = this.#options.clock.now()
    const sawAll = this.#state === 'idle' || this.#state === 'claiming'
    if (!sawAll || !this.#mayClaim || !this.#slots.reserve(message, now)) return undefined
    return this.#newLease()
  }

  /**
   * Attempts a message that was accepted under a lease. `result` is undefined if the store may or may not have accepted
   * the message.
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
      // A claim in progress may have taken the slots since the reservation, or the site may have been closed.
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
   * True if the clock is wrong by more than MAX_SKEW_MS. The node then claims nothing, because due times and the
   * history would be wrong.
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
    // The next claim begins immediately, because the next claim finds the recipients that have arrived in the meantime.
    // A manager in the state `blind` would send all further mail through the queue and miss part of this mail again,
    // for as long as mail arrives. The manager waits after a failed claim.
    if (claim !== undefined && (hasMissed || this.#state === 'blind') && this.#mayClaim) return this.wake()
    if (hasMissed) this.#become('missed')
    await this.#sleepAfter(now)
    this.#noteIdle()
  }

  /** Claims recipients and begins their attempts. Throws if the store is unreachable. */
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

  /** Waits until the next recipient is due or the next check of the queue is due. */
  async #sleepAfter(claimedAt: number): Promise<void> {
    const { clock } = this.#options
    const dueAt = await this.#checkQueue()
    if (this.#isClaiming || this.#stopping) return
    const opensAt = this.#slots.opensAt(claimedAt)
    const next = Math.min(dueAt ?? Number.POSITIVE_INFINITY, opensAt ?? Number.POSITIVE_INFINITY)
    // A recipient that was due at the claim and was not claimed lacks a slot, so only later due times determine the
    // wait.
    const wait = next <= claimedAt ? POLL_MS : Math.min(POLL_MS, next - clock.now())
    if (wait <= 0) this.wake()
    else this.#wakeAfter(wait)
  }

  /** Claims immediately if another node has accepted recipients without taking a lease for immediate delivery. */
  async #pollStore(): Promise<void> {
    if (this.#state !== 'idle' || !this.#mayClaim) return
    // Polls ignore read errors, because the next claim fails with the same error and logs the error.
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

  /** Takes a slot; undefined if the attempt of the recipient is in progress or was made before. */
  #take(claimed: Claimed, lease: Lease, now: number): Slot | undefined {
    // The lease expired during the attempt (clock jump, unreachable store), so no second attempt must begin.
    const slot = this.#slots.find(claimed)
    if (slot !== undefined) {
      slot.lease = lease
      return undefined
    }
    if (this.#outcomes.wasMade(claimed, lease)) return undefined
    return this.#slots.take(claimed, lease, now)
  }

  /** Begins attempts a few at a time, because finding all routes of a claim at once would block the event loop. */
  async #begin(slots: readonly Slot[], contents: Map<string, Content>): Promise<void> {
    const opened = new Map<string, AttemptOne>()
    for (const slot of slots) {
      await this.#pacer.turn()
      // An attempt does not begin while outcomes cannot be recorded.
      if (this.#outcomes.isBehind) {
        this.#release(slot)
        continue
      }
      const { messageId } = slot.claimed
      const attempt = opened.get(messageId) ?? this.#openMessage(slot.claimed, contents.get(messageId))
      opened.set(messageId, attempt)
      // The opened message drops the content after composing.
      contents.delete(messageId)
      void this.#attempt(slot, attempt)
    }
  }

  async #attempt(slot: Slot, attempt: AttemptOne): Promise<void> {
    const { clock, alone } = this.#options
    const result = await attempt(slot.claimed, {
      // The only node of a store keeps its leases without limit: no other node can take over the recipient, even if the
      // node is suspended for a long time.
      leftMs: () => (alone ? Number.POSITIVE_INFINITY : leftOf(slot.lease, clock)),
      goTo: (site, address) => this.#slots.goTo(slot, site, address, clock.now()),
      isHurried: this.#slots.isScarce,
      journalPlace: () => this.#outcomes.placeOf(slot),
    })
    if (typeof result === 'string') this.#outcomes.forget(slot)
    // `stop` releases the recipient.
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

  /** Releases a recipient whose site has no slot; the recipient waits in its flow, with its old start tag. */
  #throttle(slot: Slot): void {
    const { claimed, lease, throttledBy } = slot
    const { startTag } = claimed
    const flow = flowOf(throttledBy, claimed)
    this.#outcomes.release([{ ...unattempted(claimed, lease), throttledIn: { flow, startTag } }])
    this.#slots.release(slot, 'neutral', this.#options.clock.now())
    this.#slots.throttle(flow)
    void this.#outcomes.flush()
  }

  /** Lowers the marks of the flows into which recipients were released, and wakes the manager. */
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
      // This node may have claimed the recipient under a new lease in the meantime.
      if (slot.lease.token !== held[index]?.lease) continue
      // A lost lease stays lost: attempts under this lease that have not begun do not begin.
      slot.lease = renewed.has(keyOf(slot.claimed)) ? { ...slot.lease, until, endsAt } : lostLease(slot.lease)
    }
  }

  /** Waits until no attempt or claim is in progress, for at most `maxMs` milliseconds. */
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

/** Returns a recipient and its lease in the form that the store expects for a release. */
const unattempted = ({ messageId, position, domainId, attempt }: Claimed, { token }: Lease): Unattempted => ({
  ...{ messageId, position, domainId, attempt },
  lease: token,
})
