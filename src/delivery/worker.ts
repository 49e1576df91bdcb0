// The delivery worker: claims what is due, has it attempted, and writes down what came of it.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Attempt, Outcome } from '../model/attempt.ts'
import { returnPath } from '../model/return-path.ts'
import { type Claim, type Claimed, nextDueAt } from '../store/queue.ts'
import type { Store } from '../store/store.ts'
import { type AttemptOptions, attemptDelivery } from './attempt.ts'
import { outcomeOf } from './outcome.ts'
import { CannotCompose, type Preparation, type PreparedMessage } from './prepare.ts'
import { nextWait } from './retry.ts'
import { findRoute, type RouteOptions } from './route.ts'

/** How long a recipient belongs to a worker before another may take it; renewed while its attempt runs. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** The longest time without a look at the queue: other nodes may have put something in. */
const POLL_MS = 1_000
const MOST_IN_FLIGHT = 256
const MOST_BYTES = 64 * 1024 * 1024
/** How long attempts under way may take to end when the node stops; what is left is handed back. */
const STOP_MS = 20_000

export interface WorkerOptions extends AttemptOptions, RouteOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly preparation: Preparation
  readonly retrySchedule: readonly number[]
  /** Authenticates the return path. */
  readonly returnPathSecret: string
  /** No other node shares the store: what is claimed at the start was claimed by one that is gone. */
  readonly alone: boolean
}

/** Delivers from `start` to `stop`. */
export class DeliveryWorker implements Part {
  readonly name = 'delivery'
  readonly #options: WorkerOptions
  readonly #node = newId('nod')
  readonly #inFlight = new Map<Claimed, number>()
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
    return !this.#stopping && this.#inFlight.size < MOST_IN_FLIGHT / 2 && this.#bytes < MOST_BYTES / 2
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
        limit: MOST_IN_FLIGHT - this.#inFlight.size,
        bytes: MOST_BYTES - this.#bytes,
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
      this.#inFlight.set(claimed, claimed.size)
      this.#bytes += claimed.size
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
    if (this.#hasRoom()) this.poke()
    this.#whenIdle()
  }

  #whenIdle(): void {
    if (this.#inFlight.size === 0 && !this.#claiming) this.#idle?.()
  }

  async #deliverOne(claimed: Claimed, message: Promise<PreparedMessage>): Promise<void> {
    const { clock, log, retrySchedule, store } = this.#options
    try {
      const { outcome, attempt } = await this.#attempt(claimed, message)
      const wait =
        outcome.status === 'deferred' ? nextWait(retrySchedule, claimed.attempt, Math.random()) : undefined
      const settled: Outcome =
        outcome.status === 'deferred' && wait === undefined
          ? { status: 'failed', reason: `Given up after ${claimed.attempt} attempts. ${outcome.reason}` }
          : outcome
      const now = clock.now()
      const nextAttemptAt = wait === undefined ? null : now + wait
      const written = await store.write('recordOutcome', {
        claimed,
        outcome: settled,
        attempt,
        nextAttemptAt,
        now,
      })
      if (written) this.ended[settled.status]++
      else
        log.warn(
          { message_id: claimed.messageId },
          'the lease was lost; the outcome is left to its new holder',
        )
    } catch (error) {
      // The lease runs out by itself and the recipient is tried again.
      log.error(
        { err: error, message_id: claimed.messageId },
        'an attempt could not be made or its outcome not be kept',
      )
    }
  }

  async #attempt(
    claimed: Claimed,
    message: Promise<PreparedMessage>,
  ): Promise<{ outcome: Outcome; attempt: Attempt }> {
    const { clock, log, returnPathSecret } = this.#options
    let prepared: PreparedMessage
    try {
      prepared = await message
    } catch (error) {
      if (!(error instanceof CannotCompose)) throw error
      log.error({ err: error.cause, message_id: claimed.messageId }, 'a message cannot be composed')
      const attempt = { startedAt: clock.now(), durationMs: 0, transcript: '' }
      return { outcome: { status: 'failed', reason: 'The message cannot be composed.' }, attempt }
    }
    const route = await findRoute(claimed.destination, this.#options)
    const from = returnPath(returnPathSecret, claimed.messageId, claimed.position, claimed.domainName)
    const envelope = { from, recipients: [claimed.email] }
    const { end, attempt } = await attemptDelivery(route, envelope, prepared, this.#options)
    return { outcome: outcomeOf(end), attempt }
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
