// Pool of connections to mail hosts: keeps connections open for the next message or probe, and limits their number per
// host, for mail and probes together. The file is long because keeping and limiting share one state: unused connections
// give way to waiting requests.

import { hash } from 'node:crypto'
import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import { type Connect, type ConnectOptions, MAX_UNANSWERED, type SmtpConnection } from '../smtp/connection.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import { KeyedSemaphore } from '../threads/keyed-semaphore.ts'
import { HostLimits } from './host-limits.ts'
import { type HostRecord, PooledConnection, type Purpose, type Reach } from './host-record.ts'
import { WaitingLine } from './waiting-line.ts'

/** The limits of the pool. */
export interface PoolLimits {
  /** Maximum number of connections to one host, by name and by address, for mail and probes together. */
  readonly perHost: number
  /** Maximum number of probe connections to one address, which also count within `perHost`. */
  readonly probesPerAddress: number
  /** Maximum number of probes that have a connection, over all hosts. */
  readonly probes: number
  /** Maximum number of messages on one connection. */
  readonly messagesPerConnection: number
  /** Maximum number of unused connections to all hosts: each holds a file descriptor and about 14 KiB. */
  readonly maxIdle: number
}

export const DEFAULT_LIMITS: PoolLimits = {
  perHost: 20,
  probesPerAddress: 10,
  probes: 500,
  messagesPerConnection: 500,
  maxIdle: 2_000,
}

/** Time for which an unused connection is kept, in milliseconds; receivers drop idle connections after some minutes. */
const IDLE_MS: Readonly<Record<Purpose, number>> = { mail: 15_000, interactive: 2_000, background: 250 }
const SWEEP_MS = 100
/**
 * Maximum number of probes on one connection: hosts refuse clients that send too many commands on one connection, or
 * name too many unknown mailboxes (`MAX_REFUSALS`).
 */
const MAX_PROBES = 20
const MAX_REFUSALS = 5

/** A request for a connection, with the purpose of the connection and the host. */
export interface LeaseRequest extends Omit<ConnectOptions, 'address' | 'otherAddresses'> {
  /** Addresses of the host, at least one; a connection to any of the addresses suffices. */
  readonly addresses: readonly string[]
  readonly purpose: Purpose
  /** True if a new connection is required, because the host had closed a kept connection. */
  readonly fresh?: boolean
  /**
   * Called with the addresses to which no connection was possible, before other requests dial these addresses; `since`
   * is in milliseconds since the epoch.
   */
  readonly onFailure?: (failure: StageFailure, dialled: readonly string[], since: number) => void
}

/** A leased connection; its holder calls `release`. */
export interface Leased {
  readonly connection: SmtpConnection
  /**
   * True if the connection was used before; the loss of a reused connection leads to a new connection and is no
   * failure.
   */
  readonly reused: boolean
  readonly pooled: PooledConnection
  readonly releaseProbes: (() => void) | undefined
  /** Time at which the request got its turn, in milliseconds since the epoch. */
  readonly since: number
  readonly failure?: undefined
}

/** The reason why there is no connection. */
export interface NotLeased {
  readonly connection?: undefined
  readonly failure: StageFailure
  readonly transcript: string
  /** The address that accepted the TCP connection, or all dialled addresses if no address did. */
  readonly dialled?: readonly string[]
  /** Own IP address of the TCP connection that the host ended. */
  readonly source?: string | undefined
  readonly reused: false
  /** Time at which the request got its turn, in milliseconds since the epoch. */
  readonly since: number
  /**
   * Reason why the host was not dialled. `no_turn`: the host had its maximum number of connections the whole time;
   * `paused`: the host asked for a pause meanwhile.
   */
  readonly undialled?: 'no_turn' | 'paused'
}

/** Permission to open a connection to one of these addresses. */
interface Slot {
  readonly name: HostRecord
  readonly addresses: readonly HostRecord[]
}

/** Extensions that a host announces but does not support. */
interface Quirks {
  /** True if the host announces CHUNKING and then refuses BDAT. */
  readonly withoutBdat: boolean
  /** True if the host sent no reply to messages that were sent ahead of the reply to the previous message. */
  readonly notAhead: boolean
}

/** All connections of this node to mail hosts. */
export class ConnectionPool implements Part {
  readonly name = 'connections to mail hosts'
  /** Limits and connection counts of each host. */
  readonly hosts: HostLimits
  readonly #clock: Clock
  readonly #connect: Connect
  readonly #limits: PoolLimits
  readonly #line: WaitingLine
  /** Unused connections, the longest unused first. */
  readonly #idle = new Set<PooledConnection>()
  #leasedCount = 0
  readonly #probes: KeyedSemaphore
  readonly #quirks = cacheOf<Quirks>('mail_host_quirks')
  readonly #timer: NodeJS.Timeout
  #stopped = false

  /** @param connect opens the connections */
  constructor(clock: Clock, limits: PoolLimits, connect: Connect) {
    this.#clock = clock
    this.#connect = connect
    this.#limits = limits
    this.hosts = new HostLimits({ ...limits, clock })
    this.#line = new WaitingLine(this.hosts)
    this.#probes = new KeyedSemaphore(limits.probes)
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  /** Closes unused connections now, and used connections when they are released. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopped = true
    await Promise.all([...this.#idle].map((pooled) => this.#retire(pooled)))
  }

  /** Number of connections, used and unused. */
  get open(): number {
    return this.#leasedCount + this.#idle.size
  }

  /** Number of unused connections. */
  get idle(): number {
    return this.#idle.size
  }

  /**
   * Returns an unused connection to the host, or opens a new connection. If the host already has its maximum number of
   * connections, returns a connection that accepts a message ahead of a reply, or waits for the next released
   * connection.
   */
  async lease(request: LeaseRequest): Promise<Leased | NotLeased> {
    const { purpose, signal } = request
    const key = keyOf(request)
    const reach = this.hosts.reach(request.hostName, request.addresses, request.port)
    const found = this.#find(request, key, reach) ?? (await this.#waitFor(request, key, reach))
    this.hosts.tidy(reach)
    if ('failure' in found) return { ...found, since: this.#clock.now() }
    let releaseProbes: (() => void) | undefined
    if (purpose !== 'mail') {
      // The limit of probes over all hosts is applied last, so that a probe that waits for a slow host does not delay
      // probes of other hosts.
      releaseProbes = await this.#probes.acquire('', signal)
      if (releaseProbes === undefined) {
        if (found instanceof PooledConnection) this.#keep(found)
        else this.#release(found, purpose)
        return { ...NO_TURN, since: this.#clock.now() }
      }
    }
    if (found instanceof PooledConnection) return this.#leased(found, releaseProbes)
    return this.#open(request, key, found, releaseProbes)
  }

  /**
   * Releases a connection, with the results of its dialog; the pool keeps a connection that can take another message or
   * probe.
   */
  release({ pooled, releaseProbes }: Leased, results: readonly RecipientResult[] = []): void {
    if (releaseProbes !== undefined) {
      pooled.probes += results.length
      for (const { failure } of results) if (failure !== undefined) pooled.refusals++
      releaseProbes()
    }
    this.#learn(pooled)
    if (--pooled.users > 0) {
      if (pooled.connection.canPipelineNext) this.#line.wakeFor(pooled)
      return
    }
    pooled.address.leased.delete(pooled)
    this.#leasedCount--
    this.#keep(pooled)
  }

  /** Returns a usable connection, or the permission to open a connection; undefined if neither is available now. */
  #find(request: LeaseRequest, key: string, reach: Reach): PooledConnection | Slot | undefined {
    const { purpose, fresh = false } = request
    const kept = fresh ? undefined : this.#takeIdle(key, reach, purpose)
    if (kept !== undefined) return kept
    if (this.hosts.fits(reach, purpose)) return this.#take(reach, purpose)
    return fresh ? undefined : this.#takingAhead(key, reach, request)
  }

  async #waitFor(
    request: LeaseRequest,
    key: string,
    reach: Reach,
  ): Promise<PooledConnection | Slot | Undialled> {
    const { purpose, signal, addresses, port } = request
    const place = this.#line.join(key, reach, purpose)
    let found: PooledConnection | Slot | undefined
    try {
      while (found === undefined) {
        this.#makeRoom(reach, purpose)
        if (!(await place.turn(signal))) return NO_TURN
        if (this.hosts.paused(addresses, port, purpose) !== undefined) return PAUSED
        found = this.#find(request, key, reach)
      }
      return found
    } finally {
      place.leave()
      if (found === undefined) this.#passOn(reach)
    }
  }

  /**
   * Offers unused connections to the next waiting requests, after a request that was woken for a connection has left
   * without using the connection.
   */
  #passOn({ addresses }: Reach): void {
    for (const pooled of addresses.flatMap(({ idle }) => idle)) {
      if (!this.#line.wakeFor(pooled) && this.#line.isInTheWay(pooled)) void this.#retire(pooled)
    }
  }

  async #open(
    request: LeaseRequest,
    key: string,
    slot: Slot,
    releaseProbes: (() => void) | undefined,
  ): Promise<Leased | NotLeased> {
    const { purpose, onFailure, fresh: _, addresses: __, ...options } = request
    const { port } = options
    const [address = '', ...otherAddresses] = slot.addresses.map((record) => record.address as string)
    const since = this.#clock.now()
    const chunking = this.#quirksOf(request.hostName, port).withoutBdat ? false : request.chunking
    const result = await this.#connect({ ...options, chunking, address, otherAddresses }).catch(
      (error: unknown) => {
        this.#release(slot, purpose)
        releaseProbes?.()
        throw error
      },
    )
    const { connection } = result
    if (connection === undefined) {
      const { failure, transcript } = result
      const dialled = result.address === undefined ? [address, ...otherAddresses] : [result.address]
      onFailure?.(failure, dialled, since)
      this.#release(slot, purpose)
      releaseProbes?.()
      const { source } = result
      const failed = { failure, transcript, dialled, source, reused: false, since } as const
      const left = request.addresses.filter((one) => !dialled.includes(one))
      return result.address === undefined && left.length > 0
        ? this.#leaseOfOthers({ ...request, addresses: left }, failed)
        : failed
    }
    const to = slot.addresses.find((record) => record.address === connection.address) as HostRecord
    for (const record of slot.addresses) if (record !== to) this.#releaseRecord(record, purpose)
    const pooled = new PooledConnection(connection, key, slot.name, to, purpose)
    return { ...this.#leased(pooled, releaseProbes), reused: false, since }
  }

  /**
   * Leases a connection to the addresses that had no free slot, after no connection to the other addresses was
   * possible.
   */
  async #leaseOfOthers(request: LeaseRequest, failed: NotLeased): Promise<Leased | NotLeased> {
    const leased = await this.lease(request)
    if (leased.failure === undefined) return leased
    // The first failure is more informative than a pause. The host may still be reachable if the time of the request
    // ended in the waiting line.
    if (leased.undialled === 'paused') return failed
    return {
      ...leased,
      transcript: `${failed.transcript}\n${leased.transcript}`,
      dialled: [...(leased.dialled ?? []), ...(failed.dialled ?? [])],
    }
  }

  #leased(pooled: PooledConnection, releaseProbes: (() => void) | undefined): Leased {
    const { connection, address } = pooled
    if (pooled.users++ === 0) {
      address.leased.add(pooled)
      this.#leasedCount++
    }
    connection.whenAhead = () => void this.#line.wakeFor(pooled)
    return { connection, reused: true, pooled, releaseProbes, since: this.#clock.now() }
  }

  /** Takes the most recently used connection that is still open and may be used for this purpose. */
  #takeIdle(key: string, { addresses }: Reach, purpose: Purpose): PooledConnection | undefined {
    for (const { idle } of addresses) {
      for (let index = idle.length - 1; index >= 0; index--) {
        const pooled = idle[index]
        if (pooled?.key !== key) continue
        if (!pooled.connection.usable) void this.#retire(pooled)
        else if (this.hosts.pass(pooled, purpose)) {
          this.#removeIdle(pooled)
          return pooled
        }
      }
    }
    return undefined
  }

  /**
   * Returns the connection with the fewest messages under way among the connections that accept a message ahead of a
   * reply.
   */
  #takingAhead(key: string, { addresses }: Reach, { purpose, hostName, port }: LeaseRequest) {
    if (purpose !== 'mail' || this.#quirksOf(hostName, port).notAhead) return undefined
    let found: PooledConnection | undefined
    for (const { leased } of addresses) {
      for (const pooled of leased) {
        const { connection, users } = pooled
        const most = Math.min(MAX_UNANSWERED, this.#limits.messagesPerConnection - connection.messagesSent)
        if (pooled.key !== key || users >= Math.min(most, found?.users ?? most)) continue
        if (connection.canPipelineNext) found = pooled
      }
    }
    return found
  }

  #take(reach: Reach, purpose: Purpose): Slot {
    // Each address counts as a connection until one address has answered, because all of the addresses may be dialled.
    const addresses = this.hosts.fitting(reach, purpose)
    for (const record of [reach.name, ...addresses]) this.hosts.take(record, purpose)
    return { name: reach.name, addresses }
  }

  #release({ name, addresses }: Slot, purpose: Purpose): void {
    for (const record of [...addresses, name]) this.#releaseRecord(record, purpose)
  }

  #releaseRecord(record: HostRecord, purpose: Purpose): void {
    this.hosts.release(record, purpose)
    this.#line.wake(record)
  }

  /** Closes an unused connection that prevents the opening of another connection. */
  #makeRoom({ name, addresses }: Reach, purpose: Purpose): void {
    const full = [name, ...addresses].filter((record) => record.idle.length > 0)
    for (const record of full) {
      const unused = record.idle.find((pooled) => this.hosts.helps(pooled, record, purpose))
      if (unused !== undefined) return void this.#retire(unused)
    }
  }

  /** Keeps an unused connection for the next request, or closes the connection. */
  #keep(pooled: PooledConnection): void {
    const isWanted =
      this.#isWorthKeeping(pooled) && (this.#line.wakeFor(pooled) || !this.#line.isInTheWay(pooled))
    if (!isWanted) return void this.#retire(pooled)
    pooled.idleUntil = performance.now() + IDLE_MS[pooled.purpose]
    pooled.address.idle.push(pooled)
    pooled.name.idle.push(pooled)
    this.#idle.add(pooled)
    const [oldest] = this.#idle
    if (this.#idle.size > this.#limits.maxIdle && oldest !== undefined) void this.#retire(oldest)
  }

  #isWorthKeeping({ connection, purpose, probes, refusals }: PooledConnection): boolean {
    if (this.#stopped || !connection.usable) return false
    if (purpose === 'mail') return connection.messagesSent < this.#limits.messagesPerConnection
    return probes < MAX_PROBES && refusals < MAX_REFUSALS
  }

  /**
   * Closes a connection. A connection counts until the close has ended, because the connection is open at the host
   * until then.
   */
  async #retire(pooled: PooledConnection): Promise<void> {
    this.#removeIdle(pooled)
    await pooled.connection.close()
    this.#release({ name: pooled.name, addresses: [pooled.address] }, pooled.purpose)
  }

  #removeIdle(pooled: PooledConnection): void {
    if (!this.#idle.delete(pooled)) return
    for (const { idle } of [pooled.name, pooled.address]) idle.splice(idle.lastIndexOf(pooled), 1)
  }

  #sweep(): void {
    const now = performance.now()
    for (const pooled of this.#idle) {
      if (pooled.idleUntil < now || !pooled.connection.usable) void this.#retire(pooled)
    }
  }

  #quirksOf(hostName: string, port: number): Quirks {
    if (this.#quirks.size === 0) return NO_QUIRKS
    return this.#quirks.get(`${hostName}:${port}`) ?? NO_QUIRKS
  }

  #learn({ connection, name }: PooledConnection): void {
    const withoutBdat = connection.extensions.chunking && !connection.chunking
    if (!withoutBdat && !connection.lostAhead) return
    const known = this.#quirks.get(name.key) ?? NO_QUIRKS
    this.#quirks.set(name.key, {
      withoutBdat: known.withoutBdat || withoutBdat,
      notAhead: known.notAhead || connection.lostAhead,
    })
  }
}

const NO_QUIRKS: Quirks = { withoutBdat: false, notAhead: false }

type Undialled = Omit<NotLeased, 'since'>

const undialled = (why: NonNullable<NotLeased['undialled']>, message: string): Undialled => ({
  failure: { stage: 'connect', error: { code: 'timeout', message } },
  transcript: message,
  reused: false,
  undialled: why,
})

const NO_TURN = undialled(
  'no_turn',
  'The maximum number of connections to the host was in use the whole time',
)
/** Result of a lease without a connection, because the host asked for a pause meanwhile. */
export const PAUSED = undialled('paused', 'The host asked for a pause')

/**
 * Returns the key by which a connection is chosen for reuse. The key for a probe omits the host name, because a probe
 * may use any host at the address.
 */
function keyOf(request: LeaseRequest): string {
  const { purpose, hostName, port, tls, verifyCertificate, dane, implicitTls, sources, heloName, auth } =
    request
  let key = purpose === 'mail' ? `${hostName} ` : '* '
  key += `${port} ${tls} ${verifyCertificate ? 1 : 0} ${implicitTls ? 1 : 0} ${heloName}`
  key += dane === undefined ? '' : ` ${dane.names}`
  for (const record of dane?.records ?? []) {
    // The key contains a hash of each TLSA record, because a record may contain a whole certificate.
    key += ` ${record.usage}${record.selector}${record.matchingType}${hash('sha256', record.data)}`
  }
  if (sources !== undefined) {
    for (const source of [sources.ipv4, sources.ipv6]) key += ` ${source?.address}@${source?.heloName}`
  }
  return auth === undefined ? key : `${key} ${auth.user}\0${auth.password}`
}
