// The HTTP door's connections: one request at a time on each, and so many at most, of which the idlest gives way.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '../lib/client-network.ts'
import { Networks } from '../lib/networks.ts'
import { Shares } from '../lib/shares.ts'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'
import type { FairScheduler } from '../threads/fair-scheduler.ts'
import type { HttpFigures } from './http-figures.ts'
import { PacedInput } from './paced-input.ts'

/** Connections in all, where files suffice; one client network holds at most half of them. */
export const MAX_CONNECTIONS = 4_096
/** Requests that came behind one that is not answered yet, on all connections together. */
const MAX_WAITING = 20_000

interface Connection {
  readonly socket: Socket
  /** Undefined for a trusted proxy, which speaks for many. */
  readonly network: string | undefined
  /** The request whose answer is owed or not yet taken by the client. */
  answering: IncomingMessage | undefined
  /** The request that was read last, of which the body may still come, also when it was refused long ago. */
  reading: IncomingMessage | undefined
  /** Whole requests that came behind it, in the same piece. */
  waiting: [IncomingMessage, ServerResponse][]
  /** Input that is not parsed yet; undefined until the HTTP server has taken the connection. */
  input: PacedInput | undefined
}

const ownerOf = ({ network }: Connection): string => network ?? 'proxies'

/**
 * Stands between the HTTP server and what serves its requests. A client that pipelines gets its answers one after the
 * other: the next request is begun when the answer before has gone out, and meanwhile nothing more is read or parsed, so
 * that neither unread answers nor requests can gather (RFC 9112 §9.3.2).
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
  /** Of the requests that wait. */
  readonly #places = new Shares(MAX_WAITING)
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
    if (connection === undefined) {
      this.#serve(request, response)
      return
    }
    connection.reading = request
    connection.input?.expectBody(Number(request.headers['content-length'] ?? 0))
    if (connection.answering === undefined) this.#begin(connection, request, response)
    else if (!this.#places.take(ownerOf(connection), 1)) request.socket.destroy()
    else connection.waiting.push([request, response])
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.answering = request
    this.#idle.delete(connection)
    const began = performance.now()
    response.once('close', () => {
      this.#figures.noteAnswer(request, response, (performance.now() - began) / 1_000)
      this.#next(connection)
      if (this.#isClosing && connection.answering === undefined) request.socket.end()
    })
    this.#turns.run(ownerOf(connection), () => {
      if (!response.destroyed) this.#serve(request, response)
    })
  }

  #next(connection: Connection): void {
    connection.answering = undefined
    const next = connection.waiting.shift()
    if (next === undefined) {
      if (!connection.socket.destroyed) this.#idle.add(connection)
    } else {
      this.#places.release(ownerOf(connection), 1)
      this.#begin(connection, ...next)
    }
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
    const idle = { answering: undefined, reading: undefined, waiting: [], input: undefined }
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

  /**
   * Has the HTTP server read a connection that it has taken in small pieces, nothing while an answer is owed, and bodies
   * in short turns of the event loop, whether anybody takes them or not.
   */
  pace(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    let isPutOff = false
    const isInBody = (): boolean => connection.reading?.complete === false
    const input = new PacedInput(socket, {
      isHeld: () => connection.waiting.length > 0 || connection.answering?.complete === true,
      isForLater: () => {
        if (isPutOff) return true
        if (!isInBody() || eventLoopBudget.isYoung()) return false
        isPutOff = true
        this.#turns.run(ownerOf(connection), () => {
          isPutOff = false
          input.goOn()
        })
        return true
      },
      isInBody,
    })
    connection.input = input
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
    this.#places.release(ownerOf(connection), connection.waiting.length)
    connection.waiting = []
    connection.input = undefined
    if (connection.network === undefined) this.#proxied--
    else this.#shares.release(connection.network, 1)
  }
}
