// Enforces the limit of stored bytes of an account before a message is accepted.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import { readStoredBytes } from '../store/messages/stored-bytes.ts'
import type { Sender } from './authorize.ts'

/** Time for which a number of stored bytes is used after reading it from the store. */
const REFRESH_MS = 1_000
/**
 * Time for which the messages of this node are added to the number from the store; after this time, the store has read
 * the messages from its event log.
 */
const RECOUNT_MS = 60_000

/** Number of bytes that an account stores, as known to this node. */
interface Known {
  bytes: number
  /** Bytes of messages that this node is writing. */
  underWay: number
  readonly readAt: number
  /** Last time at which the number from the store was used alone, without the bytes that this node has added. */
  readonly recountedAt: number
}

/**
 * Refuses messages of accounts that have reached their limit. The number of stored bytes is read from the store once a
 * second, and the bytes that this node accepts in the meantime are added. Messages that other nodes accept within about
 * one second may exceed the limit. The store is not read for accounts without a limit.
 */
export class StoredBytesLimit {
  readonly #store: Pick<Store, 'read'>
  readonly #clock: Clock
  readonly #perAccount: number | undefined
  readonly #known = cacheOf<Known>('stored_bytes')
  readonly #reading = new Map<string, Promise<Known>>()

  /** @param perAccount default limit for accounts without a separate limit; undefined for no limit */
  constructor(store: Pick<Store, 'read'>, clock: Clock, perAccount: number | undefined) {
    this.#store = store
    this.#clock = clock
    this.#perAccount = perAccount
  }

  /**
   * Reserves bytes for a message that is about to be stored, or returns the refusal; returns synchronously if the
   * number of stored bytes is known. `settle` has to follow a reservation.
   */
  take(sender: Sender, bytes: number): Problem | undefined | Promise<Problem | undefined> {
    const limit = this.#limitOf(sender)
    if (limit === undefined) return undefined
    const decide = (known: Known): Problem | undefined => {
      const refusal = refusalOf(known, bytes, limit)
      if (refusal === undefined) known.underWay += bytes
      return refusal
    }
    const known = this.#known.get(sender.accountId)
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - known.readAt
    if (known !== undefined && age >= 0 && age < REFRESH_MS) return decide(known)
    return this.#refresh(sender.accountId).then(decide)
  }

  /**
   * Ends a reservation. Bytes that were stored are added to the number from the store until this number includes them.
   */
  settle(sender: Sender, taken: number, kept: number): void {
    if (this.#limitOf(sender) === undefined) return
    const known = this.#known.get(sender.accountId)
    if (known === undefined) return
    known.underWay = Math.max(0, known.underWay - taken)
    known.bytes += kept
  }

  /** Returns the limit of an account; undefined for the service's own mail, which belongs to no account. */
  #limitOf({ storedBytesLimit, keptAs }: Sender): number | undefined {
    return keptAs === undefined ? (storedBytesLimit ?? this.#perAccount) : undefined
  }

  /** Reads the number of stored bytes; concurrent callers share one read. */
  #refresh(accountId: string): Promise<Known> {
    let refresh = this.#reading.get(accountId)
    if (refresh === undefined) {
      refresh = this.#read(accountId).finally(() => this.#reading.delete(accountId))
      this.#reading.set(accountId, refresh)
    }
    return refresh
  }

  async #read(accountId: string): Promise<Known> {
    const bytes = await reading(readStoredBytes(this.#store.read, accountId))
    const now = this.#clock.now()
    const before = this.#known.get(accountId)
    const isRecent = before !== undefined && now - before.recountedAt < RECOUNT_MS
    const known = {
      bytes: isRecent ? Math.max(bytes, before.bytes) : bytes,
      underWay: before?.underWay ?? 0,
      readAt: now,
      recountedAt: isRecent ? before.recountedAt : now,
    }
    this.#known.set(accountId, known)
    return known
  }
}

function refusalOf(known: Known, bytes: number, limit: number): Problem | undefined {
  const stored = known.bytes + known.underWay
  if (stored + bytes <= limit) return undefined
  return new Problem(
    'sending_allowance_exhausted',
    `The stored messages of this account take ${stored} of ${limit} bytes, and this message needs ${bytes} more; ask the operator to raise the limit of stored bytes.`,
  )
}
