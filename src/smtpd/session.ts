// The session of one SMTP client: the order of the commands, and the effect and the reply of each command. `dialog.ts`
// decides each 421 for time, noise and stopping.

import type { Clock } from '../lib/clock.ts'
import { type ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import type { Log } from '../lib/log.ts'
import type { Reply } from '../model/reply.ts'
import type { Slot, Standing } from './connection-slots.ts'
import { addRecipient, pathIn } from './envelope-commands.ts'
import type { SmtpLimits } from './limits.ts'
import type { ListenerRules, MailTransaction } from './listener-rules.ts'
import { MessageBuffer } from './message-buffer.ts'
import { Refusal, replyOfProblem, replyWith, UNFORESEEN } from './replies.ts'
import { exchange, MECHANISMS } from './sasl.ts'

/** Settings and counters that all sessions of a port share. */
export interface SessionSettings {
  /** The name of this installation in greetings. */
  readonly hostName: string
  readonly limits: SmtpLimits
  readonly maxMessageBytes: number
  /** Memory for the messages that are being received. */
  readonly memory: ContentMemory
  readonly clock: Clock
  readonly log: Log
}

/**
 * Communication with the client in addition to commands and replies. Each call throws `ClientGone` when the connection
 * ends.
 */
export interface Exchange {
  /** True if the connection uses TLS. */
  readonly secure: boolean
  /** Sends a challenge of AUTH and returns the client's response. */
  ask(challenge: string): Promise<string>
  /** Sends a reply, then begins TLS. */
  beginTls(ready: Reply): Promise<void>
  /** Asks for the message and reads it to its end; returns false if the client has disconnected. */
  receive(message: MessageBuffer): Promise<boolean>
}

/** Error that ends a dialog after the client has disconnected. */
export class ClientGone extends Error {}

/** The reply to a command, with several lines for EHLO; undefined if the reply has already been sent. */
export type Answer = Reply | { readonly code: number; readonly lines: readonly string[] } | undefined

const READY_FOR_TLS = replyWith(220, '2.0.0', 'Ready to start TLS')
const BYE = replyWith(221, '2.0.0', 'Bye')
const HELP = replyWith(214, '2.0.0', 'See https://tools.ietf.org/html/rfc5321 for details')
const LOGGED_IN = replyWith(235, '2.7.0', 'Logged in')
const OK = replyWith(250, '2.0.0', 'OK')
const FLUSHED = replyWith(250, '2.0.0', 'Flushed')
const SENDER_OK = replyWith(250, '2.1.0', 'Ok')
const RECIPIENT_OK = replyWith(250, '2.1.5', 'Ok')
const NOT_VERIFIED = replyWith(252, '2.0.0', 'Not verified here; send a message and see')

const VERBS: ReadonlySet<string> = new Set(
  'EHLO HELO STARTTLS AUTH MAIL RCPT DATA RSET NOOP HELP VRFY EXPN QUIT'.split(' '),
)

/** The session of one client, from the greeting to the end. */
export class Session<From, To> {
  readonly #settings: SessionSettings
  readonly #rules: ListenerRules<From, To>
  readonly #slot: Slot
  readonly #exchange: Exchange
  /** The name given in EHLO or HELO; forgotten when TLS begins. */
  #clientName: string | undefined
  #transaction: MailTransaction<From, To> | undefined
  /**
   * Error of the last MAIL that was refused; a client with pipelining sends the recipients before it knows of the
   * refusal (RFC 2920 §3.1).
   */
  #refusedMail: unknown
  /** State of the transaction's message: being received, or received and being stored. */
  #message: 'receiving' | 'accepted' | undefined

  constructor(settings: SessionSettings, rules: ListenerRules<From, To>, slot: Slot, exchange: Exchange) {
    this.#settings = settings
    this.#rules = rules
    this.#slot = slot
    this.#exchange = exchange
  }

  /** True during a transaction; a stopping service waits for the end of the transaction. */
  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  /** Returns the strength of the client's claim to its slot. */
  get standing(): Standing {
    const { loggedIn } = this.#rules
    if (this.#message !== undefined) return this.#message === 'receiving' ? 'settled' : 'accepted'
    if (this.#transaction === undefined || this.#transaction.recipients.size === 0) {
      return loggedIn ? 'member' : 'idle'
    }
    return loggedIn ? 'settled' : 'busy'
  }

  /** True if this port supports the command. */
  knows(verb: string): boolean {
    return VERBS.has(verb) && (verb !== 'AUTH' || this.#rules.logIn !== undefined)
  }

  /** Executes a command that the port supports. Throws `Refusal` or `Problem` to refuse. */
  execute(verb: string, line: Buffer): Answer | Promise<Answer> {
    switch (verb) {
      case 'EHLO':
        return this.#ehlo(line)
      case 'HELO':
        return this.#helo(line)
      case 'STARTTLS':
        return this.#startTls(line)
      case 'AUTH':
        return this.#auth(line)
      case 'MAIL':
        return this.#mail(line)
      case 'RCPT':
        return this.#rcpt(line)
      case 'DATA':
        return this.#data(line)
      case 'RSET':
        this.#endTransaction()
        return FLUSHED
      case 'NOOP':
        return OK
      case 'HELP':
        return HELP
      case 'QUIT':
        return BYE
      default:
        // Reply 252 to VRFY and EXPN does not reveal whether an address exists (RFC 5321 §3.5.3).
        return NOT_VERIFIED
    }
  }

  /** Ends the transaction, and lists the extensions (RFC 5321 §4.1.1.1). */
  #ehlo(line: Buffer): Answer {
    this.#greet(line)
    const { hostName, maxMessageBytes } = this.#settings
    const keywords = ['PIPELINING', `SIZE ${maxMessageBytes}`, '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
    if (!this.#exchange.secure) keywords.push('STARTTLS')
    else if (this.#rules.logIn !== undefined && !this.#rules.loggedIn)
      keywords.push(`AUTH ${MECHANISMS.join(' ')}`)
    return { code: 250, lines: [hostName, ...keywords] }
  }

  #helo(line: Buffer): Answer {
    this.#greet(line)
    return { code: 250, lines: [this.#settings.hostName] }
  }

  /**
   * Reads the client's name. Only the first word counts, because some devices send free text (`EHLO Laser Printer`).
   */
  #greet(line: Buffer): void {
    const [verb, name] = line.toString().trim().split(/ +/)
    if (name === undefined || name.length > 255) {
      throw new Refusal(501, '5.5.4', `Send ${verb?.toUpperCase()} with one host name`)
    }
    this.#clientName = name
    this.#endTransaction()
  }

  /** Begins TLS and forgets all earlier input of the client (RFC 3207 §4). A login is possible only under TLS. */
  async #startTls(line: Buffer): Promise<undefined> {
    if (line.toString('latin1').trim().length > 'STARTTLS'.length) {
      throw new Refusal(501, '5.5.4', 'STARTTLS takes no arguments')
    }
    if (this.#exchange.secure) throw new Refusal(503, '5.5.1', 'TLS is already in use')
    this.#transaction = undefined
    this.#clientName = undefined
    await this.#exchange.beginTls(READY_FOR_TLS)
  }

  /** Logs the client in: only under TLS, once, and not within a transaction (RFC 4954 §4). */
  async #auth(line: Buffer): Promise<Reply> {
    this.#requireGreeting()
    if (!this.#exchange.secure) throw new Refusal(538, '5.7.11', 'Encryption first: send STARTTLS')
    if (this.#rules.loggedIn) throw new Refusal(503, '5.5.1', 'You have already logged in')
    this.#requireNoTransaction()
    await this.#rules.logIn?.(await exchange(line, (challenge) => this.#exchange.ask(challenge)))
    return LOGGED_IN
  }

  /** Begins a transaction (RFC 5321 §4.1.1.2). */
  async #mail(line: Buffer): Promise<Reply> {
    const helo = this.#requireGreeting()
    this.#requireLogin()
    this.#requireNoTransaction()
    this.#refusedMail = undefined
    try {
      const sender = await this.#rules.sender(line)
      this.#transaction = { ...sender, helo, recipients: new Map() }
    } catch (error) {
      this.#refusedMail = error
      throw error
    }
    return SENDER_OK
  }

  /** Adds a recipient to the transaction (RFC 5321 §4.1.1.3). */
  async #rcpt(line: Buffer): Promise<Reply> {
    try {
      return await this.#addRecipient(line)
    } catch (error) {
      const path = pathIn('RCPT', line)
      const isOfMail = this.#transaction === undefined && this.#refusedMail !== undefined
      if (path !== undefined) {
        this.#noteRefusal(isOfMail ? 'MAIL' : 'RCPT', isOfMail ? this.#refusedMail : error, [path])
      }
      throw error
    }
  }

  async #addRecipient(line: Buffer): Promise<Reply> {
    this.#requireGreeting()
    this.#requireLogin()
    const transaction = this.#transaction
    if (transaction === undefined) throw new Refusal(503, '5.5.1', 'Say MAIL first')
    const { address, to } = await this.#rules.recipient(line, transaction)
    addRecipient(transaction.recipients, address, to, this.#settings.limits.recipients)
    return RECIPIENT_OK
  }

  /** Receives a message (RFC 5321 §4.1.1.4); throws `Refusal` unless a recipient was accepted. */
  async #data(line: Buffer): Promise<Reply> {
    this.#requireGreeting()
    this.#requireLogin()
    if (line.toString('latin1').trim().length > 'DATA'.length) {
      throw new Refusal(501, '5.5.4', 'DATA takes no arguments')
    }
    const transaction = this.#transaction
    if (transaction === undefined || transaction.recipients.size === 0) {
      throw new Refusal(503, '5.5.1', 'Say MAIL and RCPT first')
    }
    const { memory, maxMessageBytes } = this.#settings
    const held = new HeldMemory(memory, this.#rules.owner)
    const message = new MessageBuffer(held, maxMessageBytes, transaction.size)
    try {
      this.#become('receiving')
      const whole = await this.#exchange.receive(message)
      this.#become('accepted')
      // A client that has disconnected will send the message again, so this copy must not be kept (RFC 1047).
      if (!whole) throw new ClientGone()
      return await this.#rules.take(message.content(), transaction)
    } catch (error) {
      this.#noteRefusal('DATA', error, [...transaction.recipients.keys()])
      throw error
    } finally {
      message.release()
      this.#message = undefined
      this.#transaction = undefined
    }
  }

  #noteRefusal(verb: 'MAIL' | 'RCPT' | 'DATA', cause: unknown, recipients: readonly string[]): void {
    if (cause instanceof ClientGone) return
    this.#rules.refused?.({ verb, reply: replyOfProblem(cause) ?? UNFORESEEN, cause, recipients })
  }

  #endTransaction(): void {
    this.#transaction = undefined
    this.#refusedMail = undefined
  }

  #become(message: 'receiving' | 'accepted'): void {
    this.#message = message
    this.#slot.heard(this.standing)
  }

  /** Returns the name in the greeting of the client; throws `Refusal` if there was no greeting. */
  #requireGreeting(): string {
    if (this.#clientName === undefined) throw new Refusal(503, '5.5.1', 'Say HELO or EHLO first')
    return this.#clientName
  }

  #requireLogin(): void {
    if (this.#rules.logIn === undefined || this.#rules.loggedIn) return
    throw new Refusal(530, '5.7.0', 'Log in first: STARTTLS, then AUTH')
  }

  #requireNoTransaction(): void {
    if (this.inTransaction) throw new Refusal(503, '5.5.1', 'A transaction is under way')
  }
}
