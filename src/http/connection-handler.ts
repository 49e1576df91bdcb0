// Runs the stages of a connection before its first request: PROXY header, connection slot, and TLS at an HTTPS port.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket, type TLSSocketOptions } from 'node:tls'
import {
  type CertificateAndKey,
  type CertificateInForce,
  contextOfPair,
  SecureContexts,
} from '../lib/certificate-files.ts'
import { nameClient, type ProxyProtocol } from '../lib/proxy-protocol.ts'
import { takeTogether } from '../threads/arriving-connections.ts'
import type { Connections } from './connections.ts'

/** Certificates of an HTTPS port. */
export interface HttpsCertificates {
  readonly inForce: CertificateInForce
  /** Returns the certificate of a host of a domain; undefined for any other name. */
  readonly ofHost?: ((name: string) => CertificateAndKey | undefined) | undefined
  /**
   * Returns the certificate for a pending TLS-ALPN-01 challenge (RFC 8737); absent on a node that never orders
   * certificates by such challenges.
   */
  readonly ofChallenge?: ((name: string) => Promise<CertificateAndKey | undefined>) | undefined
}

/** Time limit for a TLS handshake, in milliseconds. */
const HANDSHAKE_MS = 10_000
/** ALPN protocol of a handshake that validates a challenge, which no browser offers. */
const ACME_PROTOCOL = 'acme-tls/1'
/** Length of the header of a TLS record; the fragment after the header has at most 2^14 bytes (RFC 8446 §5.1). */
const RECORD_HEADER = 5
const MAX_RECORD = RECORD_HEADER + 2 ** 14

type Serve = (this: Server, socket: Socket) => void

/** Handles each connection before the HTTP server reads from the connection. */
export class ConnectionHandler {
  readonly #server: Server
  readonly #serving: readonly Serve[]
  readonly #connections: Connections
  readonly #proxyProtocol: ProxyProtocol | undefined
  /** Connections whose TLS handshake has not ended. */
  readonly #handshaking = new Set<Socket>()

  constructor(server: Server, connections: Connections, proxyProtocol?: ProxyProtocol) {
    this.#server = server
    this.#connections = connections
    this.#proxyProtocol = proxyProtocol
    this.#serving = server.listeners('connection') as Serve[]
    server.removeAllListeners('connection')
    takeTogether(server)
    server.on('connection', (socket: Socket) => this.#admit(socket, () => this.#serve(socket)))
  }

  /** Returns the listener for new connections of an HTTPS port. */
  tls({ inForce, ofHost, ofChallenge }: HttpsCertificates): (socket: Socket) => void {
    const contexts = new SecureContexts(inForce)
    const serve = (socket: Socket): void => {
      const secureContext = contexts.current()
      const secure = new TLSSocket(socket, {
        ...{ isServer: true, secureContext, ALPNProtocols: ['http/1.1'] },
        ...(ofHost === undefined ? {} : { SNICallback: contextByName(ofHost) }),
      })
      const { remoteAddress: address = '', remotePort: port = 0 } = socket
      nameClient(secure, { address, port })
      afterHandshake(secure, socket, () => {
        this.#handshaking.delete(socket)
        this.#connections.bind(secure, socket)
        this.#serve(secure)
      })
    }
    return (socket) =>
      this.#admit(socket, () => {
        this.#handshaking.add(socket)
        socket.once('close', () => this.#handshaking.delete(socket))
        if (ofChallenge === undefined) {
          serve(socket)
          return
        }
        const cancel = cutOffLater(socket)
        readClientHello(socket, (isChallenge) => {
          cancel()
          if (isChallenge) answerChallenge(socket, ofChallenge)
          else serve(socket)
        })
      })
  }

  /** Closes connections whose handshake has not ended, and closes every other connection after its pending response. */
  close(): void {
    this.#connections.close()
    for (const socket of this.#handshaking) socket.destroy()
  }

  #admit(socket: Socket, take: () => void): void {
    const admitted = (): void => {
      if (this.#connections.admit(socket)) take()
    }
    if (this.#proxyProtocol === undefined) admitted()
    else this.#proxyProtocol.receive(socket, admitted)
  }

  #serve(socket: Socket): void {
    for (const listener of this.#serving) listener.call(this.#server, socket)
    this.#connections.pace(socket)
    // A socket whose PROXY header was read is still paused.
    socket.resume()
  }
}

/** Selects the certificate of a host of a domain; the certificate of the port is used for any other name. */
const contextByName =
  (ofHost: NonNullable<HttpsCertificates['ofHost']>): NonNullable<TLSSocketOptions['SNICallback']> =>
  (name, done) => {
    const pair = ofHost(name)
    done(null, pair && contextOfPair(pair))
  }

/**
 * Calls `take` when the first TLS record has arrived, with true if the client offers the protocol of challenges; the
 * record stays readable from the socket. A connection that does not begin with a handshake is closed.
 */
function readClientHello(socket: Socket, take: (isChallenge: boolean) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    // The content type of a handshake record is 22.
    if (bytes[0] !== 22) {
      socket.destroy()
      return
    }
    const length = bytes.length < RECORD_HEADER ? RECORD_HEADER : RECORD_HEADER + bytes.readUInt16BE(3)
    if (bytes.length < Math.min(length, MAX_RECORD)) return
    socket.off('data', read)
    socket.pause()
    socket.unshift(bytes)
    take(bytes.includes(ACME_PROTOCOL))
  }
  socket.on('data', read)
  socket.resume()
}

/**
 * Returns the TLS options for a handshake that validates a challenge. The handshake fails if the name has no pending
 * challenge.
 */
function challengeOptions(
  certificateOf: (name: string) => Promise<CertificateAndKey | undefined>,
): TLSSocketOptions {
  return {
    ALPNProtocols: [ACME_PROTOCOL],
    SNICallback(name: string, done: (error: Error | null, context?: SecureContext) => void) {
      certificateOf(name).then(
        (pair) => {
          if (pair === undefined) done(new Error('no challenge is under way'))
          else done(null, createSecureContext({ cert: pair.cert, key: pair.key }))
        },
        (error: Error) => done(error),
      )
    },
  }
}

/** Runs the handshake of a TLS-ALPN-01 challenge and closes the connection, which carries no data (RFC 8737 §3). */
function answerChallenge(socket: Socket, certificateOf: NonNullable<HttpsCertificates['ofChallenge']>): void {
  const secure = new TLSSocket(socket, { isServer: true, ...challengeOptions(certificateOf) })
  afterHandshake(secure, socket, () => secure.end())
}

function afterHandshake(secure: TLSSocket, socket: Socket, done: () => void): void {
  const cancel = cutOffLater(socket)
  secure.on('error', () => socket.destroy())
  secure.once('secure', () => {
    cancel()
    done()
  })
}

/** Closes the connection when the time limit for the handshake ends; returns a function that cancels the timer. */
function cutOffLater(socket: Socket): () => void {
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
  const cancel = (): void => clearTimeout(timer)
  socket.on('error', () => {}).once('close', cancel)
  return cancel
}
