// Connections to mail hosts, kept open for the next message and limited for each host.

import { hash } from 'node:crypto'
import type { ConnectOptions, ConnectResult, SmtpConnection } from '../smtp/connection.ts'
import { connect } from '../smtp/connection.ts'

/** The pool's measure. */
export interface PoolLimits {
  /** Connections to one host at once. */
  readonly perHost: number
  /** Messages on one connection before a new one is opened. */
  readonly messagesPerConnection: number
  /** How long an unused connection is kept, in milliseconds; receivers drop them after some minutes. */
  readonly idleMs: number
}

export const DEFAULT_LIMITS: PoolLimits = { perHost: 20, messagesPerConnection: 500, idleMs: 15_000 }

const MOST_REMEMBERED = 10_000

interface Host {
  readonly idle: { readonly connection: SmtpConnection; readonly since: number }[]
  readonly waiting: (() => void)[]
  open: number
}

/** A connection, and whether it was used before: one that went stale is replaced without blame. */
export interface Leased {
  readonly connection: SmtpConnection
  readonly reused: boolean
  readonly failure?: undefined
}

/** Why there is none. */
export type NotLeased = Exclude<ConnectResult, { failure?: undefined }> & { readonly reused: false }

/** Connections by host and by what makes them not interchangeable. Whoever leases one gives it back. */
export class ConnectionPool {
  readonly #limits: PoolLimits
  readonly #hosts = new Map<string, Host>()
  /** Hosts that offer CHUNKING and then refuse BDAT. */
  readonly #withoutBdat = new Set<string>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: PoolLimits = DEFAULT_LIMITS) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#closeIdle(), 1_000)
    this.#timer.unref()
  }

  /** A connection to the host: an idle one, else a new one, in turn when the host has as many as it may have. */
  async lease(options: ConnectOptions, fresh = false): Promise<Leased | NotLeased> {
    const key = keyOf(options)
    const host = this.#host(key)
    for (;;) {
      const kept = fresh ? undefined : takeUsable(host, options)
      if (kept !== undefined) return { connection: kept, reused: true }
      if (host.open < this.#limits.perHost) break
      const idle = host.idle.pop()
      if (idle !== undefined) {
        host.open--
        void idle.connection.close()
        break
      }
      if (!(await turn(host, options.signal))) return NO_TURN
    }
    host.open++
    const result = await connect(
      this.#withoutBdat.has(key) ? { ...options, chunking: false } : options,
    ).catch((error: unknown) => {
      this.#freed(key, host)
      throw error
    })
    if (result.connection === undefined) {
      this.#freed(key, host)
      return { ...result, reused: false }
    }
    return { connection: result.connection, reused: false }
  }

  /** Gives a connection back; it is kept when it can take another message. */
  giveBack(options: ConnectOptions, connection: SmtpConnection): void {
    const key = keyOf(options)
    const host = this.#host(key)
    if (connection.extensions.chunking && !connection.chunking) this.#rememberWithoutBdat(key)
    if (connection.usable && connection.messagesSent < this.#limits.messagesPerConnection) {
      host.idle.push({ connection, since: Date.now() })
      host.waiting.shift()?.()
      return
    }
    void connection.close()
    this.#freed(key, host)
  }

  /** Open connections, for the figures. */
  get open(): number {
    return [...this.#hosts.values()].reduce((sum, host) => sum + host.open, 0)
  }

  /** Closes what is idle; leased connections are closed by whoever gives them back. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    const idle = [...this.#hosts.values()].flatMap((host) => host.idle.splice(0))
    await Promise.all(idle.map(({ connection }) => connection.close()))
  }

  #rememberWithoutBdat(key: string): void {
    const oldest = this.#withoutBdat.values().next().value
    if (this.#withoutBdat.size >= MOST_REMEMBERED && oldest !== undefined) this.#withoutBdat.delete(oldest)
    this.#withoutBdat.add(key)
  }

  #host(key: string): Host {
    let host = this.#hosts.get(key)
    if (host === undefined) {
      host = { idle: [], waiting: [], open: 0 }
      this.#hosts.set(key, host)
    }
    return host
  }

  #freed(key: string, host: Host): void {
    host.open--
    const next = host.waiting.shift()
    if (next !== undefined) next()
    else if (host.open === 0) this.#hosts.delete(key)
  }

  #closeIdle(): void {
    const before = Date.now() - this.#limits.idleMs
    for (const [key, host] of this.#hosts) {
      while (host.idle[0] !== undefined && (host.idle[0].since < before || !host.idle[0].connection.usable)) {
        void host.idle.shift()?.connection.close()
        this.#freed(key, host)
      }
    }
  }
}

/** All that an open connection has and another message may not want. */
function keyOf(options: ConnectOptions): string {
  const { hostName, port, tls, verifyCertificate, tlsa, implicitTls, sources, heloName, auth } = options
  let key = `${hostName} ${port} ${tls} ${verifyCertificate ? 1 : 0} ${implicitTls ? 1 : 0} ${heloName}`
  for (const record of tlsa ?? []) {
    // A record may hold a whole certificate.
    key += ` ${record.usage}${record.selector}${record.matchingType}${hash('sha256', record.data)}`
  }
  for (const source of [sources?.ipv4, sources?.ipv6]) key += ` ${source?.address}@${source?.heloName}`
  return auth === undefined ? key : `${key} ${auth.user}\0${auth.password}`
}

/** Waits until a connection of the host is given back or closed; false when the time was up before. */
function turn(host: Host, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const take = () => {
      signal?.removeEventListener('abort', leave)
      resolve(true)
    }
    const leave = () => {
      host.waiting.splice(host.waiting.indexOf(take), 1)
      resolve(false)
    }
    host.waiting.push(take)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

const NO_TURN: NotLeased = {
  failure: {
    stage: 'connect',
    error: { code: 'timeout', message: 'All connections to the host were taken the whole time' },
  },
  transcript: '',
  reused: false,
}

/** The most recently used connection that still stands, to one of the addresses that the host has now. */
function takeUsable(host: Host, { address, otherAddresses }: ConnectOptions): SmtpConnection | undefined {
  for (let i = host.idle.length - 1; i >= 0; i--) {
    const { connection } = host.idle[i]!
    if (connection.usable && connection.address !== address && !otherAddresses?.includes(connection.address))
      continue
    host.idle.splice(i, 1)
    if (connection.usable) return connection
    host.open--
    connection.destroy()
  }
  return undefined
}
