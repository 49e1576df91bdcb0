// Verifies addresses for an account: uses evidence from the account's own mail, and takes a credit for each
// verification.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { type Trace, traceTime } from '../lib/traces.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { takeCredit } from '../store/verification/verification-credits.ts'
import type { CheckLog } from './check-log.ts'
import type { AccountEvidence, DeliveryHistory } from './delivery-history.ts'
import type { Verification, Verifier } from './verify.ts'

export interface AccountVerificationOptions {
  readonly store: Store
  readonly clock: Clock
  readonly verifier: Verifier
  readonly knowledge: Pick<DeliveryHistory, 'own'>
  readonly checks: Pick<CheckLog, 'add' | 'flush'>
  /**
   * Returns the evidence for a steering address of the playground, and undefined for any other address. The account's
   * own mail does not count for steering addresses.
   */
  readonly steered?:
    | ((address: Address) => { readonly own: AccountEvidence | undefined } | undefined)
    | undefined
  readonly trace?: Trace | undefined
}

/** The caller of a single verification: an API key or a user. */
export interface VerificationCaller {
  readonly accountId: string
  readonly keyId: string | null
  readonly userId: string | null
}

/**
 * Maximum number of characters of an address in a stored result: no address is longer, and PostgreSQL limits the size
 * of an index entry.
 */
export const MAX_KEPT_LENGTH = 500

/** Maximum number of requests under way, because each request holds memory until its response. */
const MAX_UNDER_WAY = 10_000

export class AccountVerification {
  readonly #options: AccountVerificationOptions
  /** Requests under way. */
  underWay = 0
  /** Number of completed verifications by internal result, since the start of the process. */
  readonly ended = new Map<string, number>()

  constructor(options: AccountVerificationOptions) {
    this.#options = options
  }

  /** True if a free mailbox provider has this domain (A-labels, lower case). */
  isMailboxProvider(domain: string): boolean {
    return this.#options.verifier.isMailboxProvider(domain)
  }

  /**
   * Takes a credit, verifies the address, and stores the result. Throws `verification_credits_exhausted` when no credit
   * is left, `rate_limit_exceeded` when this node has too many verifications under way, or `unavailable`.
   *
   * @param traceparent `traceparent` header of the request
   */
  async verifyForCredit(
    caller: VerificationCaller,
    given: string,
    traceparent?: string,
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
      const { accountId } = caller
      const creditsLeft = await store.write(takeCredit, { accountId, now: clock.now() })
      if (creditsLeft === undefined) throw creditsExhausted()
      const verification = await this.verify(accountId, given, false)
      this.#tell(verification, startedAt, traceparent)
      this.#record(caller, verification)
      // A user reads the list of verifications next. A program does not read the list, so the response to a program
      // does not wait for a second commit.
      if (caller.userId !== null) await this.#options.checks.flush()
      return { verification, creditsLeft }
    } finally {
      this.underWay--
    }
  }

  /**
   * True if only the catch-all probe of a verification is missing, because greylisting defers the probe for some
   * minutes.
   */
  isCatchAllPutOff(verification: Verification): boolean {
    return this.#options.verifier.isCatchAllPutOff(verification)
  }

  /**
   * Verifies an address without taking a credit; an `unhurried` verification runs in the background, without a
   * deadline.
   */
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

  #record({ accountId, keyId, userId }: VerificationCaller, verification: Verification): void {
    const { checks, clock } = this.#options
    const now = clock.now()
    const { email, result } = verification
    // PostgreSQL cannot store such texts, and no such text is an address.
    if (email.includes('\0') || email.length > MAX_KEPT_LENGTH) return
    checks.add({
      ...{
        account_id: accountId,
        id: newId('chk', now),
        email,
        result,
        answer: JSON.stringify(verification),
      },
      ...{ key_id: keyId, user_id: userId, checked_at: now },
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
