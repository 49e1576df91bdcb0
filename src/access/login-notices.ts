// Sends mail to users about changes of their login, and to owners about changes of access to their account.

import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { inMail, type SendServiceMail } from '../model/service-mail.ts'
import type { User } from '../store/access/accounts.ts'
import { listOwners } from '../store/access/people.ts'
import { type Read, reading } from '../store/database/store.ts'

/** Subject of the mail about each change of a login. */
const CHANGES = {
  password: 'Your password for Postrider was changed',
  passkey_added: 'A passkey was added to your login to Postrider',
  passkey_removed: 'A passkey was removed from your login to Postrider',
  totp_on: 'An authenticator app was set up for your login to Postrider',
  totp_off: 'The authenticator app was removed from your login to Postrider',
  recovery_code_used: 'A recovery code was used for your login to Postrider',
  recovery_codes: 'New recovery codes were created for your login to Postrider',
} as const

/** Subject of the mail to the owners about each change of access to an account. */
const ACCESS_CHANGES = {
  invited: 'A user was invited to your account on Postrider',
  joined: 'A user has joined your account on Postrider',
  role: 'The role of a user in your account on Postrider was changed',
  removed: 'A user was removed from your account on Postrider',
  key: 'A key was created in your account on Postrider',
  renamed: 'Your account on Postrider was renamed',
  data: 'Data of your account on Postrider was made available elsewhere',
  destruction: 'Data of your account on Postrider was deleted',
} as const

/**
 * Maximum rate of mails about deletions by one login, so that a clean-up causes one mail instead of thirty; the audit
 * log contains every deletion.
 */
const DESTRUCTIONS: Rate = { count: 1, perMs: 10 * 60_000 }

/** Change of permissions in an account, or of the data of an account. */
export interface AccessChange {
  readonly accountId: string
  readonly change: keyof typeof ACCESS_CHANGES
  /** Object of the change, such as a user's address with the new role. */
  readonly subject: string
  /** Login of the user who made the change. */
  readonly by: string
  /** IP address of the client that made the change. */
  readonly address: string
  /** Affected user, who also gets the mail. */
  readonly affected?: string | undefined
}

export interface LoginNoticesOptions {
  readonly read: Read
  readonly clock: Clock
  readonly log: Log
  readonly send: SendServiceMail
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
}

/** Mails notices in the background; a change succeeds even if its notice cannot be sent. */
export class LoginNotices implements Part {
  readonly name = 'login notices'
  readonly #options: LoginNoticesOptions
  readonly #waiting = new Set<Promise<void>>()
  readonly #destructions = new RateLimiter()

  constructor(options: LoginNoticesOptions) {
    this.#options = options
  }

  async stop(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  /**
   * Mails a user about a change of their own login.
   * @param address IP address of the client that made the change
   */
  tell(user: Pick<User, 'email'>, change: keyof typeof CHANGES, address: string): void {
    const url = this.#options.publicUrl.value
    this.#begin(change, () =>
      this.#send(user.email, CHANGES[change], [
        `Login: ${user.email}\nTime: ${this.#time()} UTC\nFrom: ${address}`,
        'If this was you, there is nothing to do.',
        `If not, choose a new password at once; this ends all sessions of your user:\n${url}/forgotten-password`,
        `Then remove every passkey and authenticator that is not yours:\n${url}/account/profile`,
      ]),
    )
  }

  /** Mails the owners of an account, and the affected user, about a change of permissions or data. */
  tellOwners({ accountId, change, subject, by, address, affected }: AccessChange): void {
    const url = this.#options.publicUrl.value
    const isFurther =
      change === 'destruction' &&
      !this.#destructions.take(`${accountId} ${by}`, DESTRUCTIONS, this.#options.clock.now()).allowed
    if (isFurther) return
    const time = this.#time()
    this.#begin(change, async () => {
      const owners = await reading(listOwners(this.#options.read, accountId))
      const to = new Set(affected === undefined ? owners : [...owners, affected])
      const text = [
        `What: ${inMail(subject)}\nBy: ${inMail(by)}\nTime: ${time} UTC\nFrom: ${address}`,
        'If this was expected, there is nothing to do.',
        `If not, check the users, keys and webhooks of the account and its audit log:\n${url}/account/users`,
      ]
      await Promise.all([...to].map((email) => this.#send(email, ACCESS_CHANGES[change], text)))
    })
  }

  #begin(change: string, send: () => Promise<void>): void {
    const { log } = this.#options
    const work: Promise<void> = send()
      .catch((error: unknown) => log.error({ err: error, change }, 'cannot send a login notice'))
      .finally(() => this.#waiting.delete(work))
    this.#waiting.add(work)
  }

  #time(): string {
    return new Date(this.#options.clock.now()).toISOString().slice(0, 16).replace('T', ' ')
  }

  async #send(email: string, subject: string, paragraphs: readonly string[]): Promise<void> {
    const { log, send } = this.#options
    const text = `${[`${subject}.`, ...paragraphs].join('\n\n')}\n`
    if (!(await send({ to: email, subject, text }))) log.warn({ email }, subject)
  }
}
