// A port that SMTP clients connect to: counts its connections, presents the certificate, stops with grace.

import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { CertificateAndKey, TlsSource } from './certificate.ts'
import type { ConnectionCaps } from './connection-caps.ts'
import type { Door, Session, SessionSettings } from './session.ts'

export interface ListenerOptions {
  /** TLS from the first octet (RFC 8314 §3.3), else STARTTLS. */
  readonly implicitTls: boolean
  /** Whether one logs in here, and has to. */
  readonly login: boolean
  /** Our name in greetings. */
  readonly hostName: string
  readonly tls: TlsSource
  readonly caps: ConnectionCaps
  readonly settings: SessionSettings
  openSession(
    door: Door,
    socket: Socket | TLSSocket,
    options: SMTPConnectionOptions | null | undefined,
  ): Session
}

/** How often the end of transactions is looked for while stopping, and how long clients get to read their last reply. */
const LOOK_MS = 20
const LINGER_MS = 200

/** Deadlines are the sessions' own; this one only must not come before them. */
const LIBRARY_TIMEOUT_MS = 3_600_000

export class Listener extends SMTPServer implements Door {
  readonly #options: ListenerOptions
  readonly #sessions = new Set<Session>()
  /** Counts a connection out of the caps. */
  readonly #leave = new WeakMap<Socket, () => void>()
  #presented: CertificateAndKey

  constructor(options: ListenerOptions) {
    const certificate = options.tls.current()
    super({ ...libraryOptions(options), ...certificate })
    this.#options = options
    this.#presented = certificate
    this.on('error', (error) => options.settings.log.debug({ err: error }, 'SMTP connection failed'))
  }

  /** The port that it listens on; 0 before `open`. */
  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0
  }

  async open(port: number, host: string): Promise<void> {
    this.server.listen(port, host)
    await once(this.server, 'listening')
  }

  /** Takes no more connections, ends those that are idle, and the others when their transaction has ended. */
  async drain(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    for (const socket of this._pendingSockets.values()) socket.destroy()
    for (const session of this.#sessions) session.drain()
    const until = Date.now() + this.#options.settings.limits.stopMs
    while (Date.now() < until && [...this.#sessions].some((session) => session.inTransaction)) {
      await sleep(LOOK_MS)
    }
    for (const session of this.#sessions) session.stop()
    await Promise.race([closed, sleep(LINGER_MS)])
    for (const session of this.#sessions) session.destroy()
    await Promise.race([closed, sleep(LINGER_MS)])
  }

  refreshCertificate(): void {
    const certificate = this.#options.tls.current()
    if (certificate === this.#presented) return
    this.#presented = certificate
    this.updateSecureContext({ ...certificate })
  }

  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const session = this.#options.openSession(this, socket, socketOptions)
    this.#sessions.add(session)
    this.connections.add(session)
    session.on('error', (error) => this._onError(error))
    // STARTTLS takes all listeners off the socket, also the one that counts the connection out.
    const leave = this.#leave.get(socket)
    session.on('close', () => {
      this.#sessions.delete(session)
      leave?.()
    })
    session.init()
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const leave = this.#options.caps.enter(socket.remoteAddress ?? '')
    if (leave === undefined) {
      this.#turnAway(socket)
      return false
    }
    socket.once('close', leave)
    this.#leave.set(socket, leave)
    const release = super._acceptSocket(socket, handshake)
    if (!handshake || release === false) return release
    const { clock, limits } = this.#options.settings
    const cancel = clock.after(limits.handshakeMs, () => this._pendingSockets.get(socket)?.destroy())
    return () => {
      cancel()
      release()
    }
  }

  override _upgrade(...args: Parameters<SMTPServer['_upgrade']>): void {
    this.refreshCertificate()
    super._upgrade(...args)
  }

  #turnAway(socket: Socket): void {
    socket.on('error', () => {})
    if (this.#options.implicitTls) {
      socket.destroy()
      return
    }
    socket.end(`421 ${this.#options.hostName} Too many connections; please try again\r\n`)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}

function libraryOptions({ implicitTls, login, hostName, settings }: ListenerOptions): SMTPServerOptions {
  return {
    secure: implicitTls,
    name: hostName,
    banner: 'Postrider',
    heloResponse: '%s',
    logger: false,
    minVersion: 'TLSv1.2',
    keepAlive: true,
    // A client that sends no more may still wait for replies: sessions end when they have given them.
    allowHalfOpen: true,
    size: settings.maxMessageBytes,
    hideENHANCEDSTATUSCODES: false,
    authRequiredMessage: 'Log in first: STARTTLS, then AUTH',
    disabledCommands: [...(login ? [] : ['AUTH']), 'XCLIENT', 'XFORWARD', 'LHLO', 'WIZ', 'SHELL', 'KILL'],
    disableReverseLookup: true,
    // Sessions count for themselves; `false` would mean ten.
    maxAllowedUnauthenticatedCommands: Number.POSITIVE_INFINITY,
    socketTimeout: LIBRARY_TIMEOUT_MS,
    // At once: by default both wait a turn of the event loop, in which a client that speaks first is thrown out.
    onConnect: (_session, callback) => callback(),
    onSecure: (_socket, _session, callback) => callback(),
  }
}
