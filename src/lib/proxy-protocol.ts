// The PROXY protocol at the listeners: connections from trusted load balancers begin with a header that names the
// client.

import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import type { Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { Networks } from './networks.ts'
import { type ProxiedClient, readProxyHeader } from './proxy-header.ts'

export interface ProxyProtocolOptions {
  /**
   * Networks of the balancers, in CIDR notation. PROXY headers are required from there, and not interpreted from
   * other addresses (§2 of the protocol).
   */
  readonly networks: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

/** Timeout of a header: longer than one retransmission of a lost packet (§2: at least 3 s). */
const HEADER_MS = 5_000

export class ProxyProtocol implements Part {
  readonly name = 'PROXY protocol'
  readonly #balancers: Networks
  readonly #clock: Clock
  readonly #log: Log
  /** Connections whose header has not arrived yet. */
  readonly #reading = new Set<Socket>()

  constructor({ networks, clock, log }: ProxyProtocolOptions) {
    this.#balancers = new Networks(networks)
    this.#clock = clock
    this.#log = log
  }

  /**
   * Calls `take` with a new connection: at once, or when its header was read. Then `remoteAddress` and `remotePort`
   * are those of the client, the bytes after the header are still unread, and the socket is paused. Closes a
   * connection from a balancer without a valid header in time.
   */
  receive(socket: Socket, take: () => void): void {
    if (!this.#balancers.includes(socket.remoteAddress ?? '')) {
      take()
      return
    }
    let bytes: Buffer = Buffer.alloc(0)
    const end = (): void => {
      cancel()
      this.#reading.delete(socket)
      socket.off('data', read).off('close', end)
    }
    const refuse = (reason: string): void => {
      const fields = {
        balancer: socket.remoteAddress,
        err: new Error(`the PROXY header is malformed: ${reason}`),
      }
      this.#log.warn(fields, 'a connection of POSTRIDER_PROXY_PROTOCOL was closed')
      end()
      socket.destroy()
    }
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const header = readProxyHeader(bytes)
      if (header.kind === 'malformed') refuse(header.reason)
      if (header.kind !== 'complete') return
      end()
      socket.pause()
      if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length))
      if (header.client !== undefined) nameClient(socket, header.client)
      take()
    }
    const cancel = this.#clock.after(HEADER_MS, () => refuse('it did not arrive in time'))
    this.#reading.add(socket)
    // An error of a balancer that disconnects needs no handling, as `close` follows.
    socket.on('error', () => {})
    socket.on('data', read).on('close', end)
  }

  /** Closes the connections whose header has not arrived. */
  stop(): void {
    for (const socket of this.#reading) socket.destroy()
  }
}

/** Gives a socket the address of the client that it stands for. */
export function nameClient(socket: Socket, { address, port }: ProxiedClient): void {
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true })
  Object.defineProperty(socket, 'remotePort', { value: port, configurable: true })
}
