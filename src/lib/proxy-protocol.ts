// The PROXY protocol at the listeners: connections from trusted load balancers begin with a header that names the
// client.

import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net'
import type { Clock } from './clock.ts'
import type { Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { Networks } from './networks.ts'

export interface ProxyProtocolOptions {
  /**
   * Networks of the load balancers, in CIDR notation. A PROXY header is required from these networks, and is not
   * interpreted from other addresses (§2 of the protocol).
   */
  readonly networks: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

/** Timeout for the PROXY header in milliseconds, longer than one retransmission of a lost packet (§2: at least 3 s). */
const HEADER_MS = 5_000

export class ProxyProtocol implements Part {
  readonly name = 'PROXY protocol'
  readonly #balancers: Networks
  readonly #clock: Clock
  readonly #log: Log
  /** Connections whose PROXY header has not arrived yet. */
  readonly #reading = new Set<Socket>()

  constructor({ networks, clock, log }: ProxyProtocolOptions) {
    this.#balancers = new Networks(networks)
    this.#clock = clock
    this.#log = log
  }

  /**
   * Calls `take` when a new connection is ready: at once, or after its PROXY header was read. The socket is then
   * paused, has the `remoteAddress` and `remotePort` of the client, and still holds the bytes after the header. Closes
   * a connection from a load balancer that sends no valid header in time.
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
    // An error event needs no handling here, because `close` follows.
    socket.on('error', () => {})
    socket.on('data', read).on('close', end)
  }

  /** Closes the connections whose PROXY header has not arrived. */
  stop(): void {
    for (const socket of this.#reading) socket.destroy()
  }
}

/** Gives a socket the address and port of the client that the PROXY header names. */
export function nameClient(socket: Socket, { address, port }: ProxiedClient): void {
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true })
  Object.defineProperty(socket, 'remotePort', { value: port, configurable: true })
}

/** Result of parsing the first bytes of a connection as a PROXY header. */
export type ProxyHeader =
  /** The bytes may still become a complete header. */
  | { readonly kind: 'incomplete' }
  /** `reason` is a phrase for the log. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /**
   * `length` is in bytes. `client` is absent for a connection of the load balancer itself, and for an address family
   * without IP addresses.
   */
  | { readonly kind: 'complete'; readonly length: number; readonly client?: ProxiedClient }

interface ProxiedClient {
  readonly address: string
  readonly port: number
}

/** Signature of version 2 (§2.2): twelve bytes that are not the beginning of any other protocol. */
const SIGNATURE_2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const SIGNATURE_1 = Buffer.from('PROXY ', 'latin1')
/** Maximum length of the line of version 1 (§2.1), with two IPv6 addresses and CRLF. */
const MAX_LINE = 107
const FIXED_BYTES = 16
/**
 * Maximum length of a header of version 2. §2.2 allows 65,535 bytes, but addresses and the extensions (§2.2.1 to
 * §2.2.7) of load balancers take only some hundred bytes.
 */
const MAX_BYTES = 4_096

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' }
const malformed = (reason: string): ProxyHeader => ({ kind: 'malformed', reason })

/**
 * Parses the PROXY header at the beginning of `bytes`, which may also contain later bytes, or only a part of the
 * header.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, SIGNATURE_2)) return readBinary(bytes)
  if (beginsWith(bytes, SIGNATURE_1)) return readLine(bytes)
  return malformed('there is none')
}

/** True if one of the two byte sequences begins with the other. */
function beginsWith(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length)
  return bytes.subarray(0, length).equals(signature.subarray(0, length))
}

/** Parses a header of version 1, a line of text (§2.1). */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n')
  if (end < 0) return bytes.length < MAX_LINE ? INCOMPLETE : malformed(`its line has over ${MAX_LINE} bytes`)
  const length = end + 2
  const [, family, ...rest] = bytes.toString('latin1', 0, end).split(' ')
  // The addresses of an unknown family are ignored, like the rest of the line.
  if (family === 'UNKNOWN') return { kind: 'complete', length }
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isPlainIPv6 : undefined
  if (isAddress === undefined) return malformed('its family is not TCP4, TCP6 or UNKNOWN')
  const [source = '', destination = '', port = '', destinationPort = '', more] = rest
  if (!isAddress(source) || !isAddress(destination)) return malformed('its addresses do not match its family')
  if (!isPort(port) || !isPort(destinationPort) || more !== undefined)
    return malformed('its ports are invalid')
  return { kind: 'complete', length, client: client(source, Number(port)) }
}

const isPlainIPv6 = (text: string): boolean => isIPv6(text) && !text.includes('%')

const isPort = (text: string): boolean => /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535

/** Size in bytes of the addresses of each address family (§2.2): two addresses and two ports, or two paths. */
const FAMILIES = [0, 12, 36, 216] as const
const [UNSPEC, INET, INET6] = [0, 1, 2]
const [LOCAL, PROXY] = [0, 1]
const STREAM = 1

/** Parses a header of version 2, which is binary (§2.2). */
function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return INCOMPLETE
  const [versionAndCommand = 0, familyAndTransport = 0] = bytes.subarray(12, 14)
  if (versionAndCommand >> 4 !== 2) return malformed('its version is not 2')
  const command = versionAndCommand & 15
  if (command !== LOCAL && command !== PROXY) return malformed('its command is neither LOCAL nor PROXY')
  const length = FIXED_BYTES + bytes.readUInt16BE(14)
  if (length > MAX_BYTES) return malformed(`it has over ${MAX_BYTES} bytes`)
  if (bytes.length < length) return INCOMPLETE
  // LOCAL is the command of health checks by the load balancer: the rest of the header is ignored.
  if (command === LOCAL) return { kind: 'complete', length }
  const [family, transport] = [familyAndTransport >> 4, familyAndTransport & 15]
  const wanted = FAMILIES[family]
  if (wanted === undefined) return malformed('its address family is unknown')
  if (family === UNSPEC || transport === 0) return { kind: 'complete', length }
  if (transport !== STREAM) return malformed('its transport is not a stream')
  if (length - FIXED_BYTES < wanted) return malformed('its addresses are truncated')
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

/** Returns the canonical spelling of an address (RFC 5952), which the operating system also uses. */
function client(address: string, port: number): ProxiedClient {
  if (!address.includes(':')) return { address, port }
  return { address: new SocketAddress({ address, family: 'ipv6' }).address, port }
}
