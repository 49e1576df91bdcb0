// Rate limits: one token bucket per key, in memory.

import { cacheOf } from './caches.ts'
import { UNITS } from './rfc3339.ts'
import { type SharedBuckets, UnsettledTokens } from './shared-buckets.ts'

/** A rate: `count` per `perMs` milliseconds. */
export interface Rate {
  readonly count: number
  readonly perMs: number
}

/** Parses rates such as `50/s`, `20/m`, `1000/h` and `10000/d`; returns undefined for other texts. */
export function parseRate(text: string): Rate | undefined {
  const match = /^([1-9]\d{0,8})\/(s|m|h|d)$/.exec(text)
  return match === null ? undefined : { count: Number(match[1]), perMs: UNITS[match[2] as string] as number }
}

/** State of a rate limit after a request. */
export interface Allowed {
  readonly allowed: boolean
  readonly remaining: number
  /**
   * Seconds, rounded up, until a refused request would be allowed, or until the bucket is full again after an allowed
   * request.
   */
  readonly resetSeconds: number
}

interface Bucket {
  tokens: number
  at: number
  /** Time at which the bucket is full again if no more tokens are taken. */
  fullAt: number
  rate: Rate
}

const SWEEP_MS = 60_000
const BUCKET_BYTES = 80
/** Fraction of a bucket's tokens that a node must have taken before the nodes settle the taken tokens. */
const SETTLED_PART = 0.01

/**
 * Token buckets by name: each bucket holds `rate.count` tokens and refills at a constant rate. The least recently used
 * bucket is evicted first.
 */
export class RateLimiter implements SharedBuckets {
  readonly unsettled = new UnsettledTokens()
  readonly #buckets = cacheOf<Bucket>('rate_limits')
  #sweptAt = 0

  /** Takes `cost` tokens from the bucket of `name` if the bucket has enough; `now` is in milliseconds. */
  take(name: string, rate: Rate, now: number, cost = 1): Allowed {
    this.#sweep(now)
    const perMs = rate.count / rate.perMs
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) {
      bucket = { tokens: rate.count, at: now, fullAt: now, rate }
      this.#buckets.set(name, bucket, BUCKET_BYTES)
    }
    bucket.rate = rate
    // Negative elapsed time counts as zero, so that setting back the clock removes no tokens.
    bucket.tokens = Math.min(rate.count, bucket.tokens + Math.max(0, now - bucket.at) * perMs)
    bucket.at = now
    bucket.fullAt = now + (rate.count - bucket.tokens) / perMs
    if (bucket.tokens < cost) {
      return { allowed: false, remaining: 0, resetSeconds: Math.ceil((cost - bucket.tokens) / perMs / 1000) }
    }
    bucket.tokens -= cost
    bucket.fullAt += cost / perMs
    this.#note(name, rate, cost)
    return {
      allowed: true,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((rate.count - bucket.tokens) / perMs / 1000),
    }
  }

  /** Takes `cost` tokens even if the bucket has fewer: later requests wait until the debt is paid. */
  charge(name: string, rate: Rate, now: number, cost: number): Allowed {
    const before = this.take(name, rate, now, 0)
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) return before
    bucket.tokens -= cost
    bucket.fullAt += (cost * rate.perMs) / rate.count
    this.#note(name, rate, cost)
    return {
      allowed: true,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      resetSeconds: Math.ceil((bucket.fullAt - now) / 1000),
    }
  }

  /** Sets a bucket to the settled state of all nodes, minus the tokens that this node took since the settlement. */
  settle(name: string, debtMs: number, at: number): void {
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) return
    const { count, perMs } = bucket.rate
    const missingMs = Math.max(0, debtMs) + this.unsettled.owed(name)
    bucket.tokens = count - (missingMs * count) / perMs
    bucket.at = at
    bucket.fullAt = at + missingMs
  }

  #note(name: string, { count, perMs }: Rate, cost: number): void {
    if (cost > 0) this.unsettled.note(name, (cost * perMs) / count, perMs * SETTLED_PART)
  }

  /** Removes full buckets, so that unknown clients cannot fill the memory. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = now
    for (const [name, bucket] of this.#buckets.entries()) {
      if (bucket.fullAt < now) this.#buckets.delete(name)
    }
  }
}
