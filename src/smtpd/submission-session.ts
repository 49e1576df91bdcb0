// A session at the submission door: log in, MAIL, RCPT, message; everything it learns is its own.

import type { Address } from '../model/address.ts'
import type { Reply } from '../model/reply.ts'
import { authorize } from '../submission/authorize.ts'
import type { Submission } from '../submission/submit.ts'
import type { Authenticator, Login } from './authenticate.ts'
import { readMailFrom } from './mail-from.ts'
import { MailSession, type Recipient, type Sender, type Transaction } from './mail-session.ts'
import { readRcptTo } from './rcpt-to.ts'
import { Refusal, replyWith } from './replies.ts'
import { exchange, MECHANISMS } from './sasl.ts'
import type { SessionSettings } from './session.ts'
import { readSubmission } from './submitted-message.ts'

/** What submission sessions have in common. */
export interface SubmissionSettings extends SessionSettings {
  readonly authenticator: Authenticator
  readonly submission: Submission
}

const LOGGED_IN = replyWith(235, '2.7.0', 'Logged in')

/** RFC 6409 on the library's connection. The login is the library's `session.user`, which STARTTLS forgets. */
export class SubmissionSession extends MailSession<SubmissionSettings, Address, Address> {
  #failedLogins = 0

  override handler_AUTH(line: Buffer, resume: () => void): void {
    void this.answer(() => this.#logIn(line), resume)
  }

  protected override extensions(): string[] {
    const mayLogIn = this.secure && this.#login === undefined
    return [...super.extensions(), ...(mayLogIn ? [`AUTH ${MECHANISMS.join(' ')}`] : [])]
  }

  protected override async take(
    content: Buffer,
    { recipients, smtpUtf8 }: Transaction<Address, Address>,
  ): Promise<Reply> {
    // Again, since a long message leaves time for a revocation.
    const sender = await this.#loggedIn().sender()
    const message = readSubmission(content, sender.domainName, [...recipients.values()], {
      hostName: this.name,
      smtpUtf8,
      at: this.settings.clock.now(),
    })
    const { message_id: id } = await this.settings.submission.submitMime(sender, message)
    return replyWith(250, '2.0.0', `Ok: queued as ${id}`)
  }

  get #login(): Login | undefined {
    return this.session.user || undefined
  }

  #loggedIn(): Login {
    const login = this.#login
    if (login === undefined) throw new Refusal(530, '5.7.0', 'Log in first: STARTTLS, then AUTH')
    return login
  }

  async #logIn(line: Buffer): Promise<Reply> {
    if (!this.secure) throw new Refusal(538, '5.7.11', 'Encryption first: send STARTTLS')
    // RFC 4954 §4: once, and not within a transaction.
    if (this.#login !== undefined) throw new Refusal(503, '5.5.1', 'You have logged in already')
    this.requireNoTransaction()
    try {
      const given = await exchange(line, (challenge) => this.ask(challenge))
      this.session.user = await this.settings.authenticator.login(given, this.remoteAddress)
      return LOGGED_IN
    } catch (error) {
      if (error instanceof Refusal && error.reply.code === 535) return this.#failedLogin(error.reply)
      throw error
    }
  }

  /** Guessing gets slow, and ends. */
  async #failedLogin(reply: Reply): Promise<Reply> {
    const { clock, limits } = this.settings
    this.#failedLogins++
    if (this.#failedLogins >= limits.slowLogins) {
      await new Promise<void>((resolve) => clock.after(limits.loginDelayMs, resolve))
    }
    return this.#failedLogins < limits.failedLogins
      ? reply
      : replyWith(421, '4.7.0', 'Too many failed logins')
  }

  protected override async sender(line: Buffer): Promise<Sender<Address>> {
    const sender = readMailFrom(line, this.settings.maxMessageBytes)
    try {
      authorize(await this.#loggedIn().beginMessage(), sender.from)
    } catch (error) {
      // A login that is no longer good makes room for another one.
      if (error instanceof Refusal && error.reply.code === 530) this.session.user = undefined
      throw error
    }
    return sender
  }

  protected override recipient(line: Buffer, smtpUtf8: boolean): Recipient<Address> {
    const address = readRcptTo(line, smtpUtf8)
    return { address, to: address }
  }
}
