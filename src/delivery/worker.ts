// The delivery worker: claims what is due, has it attempted, and writes down what came of it.

import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Outcome } from '../model/attempt.ts'
import { Problem } from '../model/problem.ts'
import type { RecordOutcome } from '../store/outcomes.ts'
import { type Claim, type Claimed, nextDueAt } from '../store/queue.ts'
import type { Store } from '../store/store.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import type { Preparation, PreparedMessage } from './prepare.ts'

/** How long a recipient belongs to a worker before another may take it; renewed while its attempt runs. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** The longest time without a look at the queue: other nodes may have put something in. */
const POLL_MS = 1_000
/** How soon an outcome that the store could not take is tried again. */
const UNWRITTEN_MS = 500
const MOST_IN_FLIGHT = 512
/** Of these, recipients at one destination: a slow one must not take all places. */
const MOST_PER_DESTINATION = 64
/** Recipients in one claim. */
const MOST_CLAIMED = 256
/** Room that is worth a look at the queue. */
const LEAST_ROOM = 64
const MOST_BYTES = 64 * 1024 * 1024
/** How long attempts under way may take to end when the node stops; what is left is handed back. */
const STOP_MS = 10_000

export interface WorkerOptions extends DeliverOptions {
  readonly store: Store
  readonly preparation: Preparation
  /** No other node shares the store: what is claimed at the start was claimed by one that is gone. */
  readonly alone: boolean
}

const keyOf = ({ messageId, position }: Claimed): string => `${messageId} ${position}`

/** Delivers from `start` to `stop`. */
export class DeliveryWorker implements Part {
  readonly name = 'delivery'
  readonly #options: WorkerOptions
  readonly #node = newId('nod')
  readonly #inFlight = new Map<Claimed, number>()
  readonly #heldAs = new Map<string, Claimed>()
  readonly #atDestination = new Map<string, number>()
  #unwritten = 0
  #claims = 0
  #bytes = 0
  #claiming = false
  #again = false
  #stopping = false
  #cancelTimer = (): void => {}
  #renewTimer: NodeJS.Timeout | undefined
  #idle: (() => void) | undefined
  /** Attempts that ended, by outcome, since the start. */
  readonly ended: Record<Outcome['status'], number> = { delivered: 0, deferred: 0, bounced: 0, failed: 0 }

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  async start(): Promise<void> {
    const { store, clock, alone } = this.#options
    if (alone) await store.write('releaseAllLeases', { now: clock.now() })
    this.#renewTimer = setInterval(() => void this.#renew(), RENEW_MS)
    this.#renewTimer.unref()
    this.poke()
  }

  /** Takes nothing more, lets attempts under way end for a while, and hands the rest back. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#cancelTimer()
    if (this.#inFlight.size > 0 || this.#claiming) {
      const ended = new Promise<void>((resolve) => {
        this.#idle = resolve
      })
      const timer = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([ended, timer])
    }
    clearInterval(this.#renewTimer)
    const held = [...this.#inFlight.keys()]
    if (held.length > 0) {
      await this.#options.store.write('moveLeases', { held, until: this.#options.clock.now() })
    }
    await this.#options.pool.close()
  }

  /** Something may be due: look now. Cheap, and may be called for every accepted message. */
  poke(): void {
    if (this.#claiming) this.#again = true
    else if (this.#hasRoom()) void this.#claim()
  }

  #hasRoom(): boolean {
    const able = !this.#stopping && this.#unwritten === 0
    return able && this.#inFlight.size <= MOST_IN_FLIGHT - LEAST_ROOM && this.#bytes < MOST_BYTES
  }

  async #claim(): Promise<void> {
    const { store, clock, log } = this.#options
    this.#claiming = true
    this.#again = false
    this.#cancelTimer()
    const now = clock.now()
    let taken = 0
    try {
      const claim = await store.write('claimRecipients', {
        now,
        lease: `${this.#node}.${this.#claims++}`,
        leaseUntil: now + LEASE_MS,
        limit: Math.min(MOST_CLAIMED, MOST_IN_FLIGHT - this.#inFlight.size),
        bytes: MOST_BYTES - this.#bytes,
        perDestination: MOST_PER_DESTINATION,
        fullDestinations: [...this.#atDestination].flatMap(([name, count]) =>
          count >= MOST_PER_DESTINATION ? [name] : [],
        ),
      })
      taken = claim.recipients.length
      this.#deliver(claim)
    } catch (error) {
      log.error({ err: error }, 'the queue cannot be read')
    }
    this.#claiming = false
    if ((taken > 0 || this.#again) && this.#hasRoom()) return this.poke()
    await this.#sleepAfter(now)
    this.#whenIdle()
  }

  /** Waits for the next recipient to fall due, or for the next look at what others put in. */
  async #sleepAfter(claimedAt: number): Promise<void> {
    const { store, clock } = this.#options
    const due = await nextDueAt(store.read).catch(() => undefined)
    if (this.#claiming || this.#stopping) return
    // What was due at the claim and not taken is held back (paused); only what comes later is waited for.
    const wait = due === undefined || due <= claimedAt ? POLL_MS : Math.min(POLL_MS, due - clock.now())
    this.#cancelTimer()
    if (wait <= 0) this.poke()
    else this.#cancelTimer = clock.after(wait, () => this.poke())
  }

  #deliver({ recipients, contents }: Claim): void {
    const prepared = new Map<string, Promise<PreparedMessage>>()
    for (const claimed of recipients) {
      const held = this.#heldAs.get(keyOf(claimed))
      if (held !== undefined) {
        // Its lease ran out while its attempt goes on (a clock that jumped, a store that was away): not a second one.
        held.lease = claimed.lease
        continue
      }
      this.#heldAs.set(keyOf(claimed), claimed)
      this.#inFlight.set(claimed, claimed.size)
      this.#bytes += claimed.size
      this.#count(claimed.destination, 1)
      let message = prepared.get(claimed.messageId)
      if (message === undefined) {
        message = this.#prepare(claimed, contents)
        prepared.set(claimed.messageId, message)
      }
      void this.#deliverOne(claimed, message).finally(() => this.#ended(claimed))
    }
  }

  async #prepare(claimed: Claimed, contents: Claim['contents']): Promise<PreparedMessage> {
    const content = contents.get(claimed.messageId)
    if (content === undefined) throw new Error('the content of the message is missing')
    const { messageId: id, domainId, domainName, createdAt } = claimed
    return this.#options.preparation.prepare({ id, domainId, domainName, createdAt, ...content })
  }

  #ended(claimed: Claimed): void {
    this.#bytes -= this.#inFlight.get(claimed) ?? 0
    this.#inFlight.delete(claimed)
    this.#heldAs.delete(keyOf(claimed))
    this.#count(claimed.destination, -1)
    if (this.#hasRoom()) this.poke()
    this.#whenIdle()
  }

  #count(destination: string, by: 1 | -1): void {
    const count = (this.#atDestination.get(destination) ?? 0) + by
    if (count === 0) this.#atDestination.delete(destination)
    else this.#atDestination.set(destination, count)
  }

  #whenIdle(): void {
    if (this.#inFlight.size === 0 && !this.#claiming) this.#idle?.()
  }

  async #deliverOne(claimed: Claimed, message: Promise<PreparedMessage>): Promise<void> {
    const ended = await deliver(claimed, message, this.#options)
    if (await this.#keep(ended)) return
    // Nothing is claimed until this is kept: or it would be delivered again when its lease has run out.
    this.#unwritten++
    do {
      await new Promise((resolve) => setTimeout(resolve, UNWRITTEN_MS))
    } while (!this.#stopping && !(await this.#keep(ended)))
    this.#unwritten--
  }

  /** Writes down how an attempt ended; false when the store cannot take it now. */
  async #keep(ended: RecordOutcome): Promise<boolean> {
    const { log, store } = this.#options
    const message_id = ended.claimed.messageId
    try {
      const written = await store.write('recordOutcome', ended)
      if (written) this.ended[ended.outcome.status]++
      else log.warn({ message_id }, 'the lease was lost; its new holder decides')
      return true
    } catch (error) {
      log.error({ err: error, message_id }, 'an outcome could not be kept')
      return !(error instanceof Problem)
    }
  }

  async #renew(): Promise<void> {
    const held = [...this.#inFlight.keys()]
    if (held.length === 0) return
    const until = this.#options.clock.now() + LEASE_MS
    await this.#options.store.write('moveLeases', { held, until }).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'leases could not be renewed')
    })
  }
}
