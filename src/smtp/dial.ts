// Opens a TCP connection to one of the addresses of a host: IPv6 first, IPv4 soon after; the first established
// connection is used.

import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { type DialogError, socketError } from './stage.ts'

/** A local address to connect from. */
export interface Source {
  readonly address: string
  /** EHLO name for this source address, if the PTR record of the address differs from the usual name. */
  readonly heloName?: string | undefined
}

/** Local source addresses by address family; a family without a source address is not used. */
export interface Sources {
  readonly ipv4?: Source | undefined
  readonly ipv6?: Source | undefined
}

export interface DialOptions {
  /** IP addresses of the host, in order of preference. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly sources?: Sources | undefined
  /** Timeout for all addresses together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Receives a message for each address that could not be reached. */
  readonly note: (text: string) => void
}

/** An established connection. */
export interface Dialled {
  readonly socket: Socket
  readonly address: string
  readonly source: Source | undefined
}

/** Head start of each address over the next one, in milliseconds (RFC 8305 §5). */
const HEAD_START_MS = 250
/** Time, in milliseconds, for which an address family without a route is tried last. */
const NO_ROUTE_MS = 60_000

/**
 * Time until which an address family counts as unreachable, in milliseconds of performance.now(); a global variable,
 * because routes depend only on the machine.
 */
const noRouteUntil = { ipv4: 0, ipv6: 0 }

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * Dials the addresses in order, each a moment after the previous address (RFC 8305 §5); closes all but the first
 * established connection.
 */
export function dial(options: DialOptions): Promise<Dialled | DialogError> {
  const { sources, signal } = options
  const usable = options.addresses.filter(
    (it) => sources === undefined || sources[familyOf(it)] !== undefined,
  )
  if (usable.length === 0) {
    return Promise.resolve({ code: 'local', message: NO_SOURCE })
  }
  if (signal?.aborted) return Promise.resolve(TAKES_TOO_LONG)
  return new Promise((resolve) => new Race(inTurn(usable), options, resolve).start())
}

const NO_SOURCE = 'The chosen source addresses are of another family than the addresses of the host'

/** Error of a dialog that ends because the whole attempt has taken too long. */
export const TAKES_TOO_LONG: DialogError = { code: 'timeout', message: 'The host took too long in all' }

/**
 * Sorts the addresses so that IPv6 and IPv4 alternate, IPv6 first (RFC 8305 §4); a family without a route comes last.
 */
function inTurn(addresses: readonly string[]): string[] {
  const now = performance.now()
  const rank = (address: string): number => {
    const family = familyOf(address)
    const among = addresses.filter((it) => familyOf(it) === family).indexOf(address)
    return among * 2 + (family === 'ipv6' ? 0 : 1) + (noRouteUntil[family] > now ? 1_000 : 0)
  }
  return [...addresses].sort((a, b) => rank(a) - rank(b))
}

class Race {
  readonly #left: string[]
  readonly #options: DialOptions
  readonly #settle: (result: Dialled | DialogError) => void
  readonly #running = new Set<Socket>()
  #error: DialogError | undefined
  #next: NodeJS.Timeout | undefined
  #limit: NodeJS.Timeout | undefined
  readonly #onAbort = () => this.#finish(TAKES_TOO_LONG)

  constructor(addresses: string[], options: DialOptions, settle: (result: Dialled | DialogError) => void) {
    this.#left = addresses
    this.#options = options
    this.#settle = settle
  }

  start(): void {
    const { timeoutMs, signal } = this.#options
    const late: DialogError = { code: 'timeout', message: 'No connection in time' }
    this.#limit = setTimeout(() => this.#finish(late), timeoutMs)
    signal?.addEventListener('abort', this.#onAbort)
    this.#begin()
  }

  /** Dials the next address, and starts the timer for the following address. */
  #begin(): void {
    clearTimeout(this.#next)
    const address = this.#left.shift()
    if (address === undefined) return
    const source = this.#options.sources?.[familyOf(address)]
    const socket = connectTcp({
      host: address,
      port: this.#options.port,
      noDelay: true,
      ...(source === undefined ? {} : { localAddress: source.address }),
    })
    this.#running.add(socket)
    socket.once('error', (error) => this.#onError(socket, address, source, error))
    socket.once('connect', () => {
      // An error event without a listener, before the dialog begins, would end the process.
      socket.removeAllListeners('error').on('error', () => {})
      this.#running.delete(socket)
      this.#finish({ socket, address, source })
    })
    if (this.#left.length > 0) this.#next = setTimeout(() => this.#begin(), HEAD_START_MS)
  }

  #onError(socket: Socket, address: string, source: Source | undefined, error: NodeJS.ErrnoException): void {
    this.#running.delete(socket)
    if (error.code === 'ENETUNREACH') noRouteUntil[familyOf(address)] = performance.now() + NO_ROUTE_MS
    const found = describe(error, source)
    if (this.#left.length + this.#running.size > 0) this.#options.note(found.message)
    // The error of a working address family is more informative: a family that this machine lacks fails immediately.
    if (this.#error === undefined || isOurs(this.#error)) this.#error = found
    if (this.#left.length > 0) this.#begin()
    else if (this.#running.size === 0) this.#finish(this.#error)
  }

  #finish(result: Dialled | DialogError): void {
    clearTimeout(this.#next)
    clearTimeout(this.#limit)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    this.#left.length = 0
    for (const socket of this.#running) {
      socket.removeAllListeners().on('error', () => {})
      socket.destroy()
    }
    this.#running.clear()
    this.#settle(result)
  }
}

const isOurs = ({ code }: DialogError): boolean => code === 'unreachable' || code === 'local'

function describe(error: NodeJS.ErrnoException, source: Source | undefined): DialogError {
  const found = socketError(error)
  if (source === undefined || error.code !== 'EADDRNOTAVAIL') return found
  const message = `The source address ${source.address} is not one of this machine (${error.code})`
  return { code: 'local', message }
}
