// A port that SMTP clients connect to: assigns slots, runs the dialogs, presents the certificate, stops gracefully.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecureContext } from 'node:tls'
import { type CertificateInForce, SecureContexts } from '../lib/certificate-files.ts'
import type { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { takeTogether } from '../threads/arriving-connections.ts'
import { ClientConnection } from './client-connection.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import { Dialog } from './dialog.ts'
import type { Client, ListenerRules } from './listener-rules.ts'
import type { SessionSettings } from './session.ts'

/** The address of a listener. */
export interface ListeningPlace {
  readonly host: string
  /** True if several processes listen on the port. */
  readonly reusePort?: boolean
}

export interface ListenerOptions<From, To> {
  /** True for TLS from the first byte (RFC 8314 §3.3); false for STARTTLS. */
  readonly implicitTls: boolean
  /** Certificate in force; the same object until the certificate changes. */
  readonly tls: CertificateInForce
  readonly slots: ConnectionSlots
  /** Reads the PROXY protocol headers of load balancers, before TLS; absent without load balancers. */
  readonly proxyProtocol?: ProxyProtocol | undefined
  readonly settings: SessionSettings
  /** Returns the rules of the port for a new client. */
  rulesFor(client: Client): ListenerRules<From, To>
}

/**
 * Interval between two checks for the end of transactions while stopping, and time for clients to read their last
 * reply.
 */
const LOOK_MS = 20
const LINGER_MS = 200

export class Listener<From, To> {
  readonly #options: ListenerOptions<From, To>
  // A client that has ended its sending side may still wait for replies, so the dialog ends after the last reply.
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    const { proxyProtocol } = this.#options
    if (proxyProtocol === undefined) this.#accept(socket)
    else proxyProtocol.receive(socket, () => this.#accept(socket))
  })
  readonly #dialogs = new Map<Dialog<From, To>, ClientConnection>()
  readonly #contexts: SecureContexts

  constructor(options: ListenerOptions<From, To>) {
    this.#options = options
    this.#contexts = new SecureContexts(options.tls)
  }

  /** Returns the port number; 0 before `open`. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  /** Throws if the port cannot be opened. */
  async open(port: number, { host, reusePort = false }: ListeningPlace): Promise<void> {
    takeTogether(this.#server)
    this.#server.listen({ port, host, reusePort })
    await once(this.#server, 'listening')
    const { log } = this.#options.settings
    this.#server.on('error', (error) => log.warn({ err: error }, 'SMTP connections cannot be accepted'))
  }

  /** Stops accepting connections, ends idle connections, and ends all other connections after their transaction. */
  async drain(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const dialogs = (): Dialog<From, To>[] => [...this.#dialogs.keys()]
    for (const dialog of dialogs()) dialog.drain()
    const until = performance.now() + this.#options.settings.limits.stopMs
    while (performance.now() < until && dialogs().some((dialog) => dialog.inTransaction)) await sleep(LOOK_MS)
    for (const dialog of dialogs()) dialog.stop()
    await Promise.race([closed, sleep(LINGER_MS)])
    for (const connection of this.#dialogs.values()) connection.destroy()
    await Promise.race([closed, sleep(LINGER_MS)])
  }

  #accept(socket: Socket): void {
    const { settings, slots, implicitTls } = this.#options
    const address = socket.remoteAddress ?? ''
    const slot = slots.enter(address, () => dialog.giveWay())
    if (slot === undefined) {
      this.#turnAway(socket)
      return
    }
    const connection = new ClientConnection(socket, settings.clock)
    const rules = this.#options.rulesFor({
      address,
      tlsVersion: () => connection.tlsVersion,
      vouch: (account) => slot.vouch(account),
    })
    const secureContext = (): SecureContext => this.#contexts.current()
    const dialog = new Dialog({ settings, connection, slot, rules, implicitTls, secureContext })
    this.#dialogs.set(dialog, connection)
    void dialog.run()
    // The slot is released when the connection closes, not when the dialog ends, so that a running command delays no
    // other client.
    void connection.closed.then(() => {
      this.#dialogs.delete(dialog)
      slot.leave()
    })
  }

  #turnAway(socket: Socket): void {
    socket.on('error', () => {})
    if (this.#options.implicitTls) {
      socket.destroy()
      return
    }
    const { hostName } = this.#options.settings
    socket.end(`421 ${hostName} Too many connections; please try again\r\n`)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
