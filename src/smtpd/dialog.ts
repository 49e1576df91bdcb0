// The SMTP dialog with one client, from the greeting to the end: which command may come when, and what answers it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import { Deadline } from '../lib/deadline.ts'
import type { Log } from '../lib/log.ts'
import type { MemoryBudget } from '../lib/memory-budget.ts'
import type { Reply } from '../model/reply.ts'
import type { ClientConnection, CommandInput } from './client-connection.ts'
import { BARE_NEWLINE, faultOf, TOO_LONG, verbOf } from './command-line.ts'
import type { Slot, Standing } from './connection-slots.ts'
import { ErrorLimits } from './error-limits.ts'
import type { SmtpLimits } from './limits.ts'
import type { ListenerRules, MailTransaction } from './listener-rules.ts'
import { MessageBuffer } from './message-buffer.ts'
import { addRecipient } from './rcpt-to.ts'
import { Refusal, replyLines, replyOfProblem, replyWith, UNFORESEEN, wireText } from './replies.ts'
import { exchange, MECHANISMS } from './sasl.ts'

/** Settings and counters that all dialogs of a door share. */
export interface DialogSettings {
  /** Our name in greetings. */
  readonly hostName: string
  readonly limits: SmtpLimits
  readonly maxMessageBytes: number
  readonly memory: MemoryBudget
  readonly clock: Clock
  readonly log: Log
}

export interface DialogOptions<From, To> {
  readonly settings: DialogSettings
  readonly connection: ClientConnection
  readonly slot: Slot
  readonly rules: ListenerRules<From, To>
  /** TLS from the first octet (RFC 8314 §3.3), else STARTTLS. */
  readonly implicitTls: boolean
  /** The certificate that is in force now. */
  secureContext(): SecureContext
}

const READY_FOR_TLS = replyWith(220, '2.0.0', 'Ready to start TLS')
const BYE = replyWith(221, '2.0.0', 'Bye')
const HELP = replyWith(214, '2.0.0', 'See https://tools.ietf.org/html/rfc5321 for details')
const LOGGED_IN = replyWith(235, '2.7.0', 'Logged in')
const OK = replyWith(250, '2.0.0', 'OK')
const FLUSHED = replyWith(250, '2.0.0', 'Flushed')
const SENDER_OK = replyWith(250, '2.1.0', 'Ok')
const RECIPIENT_OK = replyWith(250, '2.1.5', 'Ok')
const NOT_VERIFIED = replyWith(252, '2.0.0', 'Not verified here; send a message and see')
const CROWDED = replyWith(421, '4.7.0', 'Too many connections, and this one was idle; please try again')
const STOPPING = replyWith(421, '4.3.2', 'The service is stopping; please try again')
const TOO_MUCH_NOISE = replyWith(421, '4.7.0', 'Too many commands without a message')
const TOO_SLOW = replyWith(421, '4.4.2', 'Too slow; closing the connection')
const UNKNOWN = replyWith(500, '5.5.1', 'Unknown command')

const VERBS: ReadonlySet<string> = new Set(
  'EHLO HELO STARTTLS AUTH MAIL RCPT DATA RSET NOOP HELP VRFY EXPN QUIT'.split(' '),
)
/** RFC 2920 §3.1: their replies may wait for those to the commands that came with them. */
const GROUPED: ReadonlySet<string> = new Set(['MAIL', 'RCPT', 'RSET'])

/** After so many lines that came together others get their turn. */
const LINES_PER_TURN = 100
/** Time for a client that gives way to read that. */
const GIVE_WAY_LINGER_MS = 200

/** Ends a dialog whose client is gone. */
class ClientGone extends Error {}

/** One dialog: `run` leads it. The others end it from outside. */
export class Dialog<From, To> {
  readonly #settings: DialogSettings
  readonly #connection: ClientConnection
  readonly #slot: Slot
  readonly #rules: ListenerRules<From, To>
  readonly #options: DialogOptions<From, To>
  readonly #errors: ErrorLimits
  readonly #deadline: Deadline
  /** True after EHLO or HELO; forgotten when TLS begins. */
  #greeted = false
  #transaction: MailTransaction<From, To> | undefined
  /** The message of the transaction: on its way to us, then being stored. */
  #message: 'receiving' | 'accepted' | undefined
  #draining = false

  constructor(options: DialogOptions<From, To>) {
    this.#options = options
    this.#settings = options.settings
    this.#connection = options.connection
    this.#slot = options.slot
    this.#rules = options.rules
    this.#errors = new ErrorLimits(options.settings.limits)
    this.#deadline = new Deadline(options.settings.clock, () => this.#reply(TOO_SLOW))
  }

  /** True while a message is on its way: then the service waits with stopping. */
  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  /** Leads the dialog to its end, and ends the connection. Never throws. */
  async run(): Promise<void> {
    const { hostName, log, limits } = this.#settings
    try {
      if (this.#options.implicitTls) await this.#beginTls(true)
      this.#write(220, '', [`${hostName} ESMTP Postrider`])
      for (let lines = 1; ; lines++) {
        this.#deadline.set(limits.commandMs)
        const input = await this.#connection.readCommand()
        if (input === undefined) break
        this.#deadline.clear()
        await this.#answer(input)
        if (lines % LINES_PER_TURN === 0) await nextTurn()
      }
    } catch (error) {
      if (!(error instanceof ClientGone)) {
        log.error({ err: error, client: this.#connection.address }, 'SMTP dialog failed')
        this.#reply({ ...UNFORESEEN, code: 421 })
      }
    }
    // The client sends no more, and everything it sent has been answered: it may still have to read that.
    this.#connection.end()
    this.#deadline.stop()
  }

  /** Ends the dialog as soon as no transaction is under way. */
  drain(): void {
    this.#draining = true
    if (!this.inTransaction) this.#reply(STOPPING)
  }

  /** Ends the dialog now, and tells the client why. */
  stop(): void {
    this.#reply(STOPPING)
  }

  /** Makes room for another client. */
  giveWay(): void {
    this.#reply(CROWDED, GIVE_WAY_LINGER_MS)
  }

  /** One line of the client and the reply to it. */
  async #answer(input: CommandInput): Promise<void> {
    const verb = typeof input === 'string' ? '' : verbOf(input)
    const fault = this.#faultOf(input, verb, false)
    if (fault !== undefined) return this.#reply(this.#replyToMalformed(fault))
    if (!this.#errors.allows(verb, this.#rules.loggedIn)) return this.#reply(TOO_MUCH_NOISE)
    if (this.#draining && !this.inTransaction) return this.#reply(STOPPING)
    const reply = await this.#replyTo(() => this.#execute(verb, input as Buffer))
    if (reply !== undefined) this.#reply(reply)
    if (this.#draining && !this.inTransaction) return this.#reply(STOPPING)
    if (!GROUPED.has(verb)) this.#connection.flush()
    this.#slot.heard(this.#standing)
  }

  /** The reply to a command; undefined when it has been given already. */
  #execute(verb: string, line: Buffer): Reply | undefined | Promise<Reply | undefined> {
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
        this.#transaction = undefined
        return FLUSHED
      case 'NOOP':
        return OK
      case 'HELP':
        return HELP
      case 'QUIT':
        return BYE
      default:
        // VRFY and EXPN. RFC 5321 §3.5.3: 252 for both, and nothing about who exists.
        return NOT_VERIFIED
    }
  }

  /** RFC 5321 §4.1.1.1: begins anew, and names the extensions. */
  #ehlo(line: Buffer): undefined {
    this.#greet(line)
    const { hostName, maxMessageBytes } = this.#settings
    const { secure } = this.#connection
    const keywords = ['PIPELINING', `SIZE ${maxMessageBytes}`, '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
    if (!secure) keywords.push('STARTTLS')
    else if (this.#rules.logIn !== undefined && !this.#rules.loggedIn)
      keywords.push(`AUTH ${MECHANISMS.join(' ')}`)
    this.#write(250, '', [hostName, ...keywords])
  }

  #helo(line: Buffer): undefined {
    this.#greet(line)
    this.#write(250, '', [this.#settings.hostName])
  }

  #greet(line: Buffer): void {
    const [verb, name, more] = line.toString().trim().split(/ +/)
    if (name === undefined || more !== undefined || name.length > 255) {
      throw new Refusal(501, '5.5.4', `Say ${verb?.toUpperCase()} and one host name`)
    }
    this.#greeted = true
    this.#transaction = undefined
  }

  /** RFC 3207 §4: what was known of the client is forgotten. Nobody has logged in before. */
  async #startTls(line: Buffer): Promise<undefined> {
    if (line.toString('latin1').trim().length > 'STARTTLS'.length) {
      throw new Refusal(501, '5.5.4', 'STARTTLS takes no arguments')
    }
    if (this.#connection.secure) throw new Refusal(503, '5.5.1', 'TLS is in use already')
    this.#transaction = undefined
    this.#greeted = false
    this.#reply(READY_FOR_TLS)
    await this.#beginTls(false)
  }

  async #beginTls(implicit: boolean): Promise<void> {
    this.#deadline.set(this.#settings.limits.handshakeMs)
    const secure = await this.#connection.startTls(this.#options.secureContext(), implicit)
    this.#deadline.clear()
    if (!secure) throw new ClientGone()
  }

  /** RFC 4954 §4: only with TLS, once, and not within a transaction. */
  async #auth(line: Buffer): Promise<Reply> {
    this.#requireGreeting()
    if (!this.#connection.secure) throw new Refusal(538, '5.7.11', 'Encryption first: send STARTTLS')
    if (this.#rules.loggedIn) throw new Refusal(503, '5.5.1', 'You have logged in already')
    this.#requireNoTransaction()
    await this.#rules.logIn?.(await exchange(line, (challenge) => this.#ask(challenge)))
    return LOGGED_IN
  }

  /** Sends a challenge and gives the line that answers it. */
  async #ask(challenge: string): Promise<string> {
    this.#connection.write(`334 ${challenge}\r\n`)
    this.#deadline.set(this.#settings.limits.commandMs)
    const input = await this.#connection.readCommand()
    this.#deadline.clear()
    if (input === undefined) throw new ClientGone()
    const fault = this.#faultOf(input, '', true)
    if (fault !== undefined) throw new Refusal(this.#replyToMalformed(fault))
    return (input as Buffer).toString('latin1')
  }

  /** RFC 5321 §4.1.1.2. */
  async #mail(line: Buffer): Promise<Reply> {
    this.#requireGreeting()
    this.#requireLogin()
    this.#requireNoTransaction()
    const { from, smtpUtf8 } = await this.#rules.sender(line)
    this.#transaction = { from, smtpUtf8, recipients: new Map() }
    return SENDER_OK
  }

  /** RFC 5321 §4.1.1.3. */
  async #rcpt(line: Buffer): Promise<Reply> {
    this.#requireGreeting()
    this.#requireLogin()
    const transaction = this.#transaction
    if (transaction === undefined) throw new Refusal(503, '5.5.1', 'Say MAIL first')
    const { address, to } = await this.#rules.recipient(line, transaction.smtpUtf8)
    addRecipient(transaction.recipients, address, to, this.#settings.limits.recipients)
    return RECIPIENT_OK
  }

  /** RFC 5321 §4.1.1.4: without a recipient that was accepted there is no message. */
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
    const buffer = new MessageBuffer(this.#settings.memory, this.#settings.maxMessageBytes)
    try {
      await this.#receive(buffer)
      const reply = await this.#replyTo(() => this.#rules.take(buffer.content(), transaction))
      if (reply.code < 300) this.#errors.reset()
      return reply
    } finally {
      buffer.release()
      this.#message = undefined
      this.#transaction = undefined
    }
  }

  /** Asks for the message and collects it. */
  async #receive(buffer: MessageBuffer): Promise<void> {
    this.#connection.write('354 End with <CRLF>.<CRLF>\r\n')
    this.#message = 'receiving'
    this.#slot.heard(this.#standing)
    const stopWatching = this.#watchRate(buffer)
    const whole = await this.#connection.readMessage(buffer)
    stopWatching()
    this.#message = 'accepted'
    this.#slot.heard(this.#standing)
    // RFC 1047: a client that has gone will send again, so what it sent now must not be kept. One that only has
    // nothing more to send waits for the reply.
    if (!whole || !this.#connection.isWritable) throw new ClientGone()
  }

  /** Ends the dialog when a message comes too slowly, or does not end. */
  #watchRate(buffer: MessageBuffer): () => void {
    const { clock, limits, maxMessageBytes } = this.#settings
    let before = 0
    let cancel: () => void
    const look = (): void => {
      const endless = buffer.received > maxMessageBytes + limits.discardedOctets
      if (endless || buffer.received - before < limits.dataWindowOctets) this.#reply(TOO_SLOW)
      before = buffer.received
      cancel = clock.after(limits.dataWindowMs, look)
    }
    cancel = clock.after(limits.dataWindowMs, look)
    return () => cancel()
  }

  #requireGreeting(): void {
    if (!this.#greeted) throw new Refusal(503, '5.5.1', 'Say HELO or EHLO first')
  }

  #requireLogin(): void {
    if (this.#rules.logIn === undefined || this.#rules.loggedIn) return
    throw new Refusal(530, '5.7.0', 'Log in first: STARTTLS, then AUTH')
  }

  #requireNoTransaction(): void {
    if (this.inTransaction) throw new Refusal(503, '5.5.1', 'A transaction is under way')
  }

  /** Finds a fault of a line that no command may have. `continued`: it answers a challenge of AUTH. */
  #faultOf(input: CommandInput, verb: string, continued: boolean): Reply | undefined {
    if (typeof input === 'string') return FAULTS[input]
    const known = continued || (VERBS.has(verb) && (verb !== 'AUTH' || this.#rules.logIn !== undefined))
    return faultOf(input, verb, continued) ?? (known ? undefined : UNKNOWN)
  }

  #replyToMalformed(fault: Reply): Reply {
    return this.#errors.allowsMalformed() || fault === BARE_NEWLINE ? fault : TOO_MUCH_NOISE
  }

  /** The hold of the client on its slot. */
  get #standing(): Standing {
    const { loggedIn } = this.#rules
    if (this.#message !== undefined) return this.#message === 'receiving' ? 'settled' : 'accepted'
    if (this.#transaction === undefined || this.#transaction.recipients.size === 0) {
      return loggedIn ? 'member' : 'idle'
    }
    return loggedIn ? 'settled' : 'busy'
  }

  /** Runs a command's work; gives what it answers or throws. */
  async #replyTo<R extends Reply | undefined>(work: () => R | Promise<R>): Promise<R | Reply> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ClientGone) throw error
      const reply = replyOfProblem(error)
      if (reply === undefined || !(error instanceof Refusal || reply.code >= 500)) {
        const { address: client } = this.#connection
        this.#settings.log.error({ err: error, client }, 'SMTP command failed')
      }
      return reply ?? UNFORESEEN
    }
  }

  /** Sends a reply; 221 and 421 end the dialog, and so does what follows from lines that end in LF alone. */
  #reply(reply: Reply, lingerMs?: number): void {
    this.#write(reply.code, '', [wireText(reply)])
    // RFC 5321 §3.8: 221 and 421 say that we close. After a bare LF the client has another view than we of what is a
    // command, and would take every reply from now on for that to another one.
    if (reply.code === 221 || reply.code === 421 || reply === BARE_NEWLINE) this.#connection.end(lingerMs)
  }

  #write(code: number, enhanced: string, texts: readonly string[]): void {
    if (code >= 500) this.#errors.refused()
    this.#connection.write(replyLines(code, enhanced, texts))
  }
}

const FAULTS: Readonly<Record<Exclude<CommandInput, Buffer>, Reply>> = {
  'bare newline': BARE_NEWLINE,
  'too long': TOO_LONG,
  endless: { ...TOO_LONG, code: 421 },
}
