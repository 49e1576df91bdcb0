// The SMTP dialog with one client, from the greeting to the end: reads lines, writes replies, applies deadlines and
// limits.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import type { Reply } from '../model/reply.ts'
import type { ClientConnection, CommandInput } from './client-connection.ts'
import { BARE_NEWLINE, faultOf, TOO_LONG, verbOf } from './command-line.ts'
import type { Slot } from './connection-slots.ts'
import { ErrorLimits } from './limits.ts'
import type { ListenerRules } from './listener-rules.ts'
import type { MessageBuffer } from './message-buffer.ts'
import { Refusal, replyLines, replyOfProblem, replyWith, UNFORESEEN, wireText } from './replies.ts'
import { type Answer, ClientGone, type Exchange, Session, type SessionSettings } from './session.ts'

export interface DialogOptions<From, To> {
  readonly settings: SessionSettings
  readonly connection: ClientConnection
  readonly slot: Slot
  readonly rules: ListenerRules<From, To>
  /** True for TLS from the first byte (RFC 8314 §3.3); false for STARTTLS. */
  readonly implicitTls: boolean
  /** Returns the current certificate. */
  secureContext(): SecureContext
}

const CROWDED = replyWith(421, '4.7.0', 'Too many connections, and this one was idle; please try again')
const STOPPING = replyWith(421, '4.3.2', 'The service is stopping; please try again')
const TOO_MUCH_NOISE = replyWith(421, '4.7.0', 'Too many commands without a message')
const TOO_SLOW = replyWith(421, '4.4.2', 'Too slow; closing the connection')
const UNKNOWN = replyWith(500, '5.5.1', 'Unknown command')

const FAULTS: Readonly<Record<Exclude<CommandInput, Buffer>, Reply>> = {
  'bare newline': BARE_NEWLINE,
  'too long': TOO_LONG,
  endless: { ...TOO_LONG, code: 421 },
}

/** Commands whose replies may wait for the replies to later pipelined commands (RFC 2920 §3.1). */
const GROUPED: ReadonlySet<string> = new Set(['MAIL', 'RCPT', 'RSET'])

/** Number of lines of one client after which other clients get their turn. */
const LINES_PER_TURN = 100
/** Time for a client that gives way to read the last reply, in milliseconds. */
const GIVE_WAY_LINGER_MS = 200

/** One dialog. The method `run` conducts the dialog; `drain`, `stop` and `giveWay` end the dialog. */
export class Dialog<From, To> {
  readonly #settings: SessionSettings
  readonly #connection: ClientConnection
  readonly #slot: Slot
  readonly #rules: ListenerRules<From, To>
  readonly #options: DialogOptions<From, To>
  readonly #session: Session<From, To>
  readonly #errors: ErrorLimits
  readonly #deadline: Deadline
  #draining = false

  constructor(options: DialogOptions<From, To>) {
    const { settings, connection, slot, rules } = options
    this.#options = options
    this.#settings = settings
    this.#connection = connection
    this.#slot = slot
    this.#rules = rules
    this.#session = new Session(settings, rules, slot, this.#exchange())
    this.#errors = new ErrorLimits(settings.limits)
    this.#deadline = new Deadline(settings.clock, () => this.#reply(TOO_SLOW))
  }

  /** True during a transaction; a stopping service waits for the end of the transaction. */
  get inTransaction(): boolean {
    return this.#session.inTransaction
  }

  /** Conducts the dialog to its end, and ends the connection. Never throws. */
  async run(): Promise<void> {
    const { hostName, log } = this.#settings
    try {
      if (this.#options.implicitTls) await this.#beginTls(true)
      this.#write(220, '', [`${hostName} ESMTP Postrider`])
      for (let lines = 1; ; lines++) {
        const input = await this.#read()
        if (input === undefined) break
        await this.#answer(input)
        if (lines % LINES_PER_TURN === 0) await nextTurn()
      }
    } catch (error) {
      if (!(error instanceof ClientGone)) {
        log.error({ err: error, client: this.#connection.address }, 'SMTP dialog failed')
        this.#reply({ ...UNFORESEEN, code: 421 })
      }
    }
    // The client sends no more and every command has its reply; the client may still have to read the replies.
    this.#connection.end()
    this.#deadline.stop()
  }

  /** Ends the dialog as soon as no transaction is under way. */
  drain(): void {
    this.#draining = true
    if (!this.inTransaction) this.#reply(STOPPING)
  }

  /** Ends the dialog now, and sends the client the reason. */
  stop(): void {
    this.#reply(STOPPING)
  }

  /** Ends the dialog to make room for another client. */
  giveWay(): void {
    this.#reply(CROWDED, GIVE_WAY_LINGER_MS)
  }

  /** Returns the next line, within the time limit for a command; undefined if no more lines can arrive. */
  async #read(): Promise<CommandInput | undefined> {
    this.#deadline.set(this.#settings.limits.commandMs)
    const input = await this.#connection.readCommand()
    if (input !== undefined) this.#deadline.clear()
    return input
  }

  /** Replies to one line of the client. */
  async #answer(input: CommandInput): Promise<void> {
    const verb = typeof input === 'string' ? '' : verbOf(input)
    const fault = this.#faultOf(input, verb, false)
    if (fault !== undefined) return this.#reply(this.#replyToMalformed(fault))
    if (!this.#errors.allows(verb, this.#rules.loggedIn)) return this.#reply(TOO_MUCH_NOISE)
    if (this.#draining && !this.inTransaction) return this.#reply(STOPPING)
    const answer = await this.#execute(verb, input as Buffer)
    // An accepted message clears all earlier errors.
    if (verb === 'DATA' && answer !== undefined && answer.code < 300) this.#errors.reset()
    if (answer !== undefined && 'lines' in answer) this.#write(answer.code, '', answer.lines)
    else if (answer !== undefined) this.#reply(answer)
    if (this.#draining && !this.inTransaction) return this.#reply(STOPPING)
    if (!GROUPED.has(verb)) this.#connection.flush()
    this.#slot.heard(this.#session.standing)
  }

  /** Runs a command; returns its reply, or the reply of the error that it throws. */
  async #execute(verb: string, line: Buffer): Promise<Answer> {
    try {
      return await this.#session.execute(verb, line)
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

  #exchange(): Exchange {
    const connection = this.#connection
    return {
      get secure() {
        return connection.secure
      },
      ask: (challenge) => this.#ask(challenge),
      beginTls: (ready) => {
        this.#reply(ready)
        return this.#beginTls(false)
      },
      receive: (message) => this.#receive(message),
    }
  }

  async #beginTls(implicit: boolean): Promise<void> {
    this.#deadline.set(this.#settings.limits.handshakeMs)
    const secure = await this.#connection.startTls(this.#options.secureContext(), implicit)
    this.#deadline.clear()
    if (!secure) throw new ClientGone()
  }

  async #ask(challenge: string): Promise<string> {
    this.#connection.write(`334 ${challenge}\r\n`)
    const input = await this.#read()
    if (input === undefined) throw new ClientGone()
    const fault = this.#faultOf(input, '', true)
    if (fault !== undefined) throw new Refusal(this.#replyToMalformed(fault))
    return (input as Buffer).toString('latin1')
  }

  /**
   * Asks for the message and reads it. A client that has ended only its sending side counts as connected, because the
   * client still waits for the reply.
   */
  async #receive(message: MessageBuffer): Promise<boolean> {
    this.#connection.write('354 End with <CRLF>.<CRLF>\r\n')
    const stopWatching = this.#watchRate(message)
    try {
      return (await this.#connection.readMessage(message)) && this.#connection.isWritable
    } finally {
      stopWatching()
    }
  }

  /** Ends the dialog if a message arrives too slowly, or does not end. */
  #watchRate(message: MessageBuffer): () => void {
    const { clock, limits, maxMessageBytes } = this.#settings
    let before = 0
    let cancel: () => void
    const look = (): void => {
      const endless = message.received > maxMessageBytes + limits.discardedBytes
      if (endless || message.received - before < limits.dataWindowBytes) this.#reply(TOO_SLOW)
      before = message.received
      cancel = clock.after(limits.dataWindowMs, look)
    }
    cancel = clock.after(limits.dataWindowMs, look)
    return () => cancel()
  }

  /**
   * Returns the reply to a malformed line or an unknown command; undefined for any other line. `continued` is true for
   * a response to an AUTH challenge.
   */
  #faultOf(input: CommandInput, verb: string, continued: boolean): Reply | undefined {
    if (typeof input === 'string') return FAULTS[input]
    return faultOf(input, verb, continued) ?? (continued || this.#session.knows(verb) ? undefined : UNKNOWN)
  }

  #replyToMalformed(fault: Reply): Reply {
    return this.#errors.allowsMalformed() || fault === BARE_NEWLINE ? fault : TOO_MUCH_NOISE
  }

  /** Sends a reply; 221, 421 and the reply to a line that ends in LF alone end the dialog. */
  #reply(reply: Reply, lingerMs?: number): void {
    this.#write(reply.code, '', [wireText(reply)])
    // Replies 221 and 421 announce the end of the connection (RFC 5321 §3.8). A client that sent a bare LF disagrees
    // with this server about the beginnings of commands, and would assign further replies to the wrong commands.
    if (reply.code === 221 || reply.code === 421 || reply === BARE_NEWLINE) this.#connection.end(lingerMs)
  }

  #write(code: number, enhanced: string, texts: readonly string[]): void {
    if (code >= 500) this.#errors.refused()
    this.#connection.write(replyLines(code, enhanced, texts))
  }
}

/** Calls `onDue` when the time limit that was set last is over; one timer serves many time limits. */
class Deadline {
  readonly #clock: Clock
  readonly #onDue: () => void
  #due = Number.POSITIVE_INFINITY
  #timerAt = Number.POSITIVE_INFINITY
  #cancelTimer: () => void = () => {}

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Sets the time limit to `ms` milliseconds from now. */
  set(ms: number): void {
    this.#due = this.#clock.now() + ms
    if (this.#due < this.#timerAt) this.#arm()
  }

  /** Removes the time limit until the next `set`. */
  clear(): void {
    this.#due = Number.POSITIVE_INFINITY
  }

  /** Stops the timer permanently. */
  stop(): void {
    this.clear()
    this.#cancelTimer()
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #arm(): void {
    this.#cancelTimer()
    this.#timerAt = this.#due
    this.#cancelTimer = this.#clock.after(this.#due - this.#clock.now(), () => this.#onTimer())
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#clock.now() >= this.#due) {
      this.clear()
      this.#onDue()
    } else if (this.#due !== Number.POSITIVE_INFINITY) {
      this.#arm()
    }
  }
}
