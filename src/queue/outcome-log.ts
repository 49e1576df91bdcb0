// The outcome log: writes the outcomes of attempts and releases recipients; keeps outcomes and releases while the store
// is unreachable.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Outcome } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import type { Lease } from '../model/lease.ts'
import type { LogMail } from '../model/mail-log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { releaseLeases, type Unattempted } from '../store/queue/leases.ts'
import { attempted, type RecordOutcome, recordOutcome } from '../store/queue/outcomes.ts'
import type { Claimed } from '../store/queue/queue.ts'
import { attemptLine } from './attempt-line.ts'
import { DeliveredJournal } from './delivered-journal.ts'
import { writeLeft } from './left-journal.ts'
import { keyOf, type Slot } from './slots.ts'

/** The end of an attempt, without the lease of the recipient. */
export type Ended = Omit<RecordOutcome, 'lease'>

export interface OutcomeLogOptions {
  readonly store: Store
  /** Data directory, which this process holds. */
  readonly dataDir: string
  readonly clock: Clock
  readonly log: Log
  /** Logs the end of each attempt; undefined if the settings ask for no lines about mail. */
  readonly logMail?: LogMail | undefined
}

/** Delay before the next try to write an outcome, after a try that found the store unreachable. */
const RETRY_MS = 500
const MAX_LATE = 1_024
/**
 * Maximum number of waiting releases while the store is unreachable; further recipients become free when their lease
 * ends.
 */
const MAX_RELEASES = 4_096

/** Writes the outcomes of attempts, from `takeUp` to `close`. */
export class OutcomeLog {
  readonly #options: OutcomeLogOptions
  readonly #journal: DeliveredJournal
  readonly #onReleased: (released: readonly Unattempted[]) => void
  /** Ends of attempts whose lease was lost, kept in case this node claims the recipient again. */
  readonly #late = new Map<string, Ended>()
  #releases: Unattempted[] = []
  #lastRelease = Promise.resolve()
  #unwritten = 0
  #stopping = false
  readonly #ended = new Map<Outcome['status'], Map<string, number>>()

  /** @param onReleased called when recipients are in the queue again */
  constructor(options: OutcomeLogOptions, onReleased: (released: readonly Unattempted[]) => void) {
    this.#options = options
    this.#onReleased = onReleased
    this.#journal = new DeliveredJournal(options.dataDir)
  }

  /** Number of attempts that have ended since the start of the process, by outcome and category. */
  get ended(): readonly (readonly [labels: readonly [Outcome['status'], string], count: number])[] {
    return [...this.#ended].flatMap(([status, counts]) =>
      [...counts].map(([category, count]) => [[status, category], count] as const),
    )
  }

  /** True while outcomes wait for the store; a claim could then return recipients whose outcome is not yet written. */
  get isBehind(): boolean {
    return this.#unwritten > 0
  }

  /** Writes the deliveries that the previous process did not commit. Throws if the store is unreachable. */
  async takeUp(): Promise<void> {
    await writeLeft(this.#journal, this.#options)
    this.#journal.clear()
  }

  /**
   * Opens a journal place in which the SMTP dialog records the delivery of an attempt; `write` or `forget` closes the
   * place.
   */
  placeOf({ claimed, lease }: Slot): JournalPlace | undefined {
    return this.#journal.open({ claimed, lease: lease.token }, this.#options.clock.now())
  }

  /** Closes the journal place of an attempt without an outcome to write. */
  forget({ claimed }: Slot): void {
    this.#journal.close(claimed)
  }

  /**
   * Writes an outcome, and retries until the node stops. Resolves to false if the first write found the store
   * unreachable.
   */
  async write(slot: Slot, ended: Ended): Promise<boolean> {
    if (await this.#write(slot, ended)) return true
    this.#unwritten++
    do await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    while (!(await this.#write(slot, ended)) && !this.#stopping)
    this.#unwritten--
    return false
  }

  /**
   * Writes the outcome of an attempt that a claimed recipient had under a lost lease, and returns true. Returns false
   * if no outcome of an earlier attempt was kept.
   */
  wasMade(claimed: Claimed, lease: Lease): boolean {
    const late = this.#late.get(keyOf(claimed))
    this.#late.delete(keyOf(claimed))
    if (late?.claimed.attempt !== claimed.attempt) return false
    void this.#write({ lease }, late)
    return true
  }

  /**
   * Releases recipients at the next `flush`. The store ignores recipients that are no longer under the given lease.
   */
  release(recipients: readonly Unattempted[]): void {
    this.#releases.push(...recipients.slice(0, MAX_RELEASES - this.#releases.length))
  }

  /** Resolves after the store has taken the releases or failed; the next call retries failed releases. */
  flush(): Promise<void> {
    if (this.#releases.length > 0) this.#lastRelease = this.#lastRelease.then(() => this.#flush())
    return this.#lastRelease
  }

  /** Stops retries: the next process writes the outcomes that the store has not taken by now. */
  stop(): void {
    this.#stopping = true
  }

  close(): void {
    this.#journal.stop()
  }

  async #flush(): Promise<void> {
    const { store, clock, log } = this.#options
    const held = this.#releases
    if (held.length === 0) return
    this.#releases = []
    try {
      await store.write(releaseLeases, { held, now: clock.now() })
      this.#onReleased(held)
    } catch (error) {
      log.warn({ err: error }, 'recipients could not be released')
      this.release(held)
    }
  }

  #noteWritten(ended: Ended): void {
    this.#count(ended.outcome)
    this.#options.logMail?.(attemptLine(ended))
  }

  #count({ status, category }: Outcome): void {
    const key = category ?? 'none'
    const counts = this.#ended.get(status) ?? new Map<string, number>()
    this.#ended.set(status, counts.set(key, (counts.get(key) ?? 0) + 1))
  }

  /** Writes an outcome once; returns false if the store is unreachable. */
  async #write(slot: Pick<Slot, 'lease'>, ended: Ended): Promise<boolean> {
    const { store, log } = this.#options
    const { token } = slot.lease
    const record = { ...ended, claimed: attempted(ended.claimed), lease: token }
    try {
      const written = await store.write(recordOutcome, record)
      // This node has claimed the recipient again in the meantime, and the outcome belongs to the new claim.
      if (!written && slot.lease.token !== token) return this.#write(slot, ended)
      if (written) this.#noteWritten(ended)
      else this.#lostLease(ended)
      this.#journal.close(ended.claimed)
      return true
    } catch (error) {
      log.error({ err: error, message_id: ended.claimed.messageId }, 'an outcome could not be written')
      return !(error instanceof Problem)
    }
  }

  /**
   * Keeps an outcome whose lease was lost: another node holds the recipient, or this node has just claimed the
   * recipient again.
   */
  #lostLease(ended: Ended): void {
    const { claimed } = ended
    this.#options.log.warn(
      { message_id: claimed.messageId },
      'the lease was lost; the node that holds the recipient now decides the outcome',
    )
    const [oldest] = this.#late.keys()
    if (this.#late.size >= MAX_LATE && oldest !== undefined) this.#late.delete(oldest)
    this.#late.set(keyOf(claimed), ended)
  }
}
