// The way of a connection into the HTTP server: its PROXY header, its slot, TLS where it is wanted, then requests.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket, type TLSSocketOptions } from 'node:tls'
import {
  type CertificateAndKey,
  type CertificateInForce,
  contextOfPair,
  SecureContexts,
} from '../lib/certificate-files.ts'
import { nameClient, type ProxyProtocol } from '../lib/proxy-protocol.ts'
import { takeTogether } from '../threads/arriving-connections.ts'
import { challengeOptions, readClientHello } from './client-hello.ts'
import type { Connections } from './connections.ts'

/** The certificates of an HTTPS port. */
export interface HttpsCertificates {
  readonly inForce: CertificateInForce
  /** The certificate of a tracking host; undefined for any other name. */
  readonly ofHost?: ((name: string) => CertificateAndKey | undefined) | undefined
  /** Answers TLS-ALPN-01 challenges under way (RFC 8737); absent where none is ever made. */
  readonly ofChallenge?: ((name: string) => Promise<CertificateAndKey | undefined>) | undefined
}

/** Time for a TLS handshake. */
const HANDSHAKE_MS = 10_000

type Serve = (this: Server, socket: Socket) => void

/** Stands before everything that an HTTP server does with a connection. */
export class ConnectionHandler {
  readonly #server: Server
  readonly #serving: readonly Serve[]
  readonly #connections: Connections
  readonly #proxyProtocol: ProxyProtocol | undefined
  /** Connections before the end of their handshake. */
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

  /** Makes the listener for the connections of an HTTPS port. */
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

  /** Closes the connections whose handshake has not ended, and each other one behind the answer that it waits for. */
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
    // One that was read for its header waits until then.
    socket.resume()
  }
}

/** The context of a tracking host; without one the handshake goes on with that of the port. */
const contextByName =
  (ofHost: NonNullable<HttpsCertificates['ofHost']>): NonNullable<TLSSocketOptions['SNICallback']> =>
  (name, done) => {
    const pair = ofHost(name)
    done(null, pair && contextOfPair(pair))
  }

/** RFC 8737 §3: nothing is said over such a connection. */
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

/** Ends a connection whose client keeps us waiting. */
function cutOffLater(socket: Socket): () => void {
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
  const cancel = (): void => clearTimeout(timer)
  socket.on('error', () => {}).once('close', cancel)
  return cancel
}
