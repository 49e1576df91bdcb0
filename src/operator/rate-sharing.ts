// Rates that apply to all nodes together: each node takes tokens from its own buckets, and settles the taken tokens
// with the other nodes.

import { createHash } from 'node:crypto'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { RateLimiter } from '../lib/rate-limiter.ts'
import type { SharedBuckets, UsedTokens } from '../lib/shared-buckets.ts'
import type { Store } from '../store/database/store.ts'
import { forgetFullRates, settleRates } from '../store/node/shared-rates.ts'

/**
 * Interval of settlements. A node may exceed the shared rate between two settlements by at most the refill of one
 * interval.
 */
const EVERY_MS = 200
/** Number of settlements after which full buckets are removed from the store. */
const FORGET_EVERY = 300

export interface RateSharingOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** True if no other node uses the store, so that no settlement is needed. */
  readonly alone: boolean
}

/**
 * Settles shared buckets. No request waits for a settlement: a bucket grants the remaining tokens that this node knows
 * of. The nodes together may exceed the rate; every node then waits until the excess is refilled, so the rate holds
 * over any time much longer than the interval.
 */
export class RateSharing implements Part {
  readonly name = 'shared rates'
  readonly #options: RateSharingOptions
  readonly #kinds = new Map<string, SharedBuckets>()
  readonly #settling: Periodic
  #untilForgetting = FORGET_EVERY

  constructor(options: RateSharingOptions) {
    this.#options = options
    this.#settling = new Periodic({
      ...{ name: this.name, clock: systemClock, log: options.log, everyMs: EVERY_MS },
      failure: 'rates could not be settled with the other nodes',
      step: () => this.settle(),
    })
  }

  /** Adds buckets to the settlement; the kind distinguishes buckets with equal names. */
  add(kind: string, buckets: SharedBuckets): void {
    if (this.#options.alone) return
    this.#kinds.set(kind, buckets)
    buckets.unsettled.share()
  }

  /** Returns a new limiter whose buckets are shared with the other nodes. */
  limiter(kind: string): RateLimiter {
    const limiter = new RateLimiter()
    this.add(kind, limiter)
    return limiter
  }

  start(): void {
    if (!this.#options.alone) this.#settling.start()
  }

  /** Settles the last taken tokens, so that no other node grants the same tokens again. */
  async stop(): Promise<void> {
    await this.#settling.stop()
    await this.settle().catch(() => {})
  }

  /** Settles the taken tokens. Throws if the store is unreachable; the next settlement then includes these tokens. */
  async settle(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    const open = [...this.#kinds].flatMap(([kind, buckets]) =>
      buckets.unsettled.take().map((used) => ({ buckets, used, hash: hashOf(kind, used) })),
    )
    if (open.length > 0) {
      const taken = open.map(({ hash, used }) => {
        return { name: hash, costMs: used.costMs, aheadMs: Math.max(0, used.at - now) }
      })
      const debts = await store.write(settleRates, { now, taken }).catch((error) => {
        for (const { buckets, used } of open) buckets.unsettled.note(used.name, used.costMs, 0, used.at)
        throw error
      })
      for (const { buckets, used, hash } of open)
        buckets.settle(used.name, debts.get(hash) ?? used.costMs, now)
    }
    if (this.#untilForgetting-- > 0) return
    this.#untilForgetting = FORGET_EVERY
    await store.write(forgetFullRates, { now })
  }
}

/** Returns a hash of the bucket's name, because names can be long and can be IP addresses of clients. */
const hashOf = (kind: string, { name }: UsedTokens): string =>
  createHash('sha256').update(`${kind} ${name}`).digest('base64url').slice(0, 22)
