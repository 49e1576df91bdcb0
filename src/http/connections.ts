// Connections of an HTTP port: one request at a time on each connection, and a limited number of connections. The
// connection that is idle longest is closed for a new connection.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { clientNetwork } from '../lib/client-network.ts'
import { Networks } from '../lib/networks.ts'
import { Shares } from '../lib/shares.ts'
import type { FairScheduler } from '../threads/fair-scheduler.ts'
import { ConnectionInput, type InputState } from './connection-input.ts'
import type { HttpFigures } from './http-figures.ts'

/**
 * Maximum number of connections of a port; lower if there are too few file descriptors. One client network may hold at
 * most half of the connections.
 */
export const MAX_CONNECTIONS = 4_096

interface Connection {
  readonly socket: Socket
  /** Network of the client; undefined for a trusted proxy, which represents many clients. */
  readonly network: string | undefined
  /** Response that is being prepared, or that the client has not received completely. */
  answering: ServerResponse | undefined
  /** Last request that was read. If the request was refused early, its body may still be arriving. */
  reading: IncomingMessage | undefined
  /** Input of the connection; undefined until the HTTP server has accepted the connection. */
  input: ConnectionInput | undefined
  /** True once the connection has changed to another protocol, in which the client may send at any time. */
  isUpgraded: boolean
}

function stateOf({ answering, reading, isUpgraded }: Connection): InputState {
  if (isUpgraded || reading?.complete === false) return 'body'
  if (answering === undefined) return 'request'
  return answering.writableEnded ? 'answered' : 'answering'
}

const ownerOf = ({ network }: Connection): string => network ?? 'proxies'

/** Module that makes responses; an `import` of `node:http` would load Node's own undici. */
const { ServerResponse: Response } = process.getBuiltinModule('node:http')

/** A request that may change the protocol of its connection (RFC 9110 §7.8). */
interface Upgrade {
  /** Bytes that the client has sent after the request. */
  readonly head: Buffer
  /** Hands the connection over to the other protocol, whose owner writes the response. */
  accept(): void
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Returns the upgrade of a request; undefined for a request that the HTTP server takes for a usual one. */
export const upgradeOf = (request: IncomingMessage): Upgrade | undefined => upgrades.get(request)

/**
 * Connections of an HTTP server, and the listener that serves their requests. A connection has at most one running
 * request, and only the first request of a client that pipelines is served, so that neither requests nor unread
 * responses accumulate.
 */
export class Connections {
  readonly #serve: RequestListener
  readonly #turns: FairScheduler
  readonly #proxies: Networks
  readonly #figures: HttpFigures
  readonly #open = new WeakMap<Socket, Connection>()
  /** Connections without a running request, in the order in which the connections became idle. */
  readonly #idle = new Set<Connection>()
  readonly #shares: Shares
  readonly #max: number
  #proxied = 0
  #isClosing = false

  /** @param trustedProxies networks of proxies that represent many clients, in CIDR notation */
  constructor(
    serve: RequestListener,
    turns: FairScheduler,
    figures: HttpFigures,
    trustedProxies: readonly string[],
    max = MAX_CONNECTIONS,
  ) {
    this.#serve = serve
    this.#turns = turns
    this.#figures = figures
    this.#max = max
    this.#shares = new Shares(max)
    this.#proxies = new Networks(trustedProxies)
  }

  /** Listener for every request that the HTTP server has read. */
  readonly onRequest: RequestListener = (request, response) => {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) this.#serve(request, response)
    else if (connection.answering === undefined) this.#begin(connection, request, response)
    else connection.input?.refuse()
  }

  /**
   * Listener for requests that may change the protocol. The endpoint accepts the upgrade or answers as usual; the
   * parser has left the connection, so a usual answer ends the connection.
   */
  readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const connection = this.#open.get(request.socket)
    if (connection === undefined || connection.answering !== undefined) {
      socket.destroy()
      return
    }
    const response = new Response(request)
    response.shouldKeepAlive = false
    response.assignSocket(request.socket)
    const end = (): void => request.socket.destroySoon()
    response.once('finish', end)
    // The parser handled errors of the socket before.
    socket.on('error', () => socket.destroy())
    upgrades.set(request, {
      head,
      accept() {
        response.off('finish', end)
        connection.isUpgraded = true
      },
    })
    this.#begin(connection, request, response)
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.reading = request
    connection.answering = response
    this.#idle.delete(connection)
    const began = performance.now()
    response.once('close', () => {
      this.#figures.noteAnswer(request, response, (performance.now() - began) / 1_000)
      this.#end(connection, request.socket)
    })
    this.#turns.run(ownerOf(connection), () => {
      if (!response.destroyed) this.#serve(request, response)
    })
  }

  /** Ends a request whose response the client has received, or will never receive. */
  #end(connection: Connection, socket: Socket): void {
    connection.answering = undefined
    if (this.#isClosing || connection.input?.isEarly) socket.destroySoon()
    if (socket.destroyed) return
    this.#idle.add(connection)
    connection.input?.goOn()
  }

  /** Gives a new connection a slot; closes the connection and returns false if there is no free slot. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ''
    const network = this.#proxies.includes(address) ? undefined : clientNetwork(address)
    if (!this.#take(network) && !(this.#closeIdlest(network) && this.#take(network))) {
      socket.destroy()
      return false
    }
    const idle = { answering: undefined, reading: undefined, input: undefined, isUpgraded: false }
    const connection: Connection = { socket, network, ...idle }
    this.#open.set(socket, connection)
    this.#idle.add(connection)
    socket.once('close', () => this.#release(connection))
    return true
  }

  /** Closes each connection after its pending response, also connections that are admitted later. */
  close(): void {
    this.#isClosing = true
  }

  /** Assigns the requests of a TLS socket to the admitted TCP connection of the TLS socket. */
  bind(secure: Socket, socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) this.#open.set(secure, connection)
  }

  /** Makes the HTTP server read an accepted connection one request at a time, and bodies in short turns. */
  pace(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    connection.input = new ConnectionInput(socket, {
      state: () => stateOf(connection),
      later: (work) => this.#turns.run(ownerOf(connection), work),
      onEarly: () => {
        const { answering } = connection
        if (answering?.headersSent === false) answering.shouldKeepAlive = false
      },
    })
  }

  #take(network: string | undefined): boolean {
    if (network !== undefined) return this.#shares.take(network, 1)
    if (this.#proxied >= this.#max) return false
    this.#proxied++
    return true
  }

  /**
   * Closes the longest idle connection of the same network, or of any network if this network has no idle connection.
   * Returns false if every connection is busy.
   */
  #closeIdlest(network: string | undefined): boolean {
    let idlest: Connection | undefined
    for (const connection of this.#idle) {
      idlest ??= connection
      if (connection.network !== network) continue
      idlest = connection
      break
    }
    if (idlest === undefined) return false
    this.#release(idlest)
    idlest.socket.destroy()
    return true
  }

  #release(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return
    this.#idle.delete(connection)
    connection.input = undefined
    if (connection.network === undefined) this.#proxied--
    else this.#shares.release(connection.network, 1)
  }
}
