// Verifying for an account: what its own mail has shown counts, and each verification takes a credit.

import type { Clock } from '../lib/clock.ts'
import { type Trace, traceTime } from '../lib/traces.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { takeCredit } from '../store/verification/verification-credits.ts'
import type { AccountEvidence, DeliveryHistory } from './delivery-history.ts'
import type { Verification, Verifier } from './verify.ts'

export interface AccountVerificationOptions {
  readonly store: Store
  readonly clock: Clock
  readonly verifier: Verifier
  readonly knowledge: Pick<DeliveryHistory, 'own'>
  /** In the playground: what addresses that steer stand for; own mail does not count for them. */
  readonly steered?:
    | ((address: Address) => { readonly own: AccountEvidence | undefined } | undefined)
    | undefined
  readonly trace?: Trace | undefined
}

/** Requests under way beyond which none is taken: each holds some memory until its answer. */
const MAX_UNDER_WAY = 10_000

export class AccountVerification {
  readonly #options: AccountVerificationOptions
  /** Requests under way. */
  underWay = 0
  /** Verifications that ended, by internal result, since the start. */
  readonly ended = new Map<string, number>()

  constructor(options: AccountVerificationOptions) {
    this.#options = options
  }

  /**
   * Verifies for one credit, which is taken first. Throws `verification_credits_exhausted` when there is none,
   * `rate_limit_exceeded` when this node has as much to do as it can take, `unavailable`.
   *
   * @param caller `traceparent` of the request
   */
  async verifyForCredit(
    accountId: string,
    given: string,
    caller?: string,
  ): Promise<{ verification: Verification; creditsLeft: number }> {
    if (this.underWay >= MAX_UNDER_WAY) {
      throw new Problem('rate_limit_exceeded', 'Too many verifications are under way; please try again.', {
        retryAfter: 1,
      })
    }
    this.underWay++
    const startedAt = traceTime()
    try {
      const { store, clock } = this.#options
      const creditsLeft = await store.write(takeCredit, { accountId, now: clock.now() })
      if (creditsLeft === undefined) throw creditsExhausted()
      const verification = await this.verify(accountId, given, false)
      this.#tell(verification, startedAt, caller)
      return { verification, creditsLeft }
    } finally {
      this.underWay--
    }
  }

  /** Verifies without taking a credit; `unhurried`: in the background. */
  async verify(accountId: string | undefined, given: string, unhurried: boolean): Promise<Verification> {
    const own = accountId === undefined ? undefined : await this.#own(accountId, given)
    const verification = await this.#options.verifier.verify(given, { own, unhurried })
    const { internalResult } = verification
    this.ended.set(internalResult, (this.ended.get(internalResult) ?? 0) + 1)
    return verification
  }

  #tell(verification: Verification, startedAt: number, caller: string | undefined): void {
    const { result, internalResult, mxServer, mxServerIp, esp, smtpCode, catchAll } = verification
    this.#options.trace?.({
      ...{ name: 'verify', startedAt, endedAt: traceTime(), caller },
      attributes: {
        ...{ 'server.address': mxServer, 'network.peer.address': mxServerIp, 'postrider.esp': esp },
        ...{ 'postrider.result': result, 'postrider.internal_result': internalResult },
        ...{ 'postrider.smtp_code': smtpCode, 'postrider.catch_all': catchAll },
      },
    })
  }

  async #own(accountId: string, given: string): Promise<AccountEvidence | undefined> {
    const address = parseAddress(given.trim())
    if (!isAddress(address)) return undefined
    const steered = this.#options.steered?.(address)
    if (steered !== undefined) return steered.own
    return this.#options.knowledge.own({ accountId, email: address.email })
  }
}

export const creditsExhausted = (): Problem =>
  new Problem(
    'verification_credits_exhausted',
    'The account has no verification credits left; ask the operator of this installation for more.',
  )
