// An SMTP client that sends arbitrary bytes and returns the replies.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Tenant } from './tenant.ts'
import { MAX_WAIT_MS } from './test-clock.ts'

/** One SMTP connection; `reply` returns the replies in order. */
export class RawSmtpClient {
  #socket: Socket
  #text = ''
  readonly #waiting: (() => void)[] = []
  #ended = false
  /** Number of reads that returned bytes. */
  arrivals = 0

  /** True if the server has ended the connection. */
  get isOver(): boolean {
    return this.#ended
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
  }

  /** Connects without waiting for the greeting; `localAddress` is a source address in 127.0.0.0/8. */
  static async connect(port: number, localAddress = '127.0.0.1'): Promise<RawSmtpClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
    const client = new RawSmtpClient(socket)
    await once(socket, 'connect')
    return client
  }

  /** Connects with implicit TLS. */
  static async connectTls(port: number, localAddress = '127.0.0.1'): Promise<RawSmtpClient> {
    const address = { port, host: '127.0.0.1', localAddress }
    const socket = connectTls({ ...address, rejectUnauthorized: false })
    const client = new RawSmtpClient(socket)
    await once(socket, 'secureConnect')
    socket.setNoDelay(true)
    return client
  }

  /** Opens a connection with implicit TLS, sends EHLO and logs in. */
  static async loggedIn(
    tlsPort: number,
    { smtp }: Pick<Tenant, 'smtp'>,
    localAddress?: string,
  ): Promise<RawSmtpClient> {
    const client = await RawSmtpClient.connectTls(tlsPort, localAddress)
    await client.reply()
    await client.ask('EHLO client.test')
    const reply = await client.ask(`AUTH PLAIN ${plainToken(smtp)}`)
    if (!reply.startsWith('235')) throw new Error(`the login was refused: ${reply}`)
    return client
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** Sends a line and returns its reply. */
  ask(line: string): Promise<string> {
    this.send(`${line}\r\n`)
    return this.reply()
  }

  /** Returns the next reply with its lines joined by LF; `closed` if the connection ended without a reply. */
  async reply(timeoutMs = MAX_WAIT_MS): Promise<string> {
    const until = Date.now() + timeoutMs
    for (;;) {
      const reply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#text)?.[0]
      if (reply !== undefined) {
        this.#text = this.#text.slice(reply.length)
        return reply.trimEnd().replaceAll('\r\n', '\n')
      }
      if (this.#ended) return 'closed'
      if (Date.now() >= until) throw new Error(`no reply in time; so far ${JSON.stringify(this.#text)}`)
      await this.#more(until - Date.now())
    }
  }

  /** Returns received bytes that no reply has consumed, after waiting for more bytes. */
  async unread(waitMs: number): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    return this.#text
  }

  /** Sends MAIL, one or more RCPT, and DATA; throws if the server refuses a command. */
  async begin(from: string, ...to: string[]): Promise<void> {
    for (const line of [`MAIL FROM:<${from}>`, ...to.map((one) => `RCPT TO:<${one}>`), 'DATA']) {
      const reply = await this.ask(line)
      if (!/^[23]/.test(reply)) throw new Error(`${line}: ${reply}`)
    }
  }

  /** Runs a complete transaction and returns the last reply; `message` does not include the final dot. */
  async deliver(from: string, to: readonly string[], message: string): Promise<string> {
    await this.begin(from, ...to)
    return this.ask(`${message}\r\n.`)
  }

  /** Starts TLS on the connection, after the reply to STARTTLS. */
  async upgrade(): Promise<void> {
    this.#socket.removeAllListeners('data')
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    this.#socket = secure
    this.#listen()
    await once(secure, 'secureConnect')
  }

  /** Serial number of the certificate of the server. */
  get certificateSerial(): string {
    const secure = this.#socket as Socket & { getPeerCertificate?(): { serialNumber: string } }
    return secure.getPeerCertificate?.().serialNumber ?? ''
  }

  /** Waits until the server has ended the connection. */
  async ended(): Promise<void> {
    const until = Date.now() + MAX_WAIT_MS
    while (!this.#ended) {
      if (Date.now() >= until) throw new Error('the connection is still open')
      await this.#more(until - Date.now())
    }
  }

  stopReading(): void {
    this.#socket.pause()
  }

  /** Number of bytes in the send buffer that the server has not received yet. */
  get unsent(): number {
    return this.#socket.writableLength
  }

  /** Closes the sending direction of the connection, but continues to read. */
  endSending(): void {
    this.#socket.end()
  }

  /** Disconnects without QUIT. */
  vanish(): void {
    this.#socket.destroy()
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.arrivals++
      this.#text += chunk.toString('latin1')
      this.#wake()
    })
    const end = (): void => {
      this.#ended = true
      this.#wake()
    }
    this.#socket.on('error', end).on('end', end).on('close', end)
  }

  /** Waits for bytes or the end of the connection. Several callers may wait at the same time. */
  #more(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

/** Returns the initial response of AUTH PLAIN. */
export function plainToken({ username, password }: Tenant['smtp'], authzid = ''): string {
  return Buffer.from(`${authzid}\0${username}\0${password}`).toString('base64')
}
