// The PROXY protocol at the listeners: connections from trusted load balancers begin with a header that names the
// client.

import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net'
import type { Clock } from './clock.ts'
import type { Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { Networks } from './networks.ts'

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

/** The beginning of a connection, parsed as a PROXY header. */
export type ProxyHeader =
  /** The bytes may still become a header. */
  | { readonly kind: 'incomplete' }
  /** `reason` in words, for the log. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /**
   * `length` in bytes. Without `client` the connection is from the balancer itself, or of a family without addresses.
   */
  | { readonly kind: 'complete'; readonly length: number; readonly client?: ProxiedClient }

interface ProxiedClient {
  readonly address: string
  readonly port: number
}

/** §2.2: twelve bytes that no other protocol begins with. */
const SIGNATURE_2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const SIGNATURE_1 = Buffer.from('PROXY ', 'latin1')
/** §2.1: maximum line length, with two IPv6 addresses and CRLF. */
const MAX_LINE = 107
const FIXED_BYTES = 16
/** §2.2 allows 65,535; addresses and the extensions (§2.2.1 to §2.2.7) that balancers send take some hundreds. */
const MAX_BYTES = 4_096

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' }
const malformed = (reason: string): ProxyHeader => ({ kind: 'malformed', reason })

/** Parses the header at the beginning of `bytes`, which may hold more than the header, or only a part of it. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, SIGNATURE_2)) return readBinary(bytes)
  if (beginsWith(bytes, SIGNATURE_1)) return readLine(bytes)
  return malformed('there is none')
}

/** True while the bytes may be this signature. */
function beginsWith(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length)
  return bytes.subarray(0, length).equals(signature.subarray(0, length))
}

/** §2.1, version 1: a line of text. */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n')
  if (end < 0) return bytes.length < MAX_LINE ? INCOMPLETE : malformed(`its line has over ${MAX_LINE} bytes`)
  const length = end + 2
  const [, family, ...rest] = bytes.toString('latin1', 0, end).split(' ')
  // The addresses of an unknown family are ignored, like the rest of the line.
  if (family === 'UNKNOWN') return { kind: 'complete', length }
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isPlainIPv6 : undefined
  if (isAddress === undefined) return malformed('its family is none of TCP4, TCP6 and UNKNOWN')
  const [source = '', destination = '', port = '', destinationPort = '', more] = rest
  if (!isAddress(source) || !isAddress(destination)) return malformed('its addresses are not of its family')
  if (!isPort(port) || !isPort(destinationPort) || more !== undefined) return malformed('its ports are none')
  return { kind: 'complete', length, client: client(source, Number(port)) }
}

const isPlainIPv6 = (text: string): boolean => isIPv6(text) && !text.includes('%')

const isPort = (text: string): boolean => /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535

/** Families of §2.2, by the size of their addresses: two addresses and two ports, or two paths. */
const FAMILIES = [0, 12, 36, 216] as const
const [UNSPEC, INET, INET6] = [0, 1, 2]
const [LOCAL, PROXY] = [0, 1]
const STREAM = 1

/** §2.2, version 2. */
function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return INCOMPLETE
  const [versionAndCommand = 0, familyAndTransport = 0] = bytes.subarray(12, 14)
  if (versionAndCommand >> 4 !== 2) return malformed('its version is not 2')
  const command = versionAndCommand & 15
  if (command !== LOCAL && command !== PROXY) return malformed('its command is none of LOCAL and PROXY')
  const length = FIXED_BYTES + bytes.readUInt16BE(14)
  if (length > MAX_BYTES) return malformed(`it has over ${MAX_BYTES} bytes`)
  if (bytes.length < length) return INCOMPLETE
  // A health check of the balancer: the rest of the header is ignored.
  if (command === LOCAL) return { kind: 'complete', length }
  const [family, transport] = [familyAndTransport >> 4, familyAndTransport & 15]
  const wanted = FAMILIES[family]
  if (wanted === undefined) return malformed('its address family is unknown')
  if (family === UNSPEC || transport === 0) return { kind: 'complete', length }
  if (transport !== STREAM) return malformed('its transport is not a stream')
  if (length - FIXED_BYTES < wanted) return malformed('its addresses are cut short')
  const addresses = bytes.subarray(FIXED_BYTES, length)
  if (family === INET) {
    return {
      kind: 'complete',
      length,
      client: client(addresses.subarray(0, 4).join('.'), addresses.readUInt16BE(8)),
    }
  }
  if (family === INET6) {
    const groups = Array.from({ length: 8 }, (_, at) => addresses.readUInt16BE(at * 2).toString(16))
    return { kind: 'complete', length, client: client(groups.join(':'), addresses.readUInt16BE(32)) }
  }
  return { kind: 'complete', length }
}

/** Returns the canonical spelling of an address (RFC 5952), as the system writes it. */
function client(address: string, port: number): ProxiedClient {
  if (!address.includes(':')) return { address, port }
  return { address: new SocketAddress({ address, family: 'ipv6' }).address, port }
}
