// The delivery worker: claims what is due, has it attempted, and writes down what came of it.

import { setMaxListeners } from 'node:events'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Outcome } from '../model/attempt.ts'
import { MOST_SKEW_MS } from '../store/clock-watch.ts'
import type { Lease } from '../store/direct.ts'
import { queueOutlook } from '../store/lanes.ts'
import type { Accepted, AcceptMessage } from '../store/messages.ts'
import type { Claim, Claimed } from '../store/queue.ts'
import type { Store } from '../store/store.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import { type Arrived, arrived, underLease } from './direct.ts'
import { GivingBack } from './giving-back.ts'
import { keyOf, OutcomeKeeper } from './outcome-keeper.ts'
import { Places } from './places.ts'
import type { Preparation, PreparedMessage } from './prepare.ts'
import type { Throttle } from './throttle.ts'

/** How long a recipient belongs to a worker before another may take it; renewed while its attempt runs. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** The longest time without a look at the queue: other nodes may have put something in. */
const POLL_MS = 1_000
/** How long attempts under way may take to end when the node stops; what is left is handed back. */
const STOP_MS = 10_000
/** How long the ends of those that were cut short may take to be written. */
const ABORT_MS = 2_000
/** How long the event loop may be kept from everything else. */
const STALL_MS = 1

export interface WorkerOptions extends DeliverOptions {
  readonly store: Store
  readonly dataDir: string
  readonly preparation: Preparation
  readonly throttle: Throttle
  /** How many milliseconds this node's clock is ahead of the other nodes'; negative: behind. */
  readonly skew: () => number
}

/** Delivers from `start` to `stop`. */
export class DeliveryWorker implements Part {
  readonly name = 'delivery'
  readonly #options: WorkerOptions
  readonly #node = newId('nod')
  readonly #places: Places
  readonly #outcomes: OutcomeKeeper
  readonly #heldAs = new Map<string, Claimed>()
  #claims = 0
  #claiming = false
  #again = false
  /** The last claim did not see all that is ready; nor has the first one. */
  #more = true
  /** Messages that were accepted under a lease and begin with the next turn of the event loop: answers go first. */
  #arrived: Arrived[] = []
  readonly #back: GivingBack
  #lookFrom: string | undefined
  readonly #stopper = new AbortController()
  #stopping = false
  #cancelTimer = (): void => {}
  #renewTimer: NodeJS.Timeout | undefined
  #idle: (() => void) | undefined

  constructor(options: WorkerOptions) {
    this.#options = { ...options, stopping: this.#stopper.signal }
    setMaxListeners(0, this.#stopper.signal) // every attempt listens
    this.#places = new Places(options.throttle)
    this.#outcomes = new OutcomeKeeper(options.store, options.dataDir, options.log)
    this.#back = new GivingBack(options, () => this.poke())
  }

  /** Attempts under way, or about to begin. */
  get inFlight(): number {
    return this.#places.count
  }

  /** Attempts that ended, by outcome, since the start. */
  get ended(): Readonly<Record<Outcome['status'], number>> {
    return this.#outcomes.ended
  }

  async start(): Promise<void> {
    const { store, alone } = this.#options
    await this.#outcomes.takeUp()
    // Whoever held them is gone.
    if (alone) await store.write('releaseAllLeases', true)
    this.#renewTimer = setInterval(() => void this.#renew(), RENEW_MS)
    this.#renewTimer.unref()
    await this.#look()
    this.poke()
  }

  /** Takes nothing more, lets attempts under way end for a while, and hands the rest back. */
  async stop(): Promise<void> {
    const { pool } = this.#options
    this.#stopping = true
    this.#outcomes.stop()
    this.#cancelTimer()
    await this.#ended(STOP_MS)
    // What is past its final dot is unknown from here on and written down as that; the rest is handed back untried.
    this.#stopper.abort()
    await this.#ended(ABORT_MS)
    clearInterval(this.#renewTimer)
    this.#back.add(this.#places.claimed)
    await this.#back.give()
    this.#outcomes.close()
    await pool.close()
  }

  /** Waits until nothing is under way, at most for a time in milliseconds. */
  async #ended(atMostMs: number): Promise<void> {
    if (this.#places.count === 0 && !this.#claiming) return
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve
    })
    await Promise.race([idle, new Promise<void>((resolve) => setTimeout(resolve, atMostMs).unref())])
  }

  /** Something may be due: look now. Cheap, and may be called for every accepted message. */
  poke(): void {
    if (!this.#claiming && this.#hasRoom()) void this.#claim()
    else this.#again = true // when there is room, or the claim under way has ended
  }

  /**
   * A lease for a message that is about to be accepted, when all its recipients can be attempted at once and nothing
   * waits that comes first; `settle` has to follow.
   */
  offer(message: AcceptMessage): Lease | undefined {
    const now = this.#options.clock.now()
    if (this.#more || this.#again || !this.#hasRoom() || !this.#places.promise(message, now)) return undefined
    return { lease: `${this.#node}.${this.#claims++}`, leaseUntil: now + LEASE_MS }
  }

  /** What became of a message that has a lease; undefined: the store did not say, and may have accepted it. */
  settle(message: AcceptMessage, result: Accepted | undefined): void {
    const direct = result?.kind === 'accepted' ? result.direct : undefined
    if (direct === undefined) {
      this.#places.redeem(message)
      if (result === undefined) this.#back.add(underLease(message))
      this.#whenIdle()
      return
    }
    this.#arrived.push(arrived(message, direct))
    if (this.#arrived.length === 1) setImmediate(() => this.#beginArrived())
  }

  #beginArrived(): void {
    const all = this.#arrived
    this.#arrived = []
    const now = this.#options.clock.now()
    const begun: Claimed[] = []
    for (const { message, recipients } of all) {
      this.#places.redeem(message)
      // Since the promise a claim that was under way may have taken the room, or the site has closed.
      const goes = !this.#stopping && this.#places.hasRoomFor(recipients, now)
      if (goes) begun.push(...recipients.filter((claimed) => this.#take(claimed, now)))
      else this.#back.add(recipients)
    }
    void this.#begin(begun, new Map(all.map(({ message }) => [message.message.id, message])))
    void this.#back.give()
    this.#whenIdle()
  }

  #hasRoom(): boolean {
    return !this.#stopping && !this.#outcomes.isBehind && this.#places.hasRoom
  }

  async #claim(): Promise<void> {
    const { store, clock, log } = this.#options
    this.#claiming = true
    this.#again = false
    this.#cancelTimer()
    const now = clock.now()
    const request = this.#places.request(now)
    let isRead = true
    try {
      const lease = `${this.#node}.${this.#claims++}`
      const claim = await store.write('claimRecipients', {
        ...request,
        now,
        lease,
        leaseUntil: now + LEASE_MS,
        // By a clock that is wrong, the leases of others would have ended.
        takeOver: Math.abs(this.#options.skew()) <= MOST_SKEW_MS,
      })
      for (const message_id of claim.quarantined) log.error({ message_id }, 'held back for the operator')
      this.#more = claim.more
      this.#deliver(claim)
      this.#places.drawn(request.draw, claim.recipients, claim.full)
      void this.#back.give()
    } catch (error) {
      log.error({ err: error }, 'the queue cannot be read')
      isRead = false
    }
    this.#claiming = false
    // What cannot be seen may wait: nothing may overtake it, and the next look is not hurried.
    if (!isRead) this.#more = true
    else if ((this.#more || this.#again) && this.#hasRoom()) return this.poke()
    await this.#sleepAfter(now)
    this.#whenIdle()
  }

  /** Waits for the next recipient to fall due, or for the next look at what others put in. */
  async #sleepAfter(claimedAt: number): Promise<void> {
    const { clock } = this.#options
    const dueAt = await this.#look()
    if (this.#claiming || this.#stopping) return
    const now = clock.now()
    const next = Math.min(
      dueAt ?? Number.POSITIVE_INFINITY,
      this.#places.opensAt(claimedAt) ?? Number.POSITIVE_INFINITY,
    )
    // What was due at the claim and not taken has no room; only what comes later is waited for.
    const wait = next <= claimedAt ? POLL_MS : Math.min(POLL_MS, next - now)
    this.#cancelTimer()
    if (wait <= 0) this.poke()
    else this.#cancelTimer = clock.after(wait, () => this.poke())
  }

  /** Looks at what waits; answers when the next of it falls due. */
  async #look(): Promise<number | undefined> {
    const outlook = await queueOutlook(this.#options.store.read, this.#lookFrom).catch(() => undefined)
    if (outlook === undefined || this.#claiming) return undefined
    this.#lookFrom = outlook.next
    this.#places.noteAside(outlook.full)
    return outlook.dueAt
  }

  #deliver({ recipients, contents }: Claim): void {
    const now = this.#options.clock.now()
    const begun = recipients.filter((claimed) => this.#take(claimed, now))
    void this.#begin(begun, contents)
  }

  /** Gives it a place; false when its attempt is under way already, or has been made. */
  #take(claimed: Claimed, now: number): boolean {
    // Its lease ran out while its attempt went on (a clock that jumped, a store that was away): not a second one.
    const held = this.#heldAs.get(keyOf(claimed))
    if (held !== undefined) {
      held.lease = claimed.lease
      held.leaseUntil = claimed.leaseUntil
      return false
    }
    if (this.#outcomes.wasMade(claimed)) return false
    this.#heldAs.set(keyOf(claimed), claimed)
    this.#places.take(claimed, now)
    return true
  }

  /** Begins the attempts a few at a time: composing and signing all of a claim at once would stall whatever waits. */
  async #begin(recipients: readonly Claimed[], contents: Claim['contents']): Promise<void> {
    const opened = new Map<string, ReturnType<Preparation['open']>>()
    let since = performance.now()
    for (const claimed of recipients) {
      if (performance.now() - since > STALL_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        since = performance.now()
      }
      const prepare = opened.get(claimed.messageId) ?? this.#open(claimed, contents)
      opened.set(claimed.messageId, prepare)
      void this.#deliverOne(claimed, prepare(claimed.email))
    }
  }

  #open(claimed: Claimed, contents: Claim['contents']): ReturnType<Preparation['open']> {
    const content = contents.get(claimed.messageId)
    if (content === undefined) return () => Promise.reject(new Error('the content of the message is missing'))
    const { messageId: id, domainId, domainName, stream, createdAt } = claimed
    return this.#options.preparation.open({ id, domainId, domainName, stream, createdAt, ...content })
  }

  async #deliverOne(claimed: Claimed, message: Promise<PreparedMessage>): Promise<void> {
    const { ended, site, signal } = await deliver(claimed, message, this.#options)
    if (ended === undefined) return
    if (!(await this.#outcomes.keep(ended))) this.#more = true
    this.#heldAs.delete(keyOf(claimed))
    const now = this.#options.clock.now()
    this.#places.free(claimed, site, signal, now)
    const worthIt = this.#more || this.#again || this.#places.mayDraw(claimed.destination, now)
    if (worthIt && this.#hasRoom()) this.poke()
    this.#whenIdle()
  }

  #whenIdle(): void {
    if (this.#places.count === 0 && !this.#claiming) this.#idle?.()
  }

  async #renew(): Promise<void> {
    const held = this.#places.claimed
    if (held.length === 0) return
    const until = this.#options.clock.now() + LEASE_MS
    try {
      await this.#options.store.write('renewLeases', { held, until })
      for (const claimed of held) claimed.leaseUntil = until
    } catch (error) {
      this.#options.log.warn({ err: error }, 'leases could not be renewed')
    }
  }
}
