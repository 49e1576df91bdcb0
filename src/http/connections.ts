// The HTTP door's connections: one request at a time on each, and a bounded number, of which the idlest gives way.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '../lib/client-network.ts'
import { Networks } from '../lib/networks.ts'
import { Shares } from '../lib/shares.ts'
import type { FairScheduler } from '../threads/fair-scheduler.ts'
import { ConnectionInput, type InputState } from './connection-input.ts'
import type { HttpFigures } from './http-figures.ts'

/** Connections in all, where files suffice; one client network holds at most half of them. */
export const MAX_CONNECTIONS = 4_096

interface Connection {
  readonly socket: Socket
  /** Undefined for a trusted proxy, which speaks for many. */
  readonly network: string | undefined
  /** The answer that is owed, or that the client has not taken yet. */
  answering: ServerResponse | undefined
  /** The request that was read last. Its body may still arrive, even after the request was refused. */
  reading: IncomingMessage | undefined
  /** Bytes that are not parsed yet; undefined until the HTTP server has taken the connection. */
  input: ConnectionInput | undefined
}

function stateOf({ answering, reading }: Connection): InputState {
  if (reading?.complete === false) return 'body'
  if (answering === undefined) return 'request'
  return answering.writableEnded ? 'answered' : 'answering'
}

const ownerOf = ({ network }: Connection): string => network ?? 'proxies'

/**
 * Stands between the HTTP server and the listener that serves its requests. A connection has one request under way: of a
 * client that pipelines only the first request is served, so that neither unread answers nor requests can gather.
 */
export class Connections {
  readonly #serve: RequestListener
  readonly #turns: FairScheduler
  readonly #proxies: Networks
  readonly #figures: HttpFigures
  readonly #open = new WeakMap<Socket, Connection>()
  /** Those without a request under way, the one that has been so for longest first. */
  readonly #idle = new Set<Connection>()
  readonly #shares: Shares
  readonly #max: number
  #proxied = 0
  #isClosing = false

  /** @param trustedProxies networks, in CIDR notation, that are no single client's */
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

  /** Takes every request that the server has read. */
  readonly onRequest: RequestListener = (request, response) => {
    const connection = this.#open.get(request.socket)
    if (connection === undefined) this.#serve(request, response)
    else if (connection.answering === undefined) this.#begin(connection, request, response)
    else connection.input?.refuse()
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

  /** Ends a request whose answer the client has, or never will have. */
  #end(connection: Connection, socket: Socket): void {
    connection.answering = undefined
    if (this.#isClosing || connection.input?.isEarly) socket.destroySoon()
    if (socket.destroyed) return
    this.#idle.add(connection)
    connection.input?.goOn()
  }

  /** Gives a new connection a slot; without one it is closed, and the answer is false. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ''
    const network = this.#proxies.includes(address) ? undefined : clientNetwork(address)
    if (!this.#take(network) && !(this.#giveWay(network) && this.#take(network))) {
      socket.destroy()
      return false
    }
    const idle = { answering: undefined, reading: undefined, input: undefined }
    const connection: Connection = { socket, network, ...idle }
    this.#open.set(socket, connection)
    this.#idle.add(connection)
    socket.once('close', () => this.#leave(connection))
    return true
  }

  /** From now on a connection ends with the answer that it waits for. */
  close(): void {
    this.#isClosing = true
  }

  /** Has the requests of TLS over an admitted connection count as that connection's. */
  bind(secure: Socket, socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) this.#open.set(secure, connection)
  }

  /** Has the HTTP server read a connection that it has taken request by request, and bodies in short turns. */
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

  /** Ends the idlest connection of the same network, else the idlest of all; false when every one is busy. */
  #giveWay(network: string | undefined): boolean {
    let idlest: Connection | undefined
    for (const connection of this.#idle) {
      idlest ??= connection
      if (connection.network !== network) continue
      idlest = connection
      break
    }
    if (idlest === undefined) return false
    this.#leave(idlest)
    idlest.socket.destroy()
    return true
  }

  #leave(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return
    this.#idle.delete(connection)
    connection.input = undefined
    if (connection.network === undefined) this.#proxied--
    else this.#shares.release(connection.network, 1)
  }
}
