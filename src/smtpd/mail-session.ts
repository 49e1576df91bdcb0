// The transaction of a session at any door: MAIL, then RCPT for each recipient, then the message.

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Address } from '../model/address.ts'
import type { Reply } from '../model/reply.ts'
import { addRecipient } from './rcpt-to.ts'
import { Refusal, replyWith } from './replies.ts'
import { type Door, Session, type SessionSettings } from './session.ts'

/** Whom MAIL named. */
export interface Sender<From> {
  readonly from: From
  readonly smtpUtf8: boolean
}

/** Whom RCPT named, and what is known of them. */
export interface Recipient<To> {
  readonly address: Address
  readonly to: To
}

/** The sender and the recipients of a message, each address once. */
export interface Transaction<From, To> extends Sender<From> {
  readonly recipients: Map<string, To>
}

const OK = replyWith(250, '2.1.0', 'Ok')
const RECIPIENT_OK = replyWith(250, '2.1.5', 'Ok')

/** RFC 5321 §3.3. Subclasses say who may be the sender, who a recipient, and what becomes of the message. */
export abstract class MailSession<Settings extends SessionSettings, From, To> extends Session {
  protected override readonly settings: Settings
  #transaction: Transaction<From, To> | undefined

  constructor(
    settings: Settings,
    door: Door,
    socket: Socket | TLSSocket,
    options: SMTPConnectionOptions | null | undefined,
  ) {
    super(settings, door, socket, options)
    this.settings = settings
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  protected override get recipientCount(): number {
    return this.#transaction?.recipients.size ?? 0
  }

  /** The sender that MAIL names; throws `Refusal` for one that may not send here. */
  protected abstract sender(line: Buffer): Sender<From> | Promise<Sender<From>>

  /** The recipient that RCPT names; throws `Refusal` for one that is nobody. */
  protected abstract recipient(line: Buffer, smtpUtf8: boolean): Recipient<To> | Promise<Recipient<To>>

  /** What becomes of a message that was received in full. */
  protected abstract take(content: Buffer, transaction: Transaction<From, To>): Promise<Reply>

  /** RSET, EHLO, TLS and the end of a message end the transaction. */
  override _resetSession(): void {
    super._resetSession()
    this.#transaction = undefined
  }

  override handler_MAIL(line: Buffer, resume: () => void): void {
    void this.answer(async () => {
      this.requireNoTransaction()
      this.#transaction = { ...(await this.sender(line)), recipients: new Map() }
      return OK
    }, resume)
  }

  override handler_RCPT(line: Buffer, resume: () => void): void {
    void this.answer(async () => {
      const transaction = this.#transaction
      if (transaction === undefined) throw new Refusal(503, '5.5.1', 'Say MAIL first')
      const { address, to } = await this.recipient(line, transaction.smtpUtf8)
      addRecipient(transaction.recipients, address, to, this.settings.limits.recipients)
      return RECIPIENT_OK
    }, resume)
  }

  protected override extensions(): string[] {
    return [
      'PIPELINING',
      `SIZE ${this.settings.maxMessageBytes}`,
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
    ]
  }

  protected override message(content: Buffer): Promise<Reply> {
    if (this.#transaction === undefined) throw new Error('a message without a transaction')
    return this.take(content, this.#transaction)
  }

  protected requireNoTransaction(): void {
    if (this.inTransaction) throw new Refusal(503, '5.5.1', 'A transaction is under way')
  }
}
