// A session at the submission door: log in, MAIL, RCPT, message; everything it learns is its own.

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Address } from '../model/address.ts'
import type { Reply } from '../model/reply.ts'
import { authorize } from '../submission/authorize.ts'
import type { Submission } from '../submission/submit.ts'
import type { Authenticator, Login } from './authenticate.ts'
import { readMailFrom } from './mail-from.ts'
import { addRecipient, readRcptTo } from './rcpt-to.ts'
import { Refusal, replyWith } from './replies.ts'
import { exchange, MECHANISMS } from './sasl.ts'
import { type Door, Session, type SessionSettings } from './session.ts'
import { readSubmission } from './submitted-message.ts'

/** What submission sessions have in common. */
export interface SubmissionSettings extends SessionSettings {
  readonly authenticator: Authenticator
  readonly submission: Submission
}

interface Transaction {
  readonly from: Address
  readonly smtpUtf8: boolean
  /** By address, each once. */
  readonly recipients: Map<string, Address>
}

const OK = replyWith(250, '2.1.0', 'Ok')
const RECIPIENT_OK = replyWith(250, '2.1.5', 'Ok')
const LOGGED_IN = replyWith(235, '2.7.0', 'Logged in')

/** RFC 6409 on the library's connection. The login is the library's `session.user`, which STARTTLS forgets. */
export class SubmissionSession extends Session {
  readonly #settings: SubmissionSettings
  #transaction: Transaction | undefined
  #failedLogins = 0

  constructor(
    settings: SubmissionSettings,
    door: Door,
    socket: Socket | TLSSocket,
    options: SMTPConnectionOptions | null | undefined,
  ) {
    super(settings, door, socket, options)
    this.#settings = settings
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  protected override get recipientCount(): number {
    return this.#transaction?.recipients.size ?? 0
  }

  /** RSET, EHLO, TLS and the end of a message end the transaction. */
  override _resetSession(): void {
    super._resetSession()
    this.#transaction = undefined
  }

  override handler_AUTH(line: Buffer, resume: () => void): void {
    void this.answer(() => this.#logIn(line), resume)
  }

  override handler_MAIL(line: Buffer, resume: () => void): void {
    void this.answer(() => this.#mailFrom(line), resume)
  }

  override handler_RCPT(line: Buffer, resume: () => void): void {
    void this.answer(() => this.#rcptTo(line), resume)
  }

  protected override extensions(): string[] {
    return [
      'PIPELINING',
      `SIZE ${this.#settings.maxMessageBytes}`,
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      ...(this.secure && this.#login === undefined ? [`AUTH ${MECHANISMS.join(' ')}`] : []),
    ]
  }

  protected override async message(content: Buffer): Promise<Reply> {
    const transaction = this.#transaction
    if (transaction === undefined) throw new Error('a message without a transaction')
    // Again, since a long message leaves time for a revocation.
    const sender = await this.#loggedIn().sender()
    const message = readSubmission(content, sender.domainName, [...transaction.recipients.values()], {
      hostName: this.name,
      smtpUtf8: transaction.smtpUtf8,
      at: this.#settings.clock.now(),
    })
    const { message_id: id } = await this.#settings.submission.submitMime(sender, message)
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
    if (this.#transaction !== undefined) throw new Refusal(503, '5.5.1', 'A transaction is under way')
    try {
      const given = await exchange(line, (challenge) => this.ask(challenge))
      this.session.user = await this.#settings.authenticator.login(given, this.remoteAddress)
      return LOGGED_IN
    } catch (error) {
      if (error instanceof Refusal && error.reply.code === 535) return this.#failedLogin(error.reply)
      throw error
    }
  }

  /** Guessing gets slow, and ends. */
  async #failedLogin(reply: Reply): Promise<Reply> {
    const { clock, limits } = this.#settings
    this.#failedLogins++
    if (this.#failedLogins >= limits.slowLogins) {
      await new Promise<void>((resolve) => clock.after(limits.loginDelayMs, resolve))
    }
    return this.#failedLogins < limits.failedLogins
      ? reply
      : replyWith(421, '4.7.0', 'Too many failed logins')
  }

  async #mailFrom(line: Buffer): Promise<Reply> {
    if (this.#transaction !== undefined) throw new Refusal(503, '5.5.1', 'A transaction is under way')
    const { from, smtpUtf8 } = readMailFrom(line, this.#settings.maxMessageBytes)
    try {
      authorize(await this.#loggedIn().beginMessage(), from)
    } catch (error) {
      // A login that is no longer good makes room for another one.
      if (error instanceof Refusal && error.reply.code === 530) this.session.user = undefined
      throw error
    }
    this.#transaction = { from, smtpUtf8, recipients: new Map() }
    return OK
  }

  #rcptTo(line: Buffer): Reply {
    const transaction = this.#transaction
    if (transaction === undefined) throw new Refusal(503, '5.5.1', 'Say MAIL first')
    const address = readRcptTo(line, transaction.smtpUtf8)
    addRecipient(transaction.recipients, address, address, this.#settings.limits.recipients)
    return RECIPIENT_OK
  }
}
