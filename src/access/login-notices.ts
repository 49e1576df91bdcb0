// Mails to people whose way in has changed, or was a rare one: whoever it was not learns of it, and what to do.

import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { User } from '../store/accounts.ts'
import type { SendOwnMail } from './own-mail.ts'

/** What has happened: the subject of the mail. */
const CHANGES = {
  password: 'Your password for Postrider was changed',
  passkey_added: 'A passkey was added to your login to Postrider',
  passkey_removed: 'A passkey was removed from your login to Postrider',
  totp_on: 'An authenticator app was set up for your login to Postrider',
  totp_off: 'The authenticator app was removed from your login to Postrider',
  recovery_code_used: 'A recovery code was used for your login to Postrider',
  recovery_codes: 'New recovery codes were made for your login to Postrider',
} as const

export interface LoginNoticesOptions {
  readonly clock: Clock
  readonly log: Log
  readonly send: SendOwnMail
  /** Under which people reach the dashboard. */
  readonly publicUrl: () => string
}

/** Sends them. Nobody waits for it, and no change fails because its mail does. */
export class LoginNotices implements Part {
  readonly name = 'notices of changed logins'
  readonly #options: LoginNoticesOptions
  readonly #waiting = new Set<Promise<void>>()

  constructor(options: LoginNoticesOptions) {
    this.#options = options
  }

  async stop(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  /** @param address where the change was made from */
  tell(user: Pick<User, 'email'>, change: keyof typeof CHANGES, address: string): void {
    const { log } = this.#options
    const work: Promise<void> = this.#send(user.email, CHANGES[change], address)
      .catch((error: unknown) => log.error({ err: error, change }, 'cannot tell of a changed login'))
      .finally(() => this.#waiting.delete(work))
    this.#waiting.add(work)
  }

  async #send(email: string, subject: string, address: string): Promise<void> {
    const { clock, log, send, publicUrl } = this.#options
    const at = new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')
    const text = [
      `${subject}.`,
      `Login: ${email}\nTime: ${at} UTC\nFrom: ${address}`,
      'If this was you, there is nothing to do.',
      `If not, choose a new password at once; that logs out everybody who is in as you:\n${publicUrl()}/forgotten-password`,
      `Then remove every passkey and authenticator that is not yours:\n${publicUrl()}/account/profile`,
    ]
    if (!(await send({ to: email, subject, text: `${text.join('\n\n')}\n` }))) {
      log.warn({ email, address }, subject)
    }
  }
}
