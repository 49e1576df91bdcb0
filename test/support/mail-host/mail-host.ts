// A scripted mail host on a loopback port: accepts mail like a real mail host, and misbehaves as its script says.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Certificate, testCertificate } from '../certificate.ts'
import { MAX_WAIT_MS } from '../test-clock.ts'
import type { HostAnswer, HostConnection, HostMail, HostScript, MailHostOptions } from './script.ts'
import { MailHostSession, type SessionHost } from './session.ts'

/** The mail host; a test calls `MailHost.start` and `stop`, and may change `script` at any time. */
export class MailHost implements SessionHost {
  readonly options: MailHostOptions
  readonly certificate: Certificate
  script: HostScript | undefined
  /** Accepted messages, oldest first. */
  readonly mails: HostMail[] = []
  /** All connections, including closed connections, oldest first. */
  readonly connections: HostConnection[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #sessions: MailHostSession[] = []
  readonly #attempts = new Map<string, number>()
  #waiting: ((mail: HostMail) => void)[] = []
  #given = 0

  private constructor(options: MailHostOptions, certificate: Certificate) {
    this.options = options
    this.certificate = certificate
    this.script = options.script
    this.#server = createServer({ noDelay: true }, (socket) => this.#onConnection(socket))
  }

  static async start(options: MailHostOptions = {}): Promise<MailHost> {
    const host = new MailHost(options, options.certificate ?? (await testCertificate()))
    host.#server.listen(options.port ?? 0, options.address ?? '127.0.0.1')
    await once(host.#server, 'listening')
    return host
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get address(): string {
    return (this.#server.address() as AddressInfo).address
  }

  /** Number of open connections. */
  get openConnections(): number {
    return this.#sockets.size
  }

  /** Waits for the next message that no earlier call of `nextMail` returned. */
  nextMail(): Promise<HostMail> {
    const ready = this.mails[this.#given]
    if (ready !== undefined) {
      this.#given++
      return Promise.resolve(ready)
    }
    return new Promise((resolve, reject) => {
      const take = (mail: HostMail) => {
        clearTimeout(timer)
        resolve(mail)
      }
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== take)
        reject(new Error(`No message within ${MAX_WAIT_MS} ms`))
      }, MAX_WAIT_MS)
      this.#waiting.push(take)
    })
  }

  /** Sends an unsolicited answer on every open connection. */
  async interrupt(answer: HostAnswer): Promise<void> {
    await Promise.all(this.#sessions.filter((it) => !it.connection.closed).map((it) => it.say(answer)))
  }

  /** Destroys all connections and stops listening. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Counts a received command and returns how often the mail host has received it. */
  countAttempt(verb: string, argument: string): number {
    const key = `${verb} ${argument}`
    const attempt = (this.#attempts.get(key) ?? 0) + 1
    this.#attempts.set(key, attempt)
    return attempt
  }

  store(mail: HostMail): void {
    this.mails.push(mail)
    const waiting = this.#waiting.shift()
    if (waiting === undefined) return
    this.#given++
    waiting(mail)
  }

  #onConnection(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    const session = new MailHostSession(this, this.connections.length + 1, socket)
    this.#sessions.push(session)
    this.connections.push(session.connection)
    session.start()
  }
}
