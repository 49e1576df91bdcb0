// Connections to mail hosts, kept open for the next message and limited for each host.

import { hash } from 'node:crypto'
import type { ConnectOptions, ConnectResult, SmtpConnection } from '../smtp/connection.ts'
import { connect, MOST_UNANSWERED } from '../smtp/connection.ts'

/** The pool's measure. */
export interface PoolLimits {
  /** Connections to one host at once. */
  readonly perHost: number
  /** Messages on one connection before a new one is opened. */
  readonly messagesPerConnection: number
  /** How long an unused connection is kept, in milliseconds; receivers drop them after some minutes. */
  readonly idleMs: number
  /** Unused connections to all hosts together: each holds a file descriptor. */
  readonly mostIdle: number
}

export const DEFAULT_LIMITS: PoolLimits = {
  perHost: 20,
  messagesPerConnection: 500,
  idleMs: 15_000,
  mostIdle: 1_024,
}

const MOST_REMEMBERED = 10_000

interface Idle {
  readonly key: string
  readonly host: Host
  readonly connection: SmtpConnection
  readonly since: number
}

interface Host {
  /** The most recently used one is the last. */
  readonly idle: Idle[]
  /** Those that are leased, and to how many. */
  readonly leased: Map<SmtpConnection, number>
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
  /** Those of all hosts, the longest unused first. */
  readonly #idle = new Set<Idle>()
  /** Hosts that offer CHUNKING and then refuse BDAT. */
  readonly #withoutBdat = new Set<string>()
  /** Hosts that left messages unanswered which had not waited for the answer to the one before. */
  readonly #notAhead = new Set<string>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: PoolLimits = DEFAULT_LIMITS) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#closeIdle(), 1_000)
    this.#timer.unref()
  }

  /**
   * A connection to the host: an idle one, else a new one; when the host has as many as it may have, one that takes a
   * message ahead of the answer to another, or the next that becomes free.
   */
  async lease(options: ConnectOptions, fresh = false): Promise<Leased | NotLeased> {
    const key = keyOf(options)
    const host = this.#host(key)
    for (;;) {
      const kept = fresh ? undefined : this.#takeUsable(host, options)
      if (kept !== undefined) return this.#leased(host, kept, true)
      if (host.open < this.#limits.perHost) break
      const idle = host.idle.at(-1)
      if (idle !== undefined) {
        this.#take(idle)
        host.open--
        void idle.connection.close()
        break
      }
      const ahead = fresh || this.#notAhead.has(key) ? undefined : this.#takingAhead(host, options)
      if (ahead !== undefined) return this.#leased(host, ahead, true)
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
    return this.#leased(host, result.connection, false)
  }

  /** Gives a connection back; it is kept when it can take another message. */
  giveBack(options: ConnectOptions, connection: SmtpConnection): void {
    const key = keyOf(options)
    const host = this.#host(key)
    if (connection.extensions.chunking && !connection.chunking) remember(this.#withoutBdat, key)
    if (connection.lostAhead) remember(this.#notAhead, key)
    const others = (host.leased.get(connection) ?? 1) - 1
    if (others > 0) {
      host.leased.set(connection, others)
      if (connection.takesAhead) host.waiting.shift()?.()
      return
    }
    host.leased.delete(connection)
    if (connection.usable && connection.messagesSent < this.#limits.messagesPerConnection) {
      const idle: Idle = { key, host, connection, since: Date.now() }
      host.idle.push(idle)
      this.#idle.add(idle)
      host.waiting.shift()?.()
      const [oldest] = this.#idle
      if (this.#idle.size > this.#limits.mostIdle && oldest !== undefined) this.#drop(oldest)
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
    const idle = [...this.#idle]
    for (const one of idle) this.#take(one)
    await Promise.all(idle.map(({ connection }) => connection.close()))
  }

  #leased(host: Host, connection: SmtpConnection, reused: boolean): Leased {
    host.leased.set(connection, (host.leased.get(connection) ?? 0) + 1)
    connection.whenAhead = () => host.waiting.shift()?.()
    return { connection, reused }
  }

  /** The connection with the fewest messages under way of those that take one ahead. */
  #takingAhead(host: Host, options: ConnectOptions): SmtpConnection | undefined {
    let found: SmtpConnection | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [connection, messages] of host.leased) {
      const most = Math.min(MOST_UNANSWERED, this.#limits.messagesPerConnection - connection.messagesSent)
      if (messages >= Math.min(most, fewest) || !connection.takesAhead) continue
      if (!leadsTo(connection, options)) continue
      found = connection
      fewest = messages
    }
    return found
  }

  #host(key: string): Host {
    let host = this.#hosts.get(key)
    if (host === undefined) {
      host = { idle: [], leased: new Map(), waiting: [], open: 0 }
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
    for (const idle of this.#idle) {
      if (idle.since < before || !idle.connection.usable) this.#drop(idle)
    }
  }

  #drop(idle: Idle): void {
    this.#take(idle)
    void idle.connection.close()
    this.#freed(idle.key, idle.host)
  }

  #take(idle: Idle): void {
    idle.host.idle.splice(idle.host.idle.indexOf(idle), 1)
    this.#idle.delete(idle)
  }

  /** The most recently used connection that still stands, to one of the addresses that the host has now. */
  #takeUsable(host: Host, options: ConnectOptions): SmtpConnection | undefined {
    for (const idle of [...host.idle].reverse()) {
      const { connection } = idle
      if (connection.usable && !leadsTo(connection, options)) continue
      this.#take(idle)
      if (connection.usable) return connection
      host.open--
      connection.destroy()
    }
    return undefined
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

function remember(keys: Set<string>, key: string): void {
  const oldest = keys.values().next().value
  if (keys.size >= MOST_REMEMBERED && oldest !== undefined) keys.delete(oldest)
  keys.add(key)
}

/** Whether it is to one of the addresses that the host has now. */
const leadsTo = ({ address }: SmtpConnection, options: ConnectOptions): boolean =>
  address === options.address || options.otherAddresses?.includes(address) === true
