// Resets forgotten passwords by a link that is only mailed to the address of the user.

import { clientNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { RateLimiter } from '../lib/rate-limiter.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { FOOTER, type SendServiceMail } from '../model/service-mail.ts'
import { findUserByEmail, type User } from '../store/access/accounts.ts'
import { isTokenGood, keepToken } from '../store/access/one-time-tokens.ts'
import { resetPassword } from '../store/access/people.ts'
import { reading, type Store } from '../store/database/store.ts'
import { loginAddress, passwordProblems } from './accounts.ts'
import { NEW_STRANGER } from './hash-queue.ts'
import { hashPassword, hashSecret } from './secrets.ts'

const VALID_MS = 3_600_000
/** Maximum number of reset links to one address, so that nobody can flood a mailbox. */
const PER_EMAIL = { count: 3, perMs: 3_600_000 }
const PER_ADDRESS = { count: 20, perMs: 3_600_000 }
const NOT_MAILED =
  'a password reset link could not be mailed; set a password with: postrider user reset-password EMAIL'
/** Maximum number of waiting reset requests; further requests are dropped. */
const MAX_WAITING = 100

export interface PasswordResetOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly send: SendServiceMail
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
}

/** Sends and redeems password reset links. */
export class PasswordReset implements Part {
  readonly name = 'password resets'
  readonly #options: PasswordResetOptions
  readonly #limiter = new RateLimiter()
  readonly #waiting = new Set<Promise<void>>()

  constructor(options: PasswordResetOptions) {
    this.#options = options
  }

  async stop(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  /**
   * Mails a reset link if the user exists. Returns before the lookup, so that neither the response nor the response
   * time reveals whether the user exists. Throws `rate_limit_exceeded` after too many requests from one client address.
   */
  request(email: string, address: string): void {
    const { clock, log } = this.#options
    const taken = this.#limiter.take(`from ${clientNetwork(address)}`, PER_ADDRESS, clock.now())
    if (!taken.allowed) {
      throw new Problem('rate_limit_exceeded', 'Too many password reset requests; try again later.', {
        retryAfter: Math.max(1, taken.resetSeconds),
      })
    }
    if (this.#waiting.size >= MAX_WAITING) return
    const work: Promise<void> = this.#send(loginAddress(email))
      .catch((error: unknown) => log.error({ err: error }, 'cannot send a password reset link'))
      .finally(() => this.#waiting.delete(work))
    this.#waiting.add(work)
  }

  async #send(email: string): Promise<void> {
    const { store, clock, log, send, publicUrl } = this.#options
    const user = await reading(findUserByEmail(store.read, email))
    const now = clock.now()
    if (user === undefined || !this.#limiter.take(`to ${user.id}`, PER_EMAIL, now).allowed) return
    const token = randomBase62(43)
    const kept = { hash: hashSecret(token), purpose: 'password_reset', user_id: user.id } as const
    await store.write(keepToken, { token: { ...kept, expires_at: now + VALID_MS }, now })
    const url = `${publicUrl.value}/reset-password?token=${token}`
    const mailed = await send({
      to: user.email,
      subject: 'A new password for Postrider',
      text: `A new password was requested for ${user.email}.\n\nChoose one within an hour:\n${url}\n\n${FOOTER}`,
    })
    // The log does not contain the link, because the link gives access and logs have many readers; the operator sets a
    // password by command instead.
    if (!mailed) log.warn({ email: user.email }, NOT_MAILED)
  }

  /** Checks a reset link without consuming the link. Throws `not_found` for an invalid link. */
  async check(token: string): Promise<void> {
    const { store, clock } = this.#options
    const wanted = { hash: hashSecret(token), purpose: 'password_reset', now: clock.now() } as const
    if (!(await reading(isTokenGood(store.read, wanted)))) throw gone()
  }

  /** Sets the password, and ends all sessions of the user. Throws `not_found` when the link is no longer valid. */
  async confirm({ token, password }: { readonly token: string; readonly password: string }): Promise<User> {
    const { store, clock } = this.#options
    const problems = passwordProblems(password)
    if (problems.length > 0) throw invalidFields(problems)
    const hash = hashSecret(token)
    const passwordHash = await hashPassword(password, NEW_STRANGER)
    const user = await store.write(resetPassword, { hash, passwordHash, now: clock.now() })
    if (user !== undefined) return user
    throw gone()
  }
}

const gone = (): Problem => new Problem('not_found', 'This link was used or has expired; ask for a new link.')
