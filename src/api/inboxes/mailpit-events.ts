// GET /api/events below a test inbox: the WebSocket of Mailpit, which sends the changes of the inbox.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import { upgradeOf } from '../../http/connections.ts'
import type { InboxEvent, InboxFeed, InboxFollower } from '../../inboxes/inbox-feed.ts'
import { pitEvents } from '../../inboxes/mailpit.ts'
import { packageVersion } from '../../lib/package-version.ts'
import { Problem } from '../../model/problem.ts'
import type { InboxOwner } from '../../store/inboxes/mails.ts'
import { type StreamOwner, StreamSlots } from '../events/stream-slots.ts'
import { badRequest, inboxOf, pageNotFound, route } from './compatible.ts'

/** Maximum numbers of open WebSockets: of a node, of an account, and of an inbox. */
const MAX_SOCKETS = 1_000
const MAX_OF_ACCOUNT = 50
const MAX_OF_INBOX = 20
const RETRY_SECONDS = 10
/** Interval of pings; a client that has not answered the previous ping is disconnected. */
const PING_MS = 30_000
/** Maximum size of a message of a client, in bytes; clients of Mailpit send none. */
const MAX_MESSAGE = 1_024
/** Maximum number of bytes that wait for a client; a client that reads more slowly is disconnected. */
const MAX_UNREAD = 1_024 * 1_024
/** Maximum number of unread bytes for which a ping of the client is answered. */
const MAX_UNREAD_PONGS = 16 * 1_024
/** Time for clients to answer the end of their WebSockets when the node stops, in milliseconds. */
const END_MS = 500

/** Status codes of the end of a WebSocket (RFC 6455 §7.4.1). */
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008

/** True for a request for the WebSocket of an inbox, whose connection may change to the WebSocket protocol. */
export const isInboxSocket = ({
  method,
  url = '',
  headers,
}: {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly upgrade?: string | undefined }
}): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  /^\/inboxes\/[^/?]+\/api\/events(?:\?|$)/.test(url)

/** Open WebSockets of this node. */
export class InboxSockets {
  readonly #feed: InboxFeed
  readonly #slots = new StreamSlots(MAX_SOCKETS)
  readonly #open = new Set<WebSocket>()
  readonly #version = `v${packageVersion()}`
  #server: Promise<WebSocketServer> | undefined
  #isStopping = false

  constructor(feed: InboxFeed) {
    this.#feed = feed
  }

  /** Closes all WebSockets, before the HTTP server waits for the end of their connections. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const ended = [...this.#open].map(
      (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
    )
    for (const socket of this.#open) socket.close(GOING_AWAY)
    const timer = setTimeout(() => {
      for (const socket of this.#open) socket.terminate()
    }, END_MS)
    await Promise.all(ended)
    clearTimeout(timer)
  }

  /** Adds the endpoint. */
  addTo(server: FastifyInstance): void {
    server.get('/api/events', route, (request, reply) => this.#accept(request, reply))
  }

  async #accept(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const upgrade = upgradeOf(request.raw)
    if (upgrade === undefined) throw badRequest('connect with a WebSocket')
    refuseOtherOrigins(request)
    const owner = inboxOf(request)
    const owners = ownersOf(owner)
    if (this.#isStopping || !this.#slots.take(owners)) {
      const detail = `An inbox has at most ${MAX_OF_INBOX} WebSockets, and an account ${MAX_OF_ACCOUNT}; close one first.`
      throw new Problem('rate_limit_exceeded', detail, { retryAfter: RETRY_SECONDS })
    }
    // The response is assigned to the connection, so it closes when the connection does, whatever ends the connection.
    const { raw } = reply
    if (raw.destroyed) this.#slots.release(owners)
    else raw.once('close', () => this.#slots.release(owners))
    const follower = new SocketFollower(this.#version)
    const leave = await this.#feed.follow(owner, follower)
    if (leave === undefined) throw pageNotFound()
    const server = await this.#opened()
    if (request.raw.socket.destroyed || this.#isStopping) {
      leave()
      request.raw.socket.destroy()
      return reply.hijack()
    }
    raw.once('close', leave)
    raw.statusCode = 101
    reply.hijack()
    upgrade.accept()
    // A request that is no correct handshake is refused by the library, which then ends the connection.
    server.handleUpgrade(request.raw, request.raw.socket, upgrade.head, (socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      follower.begin(socket)
    })
    return reply
  }

  /** Loads the library with the first WebSocket. */
  #opened(): Promise<WebSocketServer> {
    this.#server ??= import('ws').then(
      (ws) =>
        new ws.WebSocketServer({
          ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
          maxPayload: MAX_MESSAGE,
        }),
    )
    return this.#server
  }
}

const ownersOf = ({ accountId, inboxId }: InboxOwner): readonly StreamOwner[] => [
  { id: accountId, most: MAX_OF_ACCOUNT },
  { id: inboxId, most: MAX_OF_INBOX },
]

/**
 * Refuses a page of another origin. Browsers open WebSockets to any host without asking the host first, and send a login
 * that they remember along (RFC 6455 §10.2).
 */
function refuseOtherOrigins({ headers: { origin }, host }: FastifyRequest): void {
  if (origin === undefined || URL.parse(origin)?.host === host.toLowerCase()) return
  throw new Problem('origin_not_permitted', 'a page of another origin may not follow an inbox')
}

/** Writes the events of an inbox to a WebSocket; events before the WebSocket is open are written first. */
class SocketFollower implements InboxFollower {
  readonly #version: string
  #early: InboxEvent[] = []
  #socket: WebSocket | undefined
  #isAnswering = true

  constructor(version: string) {
    this.#version = version
  }

  begin(socket: WebSocket): void {
    this.#socket = socket
    // Errors of the connection and of the protocol end the WebSocket; there is nobody to tell.
    socket.on('error', () => {})
    socket.on('pong', () => {
      this.#isAnswering = true
    })
    socket.on('ping', (data) => {
      if (socket.bufferedAmount > MAX_UNREAD_PONGS) socket.terminate()
      else socket.pong(data)
    })
    const timer = setInterval(() => {
      if (!this.#isAnswering) socket.terminate()
      this.#isAnswering = false
      socket.ping()
    }, PING_MS)
    timer.unref()
    socket.once('close', () => clearInterval(timer))
    this.take(this.#early)
    this.#early = []
  }

  take(events: readonly InboxEvent[]): void {
    const socket = this.#socket
    if (socket === undefined) {
      this.#early.push(...events)
      return
    }
    for (const event of events) {
      for (const one of pitEvents(event, this.#version)) {
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(one))
      }
    }
    if (socket.bufferedAmount > MAX_UNREAD) socket.terminate()
  }

  end(): void {
    this.#socket?.close(POLICY_VIOLATION)
  }
}
