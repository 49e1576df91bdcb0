// One SMTP dialog with what the library lacks: strict lines, patience that ends, deadlines, its own DATA.

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { SMTPServer } from 'smtp-server'
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { MemoryBudget } from '../lib/memory-budget.ts'
import type { Reply } from '../model/reply.ts'
import { BARE_NEWLINE, faultOf, TOO_LONG, verbOf } from './command-line.ts'
import { CommandStream } from './command-stream.ts'
import { Intake } from './intake.ts'
import type { SmtpLimits } from './limits.ts'
import { Patience } from './patience.ts'
import { Refusal, replyLines, replyWith, wireText } from './replies.ts'
import { replyOfProblem, UNFORESEEN } from './reply-of-problem.ts'

/** What a session needs of the door that it came in by. */
export interface Door extends SMTPServer {
  /** Makes the certificate that is in force now the one of the next handshake. */
  refreshCertificate(): void
}

/** What all sessions of a door have in common: settings and counters, nothing of any one client. */
export interface SessionSettings {
  readonly limits: SmtpLimits
  readonly maxMessageBytes: number
  readonly memory: MemoryBudget
  readonly clock: Clock
  readonly log: Log
}

const UNKNOWN = replyWith(500, '5.5.1', 'Unknown command')
const NOT_VERIFIED = replyWith(252, '2.0.0', 'Not verified here; send a message and see')
const STOPPING = replyWith(421, '4.3.2', 'The service is stopping; please try again')
const TOO_MUCH_NOISE = replyWith(421, '4.7.0', 'Too many commands without a message')
const TOO_SLOW = replyWith(421, '4.4.2', 'Too slow; closing the connection')

/** RFC 2920 §3.2: their replies may wait for those of the commands that came with them. */
const GROUPED = new Set(['MAIL', 'RCPT', 'RSET', 'DATA'])

/**
 * A connection of the library (its documented subpath `lib/smtp-connection.js`, version pinned) whose parser, EHLO
 * and DATA are replaced and whose every line is looked at first. Subclasses say what MAIL, RCPT and a message mean.
 */
export abstract class Session extends SMTPConnection {
  protected readonly settings: SessionSettings
  readonly #door: Door
  readonly #patience: Patience
  #resume: () => void = () => {}
  #cancelDeadline: () => void = () => {}
  #cancelRateCheck: () => void = () => {}
  #intake: Intake | undefined
  #draining = false
  /** Whether replies wait to leave together. */
  #corked = false

  constructor(
    settings: SessionSettings,
    door: Door,
    socket: Socket | TLSSocket,
    options: SMTPConnectionOptions | null | undefined,
  ) {
    super(door, socket, options)
    this.settings = settings
    this.#door = door
    this.#patience = new Patience(settings.limits)
  }

  /** Whether a message is on its way: then the service waits with stopping. */
  abstract get inTransaction(): boolean

  /** How many recipients the transaction has that is under way. */
  protected abstract get recipientCount(): number

  /** Keywords for EHLO besides STARTTLS. */
  protected abstract extensions(): string[]

  /** What becomes of a message that was received in full. */
  protected abstract message(content: Buffer): Promise<Reply>

  /** Greets at once; the library waits 100 ms to catch those who speak first, whom the lines' rules catch as well. */
  override init(): void {
    this.#awaitCommand()
    this._setListeners(() => this.connectionReady())
  }

  /** Ends the session as soon as no transaction is under way. */
  drain(): void {
    this.#draining = true
    if (!this.inTransaction) this.sendReply(STOPPING)
  }

  /** Ends the session now. */
  stop(): void {
    this.sendReply(STOPPING)
    this.close()
  }

  /** Closes the socket for good, but never below a TLS handshake, which Node does not bear. */
  destroy(): void {
    if (!this._upgrading) this._socket.destroy()
  }

  sendReply(reply: Reply): void {
    this.send(reply.code, wireText(reply), false)
  }

  /**
   * The one place where replies leave, also the library's own. Unlike the library's it also answers a client that
   * sends no more. Below a TLS handshake nothing is written.
   */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (code >= 500) this.#patience.refused()
    if (!this._upgrading && this._socket.writable) {
      const enhanced = this._getEnhancedStatusCode(code, context)
      this._socket.write(replyLines(code, enhanced, [data ?? ''].flat()))
    }
    if (code === 421) this.close()
  }

  override _createParser(): CommandStream {
    const parser = new CommandStream({
      onLine: (line, resume) => this.#onLine(line, resume),
      onBareNewline: () => this.#onBareNewline(),
      onTooLong: (resume) => this.#onMalformed(TOO_LONG, resume),
      onEndless: () => this.sendReply({ ...TOO_LONG, code: 421 }),
      onRead: () => this.#uncork(),
    })
    // The client sends no more, and everything it sent has been answered: it may still have read that.
    parser.on('finish', () => this.close())
    parser.on('error', (error) => {
      this.settings.log.error({ err: error }, 'SMTP session failed')
      this.sendReply({ ...UNFORESEEN, code: 421 })
    })
    return parser
  }

  /** Presents the certificate that is in force now, not the one from when the connection was opened. */
  override upgrade(callback: () => void, secureCallback?: () => void): void {
    this.#door.refreshCertificate()
    // Below a handshake that never ends, an end of the connection has to be one.
    this._socket.allowHalfOpen = false
    super.upgrade(callback, () => {
      this._socket.allowHalfOpen = true
      secureCallback?.()
    })
  }

  override handler_EHLO(line: Buffer, resume: () => void): void {
    const [, name, more] = line.toString().trim().split(/ +/)
    if (name === undefined || more !== undefined || name.length > 255) {
      this.sendReply(replyWith(501, '5.5.4', 'Say EHLO and one host name'))
    } else {
      this.hostNameAppearsAs = name.toLowerCase()
      this._resetSession()
      const keywords = this.secure ? this.extensions() : [...this.extensions(), 'STARTTLS']
      this.send(250, [this.name, ...keywords], false)
    }
    resume()
  }

  override handler_DATA(line: Buffer, resume: () => void): void {
    if (line.toString('latin1').trim().length > 'DATA'.length) {
      void this.answer(() => replyWith(501, '5.5.4', 'DATA takes no arguments'), resume)
    } else if (this.recipientCount === 0) {
      // RFC 5321 §4.1.1.4: without a recipient that was accepted there is no message.
      void this.answer(() => replyWith(503, '5.5.1', 'Say MAIL and RCPT first'), resume)
    } else {
      this.#receiveMessage(resume)
    }
  }

  // RFC 5321 §3.5.3: 252 for both, and nothing about who exists.
  override handler_VRFY(_line: Buffer, resume: () => void): void {
    this.sendReply(NOT_VERIFIED)
    resume()
  }

  handler_EXPN(_line: Buffer, resume: () => void): void {
    this.sendReply(NOT_VERIFIED)
    resume()
  }

  /** Emits `close`, which the library does not. */
  override _onClose(): void {
    this.#cancelDeadline()
    this.#endIntake()
    this.emit('close')
    super._onClose()
  }

  /** Runs a command's work and sends what it answers or throws; then the next line is read. */
  protected async answer(work: () => Reply | Promise<Reply>, resume: () => void): Promise<void> {
    this.#resume = resume
    this.sendReply(await this.#replyOf(work))
    this.#resume()
  }

  /** Sends a challenge and waits for its line (RFC 4954 §4), within a command that runs in `answer`. */
  protected ask(challenge: string): Promise<string> {
    return new Promise((resolve) => {
      this._nextHandler = (line, resume) => {
        this.#resume = resume
        resolve(line.toString('latin1'))
      }
      this.send(334, challenge)
      this.#resume()
    })
  }

  /** Asks for the message and collects it; `message` gets it. */
  #receiveMessage(resume: () => void): void {
    const { memory, maxMessageBytes } = this.settings
    const intake = new Intake(memory, maxMessageBytes)
    this.#intake = intake
    this.#cancelDeadline()
    this.#watchRate(intake, 0)
    if (this._parser instanceof CommandStream) {
      this._parser.receive(intake, (next) => void this.#onMessage(intake, next))
    }
    this.send(354, 'End with <CRLF>.<CRLF>')
    this.#uncork()
    resume()
  }

  #onLine(line: Buffer, resume: () => void): void {
    if (this.#isDeaf(resume)) return
    this.#awaitCommand()
    const continued = this._nextHandler !== false
    const verb = verbOf(line)
    const known = continued || this._isSupported(verb)
    const fault = faultOf(line, verb, continued) ?? (known ? undefined : UNKNOWN)
    const end = fault === undefined && !continued ? this.#endAt(verb) : undefined
    if (fault !== undefined) this.#onMalformed(fault, resume)
    else if (end !== undefined) this.sendReply(end)
    else {
      if (GROUPED.has(verb)) this.#cork()
      else this.#uncork()
      this._onCommand(line, resume)
    }
  }

  /** One write for all replies to what came together: a system call for each costs more than their commands. */
  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    this._socket.cork()
  }

  #uncork(): void {
    if (!this.#corked) return
    this.#corked = false
    this._socket.uncork()
  }

  /** The reply that ends the session instead of this command, if it is time. */
  #endAt(verb: string): Reply | undefined {
    if (!this.#patience.bears(verb, Boolean(this.session.user))) return TOO_MUCH_NOISE
    return this.#draining && !this.inTransaction ? STOPPING : undefined
  }

  /** While TLS begins, and after the end, nothing is answered. */
  #isDeaf(resume: () => void): boolean {
    if (!this._upgrading && !this._closing) return false
    resume()
    return true
  }

  /**
   * Ends the session: a client that ends lines so has another view than we of what is a command, and would take
   * every reply from now on for that to another one.
   */
  #onBareNewline(): void {
    if (this._upgrading || this._closing) return
    this.sendReply(BARE_NEWLINE)
    this.close()
  }

  #onMalformed(reply: Reply, resume: () => void): void {
    if (this.#isDeaf(resume)) return
    this.#awaitCommand()
    this._nextHandler = false
    this.sendReply(this.#patience.bearsMalformed() ? reply : TOO_MUCH_NOISE)
    this._whenWritable(resume)
  }

  async #onMessage(intake: Intake, resume: () => void): Promise<void> {
    this.#cancelRateCheck()
    // RFC 1047: a client that has gone will send again, so what it sent now must not be kept. One that only has
    // nothing more to send waits for the reply.
    if (!this._socket.writable) return this.#endIntake()
    this.#awaitCommand()
    const reply = await this.#replyOf(() => this.message(intake.content()))
    this.#endIntake()
    this._resetSession()
    if (reply.code < 300) this.#patience.restore()
    this.sendReply(reply)
    if (this.#draining) this.sendReply(STOPPING)
    resume()
  }

  async #replyOf(work: () => Reply | Promise<Reply>): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      const reply = replyOfProblem(error)
      if (reply === undefined || !(error instanceof Refusal || reply.code >= 500)) {
        this.settings.log.error({ err: error, session: this.id }, 'SMTP command failed')
      }
      return reply ?? UNFORESEEN
    }
  }

  #endIntake(): void {
    this.#cancelRateCheck()
    this.#intake?.release()
    this.#intake = undefined
  }

  /** However the octets drip in, a whole command has to come within the time. */
  #awaitCommand(): void {
    const { clock, limits } = this.settings
    this.#cancelDeadline()
    this.#cancelDeadline = clock.after(limits.commandMs, () => this.sendReply(TOO_SLOW))
  }

  #watchRate(intake: Intake, before: number): void {
    const { clock, limits, maxMessageBytes } = this.settings
    this.#cancelRateCheck = clock.after(limits.dataWindowMs, () => {
      const endless = intake.received > maxMessageBytes + limits.discardedOctets
      if (endless || intake.received - before < limits.dataWindowOctets) this.sendReply(TOO_SLOW)
      else this.#watchRate(intake, intake.received)
    })
  }
}
