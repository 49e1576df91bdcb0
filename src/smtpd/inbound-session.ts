// A session at the inbound door: mail for a return path that we made, or for the operator, and for nobody else.

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Addressee } from '../bounces/addressee.ts'
import type { BounceReception } from '../bounces/receive.ts'
import type { Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { findBareNewline } from '../mime/raw-message.ts'
import type { Reply } from '../model/reply.ts'
import { clientNetwork } from './connection-caps.ts'
import { readReversePath } from './mail-from.ts'
import { addRecipient, readRcptTo } from './rcpt-to.ts'
import { Refusal, replyWith } from './replies.ts'
import { type Door, Session, type SessionSettings } from './session.ts'

/** How much of something one client network may do. */
export interface Allowance {
  readonly limiter: RateLimiter
  readonly rate: Rate
}

/** What inbound sessions have in common. */
export interface InboundSettings extends SessionSettings {
  readonly bounces: BounceReception
  readonly returnPathHost: string
  /** Addresses that are nobody's. */
  readonly strangers: Allowance
  readonly mails: Allowance
}

interface Transaction {
  readonly from: string
  readonly smtpUtf8: boolean
  /** By address, each once. */
  readonly addressees: Map<string, Addressee>
}

const OK = replyWith(250, '2.1.0', 'Ok')
const RECIPIENT_OK = replyWith(250, '2.1.5', 'Ok')
const TAKEN = replyWith(250, '2.0.0', 'Ok')

/** RFC 5321 without a login. Whatever stands for a sender is taken: not all bounces come from nobody. */
export class InboundSession extends Session {
  readonly #settings: InboundSettings
  #transaction: Transaction | undefined

  constructor(
    settings: InboundSettings,
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
    return this.#transaction?.addressees.size ?? 0
  }

  /** RSET, EHLO, TLS and the end of a message end the transaction. */
  override _resetSession(): void {
    super._resetSession()
    this.#transaction = undefined
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
    ]
  }

  protected override async message(content: Buffer): Promise<Reply> {
    const transaction = this.#transaction
    if (transaction === undefined) throw new Error('a message without a transaction')
    // SMTP smuggling: what is refused here was no message of its own at the host that sent it.
    const problem = findBareNewline(content)
    if (problem !== undefined) throw new Refusal(550, '5.6.0', problem)
    const { from, addressees } = transaction
    await this.#settings.bounces.receive({ from, addressees, content })
    return TAKEN
  }

  #mailFrom(line: Buffer): Reply {
    if (this.#transaction !== undefined) throw new Refusal(503, '5.5.1', 'A transaction is under way')
    const { path, smtpUtf8 } = readReversePath(line, this.#settings.maxMessageBytes)
    if (!this.#allows(this.#settings.mails, 1)) {
      throw new Refusal(451, '4.7.1', 'Too many messages from your address; please try again later')
    }
    this.#transaction = { from: path, smtpUtf8, addressees: new Map() }
    return OK
  }

  async #rcptTo(line: Buffer): Promise<Reply> {
    const transaction = this.#transaction
    if (transaction === undefined) throw new Refusal(503, '5.5.1', 'Say MAIL first')
    const { bounces, returnPathHost, limits, strangers } = this.#settings
    if (!this.#allows(strangers, 0)) {
      throw new Refusal(421, '4.7.0', 'Too many unknown recipients from your address')
    }
    const address = readRcptTo(line, transaction.smtpUtf8, returnPathHost)
    const addressee = await bounces.addressee(address)
    if (addressee === undefined) {
      this.#allows(strangers, 1)
      // One answer, whether the token was made up, the message is gone, or nobody ever had that address.
      throw new Refusal(550, '5.1.1', 'There is no such address here')
    }
    addRecipient(transaction.addressees, address, addressee, limits.recipients)
    return RECIPIENT_OK
  }

  /** Takes `cost` of what the client's network may do; with 0 it only asks whether there is any left. */
  #allows({ limiter, rate }: Allowance, cost: number): boolean {
    const { allowed, remaining } = limiter.take(
      clientNetwork(this.remoteAddress),
      rate,
      this.#settings.clock.now(),
      cost,
    )
    return cost === 0 ? remaining >= 1 : allowed
  }
}
