// One SMTP connection to a scripted mail host: reads commands, calls the script and sends answers.

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import type { Certificate } from '../certificate.ts'
import type { HostAnswer, HostConnection, HostMail, HostScript, MailHostOptions } from './script.ts'
import { usualAnswer } from './usual.ts'

/** The part of the mail host that a session needs. */
export interface SessionHost {
  readonly options: MailHostOptions
  readonly certificate: Certificate
  readonly script: HostScript | undefined
  /** Counts a received command and returns how often the mail host has received it. */
  countAttempt(verb: string, argument: string): number
  store(mail: HostMail): void
}

const CRLF = '\r\n'
const END = Buffer.from('\r\n.\r\n')

export class MailHostSession {
  readonly connection: HostConnection
  readonly #host: SessionHost
  #socket: Socket
  /** The TCP socket under TLS. */
  #below: Socket | undefined
  #bytes: Buffer = Buffer.alloc(0)
  /** Memory that holds `#bytes` when the bytes arrived in several chunks. */
  #space = Buffer.alloc(0)
  /** Number of bytes at the start of `#bytes` that contain no end of a message. */
  #searched = 0
  #mode: 'command' | 'data' | 'chunk' | 'login' = 'command'
  /** Argument of the current BDAT command, and the bytes of earlier BDAT commands. */
  #chunk = ''
  #chunks: Buffer[] = []
  #login: string[] = []
  #from: string | undefined
  #parameters = ''
  #recipients: string[] = []
  #working = false
  #hanging = false

  constructor(host: SessionHost, id: number, socket: Socket) {
    this.#host = host
    this.#socket = socket
    this.connection = {
      id,
      remoteAddress: socket.remoteAddress ?? '',
      localAddress: socket.localAddress ?? '',
      commands: [],
      chunks: [],
      helo: '',
      tls: false,
      authenticated: false,
      closed: false,
    }
  }

  start(): void {
    this.#socket.on('close', () => {
      this.connection.closed = true
    })
    this.#socket.on('error', () => {})
    if (this.#host.options.implicitTls) this.#encrypt()
    else this.#listen()
    void this.#answer('CONNECT', '', this.#host.options.banner ?? '220 mx.test ESMTP')
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.connection.chunks.push(chunk.toString('latin1'))
      this.#append(chunk)
      void this.#work()
    })
  }

  /**
   * Appends a chunk to the unread bytes. The memory doubles as needed, so that a large message is copied only once or
   * twice.
   */
  #append(chunk: Buffer): void {
    const { buffer, byteOffset, length } = this.#bytes
    if (length === 0) {
      this.#bytes = chunk
      return
    }
    let from = byteOffset
    if (buffer !== this.#space.buffer || from + length + chunk.length > this.#space.length) {
      this.#space = Buffer.allocUnsafeSlow(2 * (length + chunk.length))
      this.#bytes.copy(this.#space)
      from = 0
    }
    chunk.copy(this.#space, from + length)
    this.#bytes = this.#space.subarray(from, from + length + chunk.length)
  }

  #encrypt(): void {
    this.#socket.removeAllListeners('data')
    this.#bytes = Buffer.alloc(0)
    const { key, cert } = this.#host.certificate
    this.#below = this.#socket
    this.#socket = new TLSSocket(this.#socket, { isServer: true, key, cert })
    this.#socket.on('error', () => {})
    this.connection.tls = true
    this.#listen()
  }

  async #work(): Promise<void> {
    if (this.#working) return
    this.#working = true
    while (!this.connection.closed && !this.#hanging) {
      if (!(await this.#take())) break
    }
    this.#working = false
  }

  #take(): Promise<boolean> {
    if (this.#mode === 'data') return this.#takeMessage()
    return this.#mode === 'chunk' ? this.#takeChunk() : this.#takeLine()
  }

  async #takeLine(): Promise<boolean> {
    const end = this.#bytes.indexOf(CRLF)
    if (end < 0) return false
    const line = this.#bytes.toString('utf8', 0, end)
    this.#bytes = this.#bytes.subarray(end + 2)
    this.connection.commands.push(line)
    if (this.#mode === 'login') {
      await this.#continueLogin(line)
      return true
    }
    const space = line.indexOf(' ')
    const verb = (space < 0 ? line : line.slice(0, space)).toUpperCase()
    await this.#command(verb, space < 0 ? '' : line.slice(space + 1))
    return true
  }

  async #takeMessage(): Promise<boolean> {
    // A message may consist of the final dot alone.
    const isEmpty = this.#bytes.subarray(0, 3).equals(END.subarray(2))
    const end = isEmpty ? -2 : this.#bytes.indexOf(END, Math.max(0, this.#searched - END.length))
    if (end === -1) {
      this.#searched = this.#bytes.length
      return false
    }
    this.#searched = 0
    const wire = this.#bytes.subarray(0, end + END.length)
    this.#bytes = this.#bytes.subarray(end + END.length)
    this.connection.commands.push('(message)')
    this.#mode = 'command'
    const data = undoubleDots(wire.subarray(0, wire.length - 3))
    const said = await this.#answer('MESSAGE', '', '250 2.0.0 Ok: queued')
    if (said.startsWith('2')) this.#store(data, wire)
    this.#forget()
    return true
  }

  /** Reads the bytes of a BDAT command, then sends the answer (RFC 3030 §2). */
  async #takeChunk(): Promise<boolean> {
    const argument = this.#chunk
    const size = Number.parseInt(argument, 10)
    if (this.#bytes.length < size) return false
    this.#chunks.push(this.#bytes.subarray(0, size))
    this.#bytes = this.#bytes.subarray(size)
    this.#mode = 'command'
    const last = / LAST$/i.test(argument)
    if (last) this.connection.commands.push('(message)')
    const said = await this.#answer('BDAT', argument, this.#usual('BDAT', argument))
    if (!last) return true
    const data = Buffer.concat(this.#chunks)
    this.#chunks = []
    // The envelope stays after a failed BDAT, so the usual reply to a MAIL command without RSET is a refusal.
    if (!said.startsWith('2')) return true
    this.#store(data, data)
    this.#forget()
    return true
  }

  #store(data: Buffer, wire: Buffer): void {
    this.#host.store({
      from: this.#from ?? '',
      recipients: this.#recipients,
      data,
      wire,
      helo: this.connection.helo,
      parameters: this.#parameters,
      tls: this.connection.tls,
      connection: this.connection,
    })
  }

  async #command(verb: string, argument: string): Promise<void> {
    if (verb === 'BDAT' && this.#host.options.bdat !== false && /^\d+( LAST)?$/i.test(argument)) {
      this.#chunk = argument
      this.#mode = 'chunk'
      return
    }
    const said = await this.#answer(verb, argument, this.#usual(verb, argument))
    if (said.startsWith('2')) this.#carryOut(verb, argument)
    else if (verb === 'DATA' && said.startsWith('354')) this.#mode = 'data'
    else if (verb === 'AUTH' && said.startsWith('334')) this.#mode = 'login'
  }

  #carryOut(verb: string, argument: string): void {
    switch (verb) {
      case 'EHLO':
      case 'HELO':
        this.connection.helo = argument
        this.#forget()
        break
      case 'STARTTLS':
        if (!this.#hanging) this.#encrypt()
        break
      case 'AUTH':
        this.connection.authenticated = true
        break
      case 'MAIL':
        this.#forget()
        this.#from = addressIn(argument)
        this.#parameters = argument.slice(argument.lastIndexOf('>') + 1).trim()
        break
      case 'RCPT':
        this.#recipients.push(addressIn(argument))
        break
      case 'RSET':
        this.#forget()
        break
      case 'QUIT':
        this.#socket.end()
    }
  }

  #forget(): void {
    this.#from = undefined
    this.#recipients = []
    this.#parameters = ''
    this.#chunks = []
  }

  #usual(verb: string, argument: string): string {
    return usualAnswer(verb, argument, {
      options: this.#host.options,
      connection: this.connection,
      hasSender: this.#from !== undefined,
      recipients: this.#recipients.length,
    })
  }

  async #continueLogin(line: string): Promise<void> {
    this.#login.push(Buffer.from(line, 'base64').toString())
    if (this.#login.length === 1) {
      await this.#answer('LOGIN', '', '334 UGFzc3dvcmQ6')
      return
    }
    const { user, password } = this.#host.options.auth ?? {}
    const right = this.#login[0] === user && this.#login[1] === password
    this.#login = []
    this.#mode = 'command'
    const said = await this.#answer('LOGIN', '', right ? '235 2.7.0 Welcome' : '535 5.7.8 Wrong credentials')
    this.connection.authenticated = said.startsWith('235')
  }

  /** Calls the script, sends its answer or the usual answer, and returns the reply that was sent. */
  async #answer(verb: string, argument: string, usual: string): Promise<string> {
    const scripted = await this.#host.script?.({
      verb,
      argument,
      address: verb === 'MAIL' || verb === 'RCPT' ? addressIn(argument) : '',
      attempt: this.#host.countAttempt(verb, argument),
      connection: this.connection,
      from: this.#from ?? '',
      recipients: this.#recipients,
    })
    const answer: HostAnswer = scripted === undefined ? { reply: usual } : asAnswer(scripted)
    await this.say(answer)
    return answer.reply ?? ''
  }

  /** Sends the answer and performs its action. */
  async say(answer: HostAnswer): Promise<void> {
    if (answer.delayMs !== undefined) await sleep(answer.delayMs)
    const text = answer.reply === undefined ? '' : answer.reply.replaceAll('\n', CRLF) + CRLF
    await this.#write(Buffer.concat([Buffer.from(text), Buffer.from(answer.raw ?? '')]), answer.byteDelayMs)
    if (answer.after === 'close') this.#socket.end()
    if (answer.after === 'reset') this.#reset()
    if (answer.after === 'broken-tls') this.#below?.write('421 below\r\n')
    // The session ignores further bytes after this action.
    if (answer.after !== undefined) this.#hanging = true
    if (answer.after === 'garbage') this.#socket.once('data', () => this.#socket.write('\x16garbage\xff'))
  }

  async #write(bytes: Buffer, byteDelayMs: number | undefined): Promise<void> {
    if (bytes.length === 0 || this.connection.closed) return
    if (byteDelayMs === undefined) {
      this.#socket.write(bytes)
      return
    }
    for (let i = 0; i < bytes.length && !this.connection.closed; i++) {
      this.#socket.write(bytes.subarray(i, i + 1))
      await sleep(byteDelayMs)
    }
  }

  #reset(): void {
    if (this.#socket instanceof TLSSocket) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }
}

function asAnswer(scripted: string | HostAnswer): HostAnswer {
  return typeof scripted === 'string' ? { reply: scripted } : scripted
}

function addressIn(argument: string): string {
  return argument.slice(argument.indexOf('<') + 1, argument.lastIndexOf('>'))
}

/** Removes dot-stuffing (RFC 5321 §4.5.2). */
function undoubleDots(wire: Buffer): Buffer {
  const text = wire.toString('latin1').replace(/(^|\r\n)\./g, '$1')
  return Buffer.from(text, 'latin1')
}
