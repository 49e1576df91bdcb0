// Writes down how attempts ended, and forgets none of it while the store is away or when the process dies.

import type { Log } from '../lib/log.ts'
import type { Outcome } from '../model/attempt.ts'
import { Problem } from '../model/problem.ts'
import type { RecordOutcome } from '../store/outcomes.ts'
import type { Claimed } from '../store/queue.ts'
import type { Store } from '../store/store.ts'
import { HandedOver } from './handed-over.ts'

/** How soon an outcome that the store could not take is tried again. */
const UNWRITTEN_MS = 500
const MOST_LATE = 1_024

/** Names an attempt's recipient. */
export const keyOf = ({ messageId, position }: Claimed): string => `${messageId} ${position}`

/** Keeps the ends of attempts from `takeUp` to `close`. */
export class OutcomeKeeper {
  readonly #store: Store
  readonly #log: Log
  readonly #handedOver: HandedOver
  /** Ends of attempts that came when their lease was lost, in case that it comes back to this worker. */
  readonly #late = new Map<string, RecordOutcome>()
  #unwritten = 0
  #stopping = false
  /** Attempts that ended, by outcome, since the start. */
  readonly ended: Record<Outcome['status'], number> = { delivered: 0, deferred: 0, bounced: 0, failed: 0 }

  /** `dataDir` is held by this process. */
  constructor(store: Store, dataDir: string, log: Log) {
    this.#store = store
    this.#log = log
    this.#handedOver = new HandedOver(dataDir)
  }

  /** Nothing may be claimed until it no longer is: or it would be delivered again when its lease has run out. */
  get isBehind(): boolean {
    return this.#unwritten > 0
  }

  /** Writes what the last process handed over without writing it down, or it would be sent again. */
  async takeUp(): Promise<void> {
    await Promise.all(this.#handedOver.left().map((ended) => this.#keepLeft(ended)))
    this.#handedOver.clear()
  }

  /** Resolves when it is written; with false when the store was away meanwhile. Gives up only when the node stops. */
  async keep(ended: RecordOutcome): Promise<boolean> {
    if (ended.outcome.status === 'delivered') this.#handedOver.add(ended)
    if (await this.#write(ended)) return true
    this.#unwritten++
    do {
      await new Promise((resolve) => setTimeout(resolve, UNWRITTEN_MS))
    } while (!(await this.#write(ended)) && !this.#stopping)
    this.#unwritten--
    return false
  }

  /** Whether the attempt that was claimed has been made, under a lease that was lost: its end is written now. */
  wasMade(claimed: Claimed): boolean {
    const late = this.#late.get(keyOf(claimed))
    this.#late.delete(keyOf(claimed))
    if (late?.claimed.attempt !== claimed.attempt) return false
    late.claimed.lease = claimed.lease
    void this.#write(late)
    return true
  }

  /** From now on what the store does not take is left to the next process. */
  stop(): void {
    this.#stopping = true
  }

  close(): void {
    this.#handedOver.close()
  }

  /** Throws when the store is away; what it does not understand, another version wrote. */
  async #keepLeft(ended: RecordOutcome): Promise<void> {
    try {
      await this.#store.write('recordOutcome', ended)
    } catch (error) {
      if (error instanceof Problem) throw error
      this.#log.warn({ err: error }, 'a delivery that was left over could not be written down')
    }
  }

  /** False when the store cannot take it now. */
  async #write(ended: RecordOutcome): Promise<boolean> {
    const { messageId: message_id, lease } = ended.claimed
    try {
      const written = await this.#store.write('recordOutcome', ended)
      // This worker has claimed it again meanwhile, and its attempt is this one.
      if (!written && ended.claimed.lease !== lease) return this.#write(ended)
      if (written) this.ended[ended.outcome.status]++
      else this.#lostLease(ended)
      this.#handedOver.remove(ended)
      return true
    } catch (error) {
      this.#log.error({ err: error, message_id }, 'an outcome could not be kept')
      return !(error instanceof Problem)
    }
  }

  /** Another worker has it, or this one is about to learn that it claimed it again. */
  #lostLease(ended: RecordOutcome): void {
    this.#log.warn({ message_id: ended.claimed.messageId }, 'the lease was lost; its new holder decides')
    const [oldest] = this.#late.keys()
    if (this.#late.size >= MOST_LATE && oldest !== undefined) this.#late.delete(oldest)
    this.#late.set(keyOf(ended.claimed), ended)
  }
}
