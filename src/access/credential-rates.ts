// Rate limits of credentials, for HTTP requests and SMTP messages.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import { type Allowed, parseRate, type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { isOfVerification } from '../model/key-kind.ts'
import type { Credential } from './credentials.ts'

/** Default rates of the installation, for credentials without a separate rate. */
export interface UsualRates {
  readonly sending: Rate
  readonly verification: Rate
}

/** Maximum rate of a management key without a rate of its own. */
export const MANAGEMENT_RATE: Rate = { count: 20, perMs: 1_000 }

/** Credential or user to which a rate limit applies. */
export type Limited = Pick<Credential, 'id' | 'kind' | 'rate'>

/** Rate limits with one token bucket per credential, shared by all listeners of a node. */
export class CredentialRates {
  readonly #clock: Clock
  readonly #usual: UsualRates
  readonly #limiter: RateLimiter
  readonly #own = cacheOf<Rate>('written_rates')

  constructor(clock: Clock, usual: UsualRates, limiter = new RateLimiter()) {
    this.#limiter = limiter
    this.#clock = clock
    this.#usual = usual
  }

  /** Takes one token from the bucket of a credential. */
  take(credential: Limited): Allowed & { readonly rate: Rate } {
    const rate = this.#rateOf(credential)
    return { ...this.#limiter.take(credential.id, rate, this.#clock.now()), rate }
  }

  /**
   * Takes `cost` tokens even if the bucket contains fewer; later requests are refused until the debt is paid. Takes no
   * tokens and allows no request while the bucket is in debt.
   */
  charge(credential: Limited, cost: number): Allowed & { readonly rate: Rate } {
    const rate = this.#rateOf(credential)
    const before = this.#limiter.take(credential.id, rate, this.#clock.now(), 0)
    if (!before.allowed) return { ...before, rate }
    return { ...this.#limiter.charge(credential.id, rate, this.#clock.now(), cost), rate }
  }

  #rateOf({ kind, rate: written }: Limited): Rate {
    const usual = this.#usualOf(kind)
    if (written === null) return usual
    let rate = this.#own.get(written)
    if (rate === undefined) {
      rate = parseRate(written) ?? usual
      this.#own.set(written, rate)
    }
    return rate
  }

  #usualOf(kind: Limited['kind']): Rate {
    if (kind === 'management') return MANAGEMENT_RATE
    return isOfVerification(kind) ? this.#usual.verification : this.#usual.sending
  }
}

/** Returns a rate as text for an error message, such as `100 requests in 1 s`. */
export const inWords = ({ count, perMs }: Rate, what: string): string =>
  `${count} ${what} in ${perMs / 1000} s`
