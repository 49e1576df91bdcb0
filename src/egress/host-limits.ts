// Limits of a mail host, shared by mail and probes: the number of connections per name and per address, pauses, and the
// time without TLS after TLS has failed.

import { bytesOf, cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { StageFailure } from '../smtp/stage.ts'
import { BackOff, isAboutUsOrTheWay, isObjection } from './back-off.ts'
import { HostRecord, type PooledConnection, type Purpose, type Reach } from './host-record.ts'

export interface HostLimitOptions {
  readonly clock: Clock
  /** Maximum number of connections to one host name, and to each address. */
  readonly perHost: number
  /** Maximum number of probe connections to one address, which also count within `perHost`. */
  readonly probesPerAddress: number
}

/** Pause of a host after a failure. */
export interface Paused {
  /** Reason for the pause. */
  readonly failure: StageFailure
  /** Remaining time of the pause in milliseconds. */
  readonly ms: number
  /** True if too many pauses in a row ended with a failure, so that the next result is known. */
  readonly hopeless: boolean
}

/** State of one address, as learned from dialogs. */
interface Shown {
  /** Pauses after refusals of mail. The queue itself limits mail by site. */
  readonly mail: BackOff
  readonly probes: BackOff
  /** End of the time in which TLS is known to fail, in milliseconds since the epoch. */
  readonly withoutTlsUntil: number
}

const nothingShown = (): Shown => ({ mail: new BackOff(), probes: new BackOff(), withoutTlsUntil: 0 })

/** Time for which TLS is not tried with a host after TLS has failed; the host may be repaired later. */
const WITHOUT_TLS_MS = 3_600_000
/** Memory for the entry of an address, in bytes, without the failures. */
const SHOWN_BYTES = 250

/** The limits of all hosts on this node. */
export class HostLimits {
  readonly #options: HostLimitOptions
  /** Number of connections reserved for interactive verifications. */
  readonly #reserved: number
  /** Records of hosts with connections, or with requests that wait for a connection. */
  readonly #records = new Map<string, HostRecord>()
  readonly #shown = cacheOf<Shown>('mail_host_addresses')

  constructor(options: HostLimitOptions) {
    this.#options = options
    this.#reserved = reservedOf(options.perHost)
  }

  /** Returns the records of a host; `tidy` removes unused records. */
  reach(hostName: string, addresses: readonly string[], port: number): Reach {
    return {
      name: this.#record(`${hostName}:${port}`, undefined),
      // Duplicates are removed: a connection counts once for its address.
      addresses: [...new Set(addresses)].map((address) => this.#record(addressKey(address, port), address)),
    }
  }

  /** True if a connection for this purpose may be opened to the host. */
  fits({ name, addresses }: Reach, purpose: Purpose): boolean {
    return this.#has(name, purpose) && addresses.some((address) => this.#has(address, purpose))
  }

  /** Returns the addresses to which a connection for this purpose may be opened. */
  fitting({ addresses }: Reach, purpose: Purpose): readonly HostRecord[] {
    return addresses.filter((address) => this.#has(address, purpose))
  }

  /** True if closing an unused connection would make room for a connection of this purpose. */
  helps({ purpose: used }: PooledConnection, record: HostRecord, purpose: Purpose): boolean {
    switch (this.#lacks(record, purpose)) {
      case undefined:
        return false
      case 'any':
        return true
      case 'shared':
        return used !== 'interactive'
      case 'probes':
        return used !== 'mail'
    }
  }

  /** Assigns a connection to another purpose; returns false if the limit of this purpose is reached. */
  pass(pooled: PooledConnection, purpose: Purpose): boolean {
    const { name, address, purpose: from } = pooled
    if (from === purpose) return true
    const isShared = purpose !== 'interactive'
    if (isShared && from === 'interactive' && (this.#isSharedFull(name) || this.#isSharedFull(address))) {
      return false
    }
    for (const record of [name, address]) {
      record.interactive += (isShared ? 0 : 1) - (from === 'interactive' ? 1 : 0)
    }
    pooled.purpose = purpose
    return true
  }

  /** Counts a connection. */
  take(record: HostRecord, purpose: Purpose): void {
    record.open++
    if (purpose === 'interactive') record.interactive++
    if (purpose !== 'mail') record.probes++
  }

  /** Removes a connection that was closed or could not be opened from the counts. */
  release(record: HostRecord, purpose: Purpose): void {
    record.open--
    if (purpose === 'interactive') record.interactive--
    if (purpose !== 'mail') record.probes--
    this.#forgetUnused(record)
  }

  /** Removes records without connections and without waiting requests. */
  tidy({ name, addresses }: Reach): void {
    this.#forgetUnused(name)
    for (const record of addresses) this.#forgetUnused(record)
  }

  /** Records the result of a dialog with an address. */
  note(address: string, port: number, purpose: Purpose, failure: StageFailure | undefined): void {
    const isForMail = purpose === 'mail'
    // A connection error in a mail dialog does not show whether the host refuses mail.
    if (isForMail && failure !== undefined && failure.reply === undefined) return
    const counts = failure !== undefined && (isForMail ? isObjection(failure) : isAboutUsOrTheWay(failure))
    const key = addressKey(address, port)
    if (!counts && !this.#shown.has(key)) return
    const shown = this.#shown.get(key) ?? nothingShown()
    const backOff = isForMail ? shown.mail : shown.probes
    backOff.note(counts ? failure : undefined, this.#options.clock.now())
    this.#keep(key, shown)
  }

  /** Returns the shortest pause of these addresses; undefined if one of the addresses may be contacted. */
  paused(addresses: readonly string[], port: number, purpose: Purpose): Paused | undefined {
    if (this.#shown.size === 0) return undefined
    let shortest: Paused | undefined
    for (const address of addresses) {
      const paused = this.#pauseOf(address, port, purpose)
      if (paused === undefined) return undefined
      if (shortest === undefined || paused.ms < shortest.ms) shortest = paused
    }
    return shortest
  }

  /** Returns the addresses that may be contacted now. */
  welcoming(addresses: readonly string[], port: number, purpose: Purpose): readonly string[] {
    if (this.#shown.size === 0 || addresses.length === 1) return addresses
    return addresses.filter((address) => this.#pauseOf(address, port, purpose) === undefined)
  }

  /** Records that TLS failed with these addresses, or that TLS is to be tried again. */
  noteTls(addresses: readonly string[], port: number, isWanted: boolean): void {
    const withoutTlsUntil = isWanted ? 0 : this.#options.clock.now() + WITHOUT_TLS_MS
    for (const address of addresses) {
      const key = addressKey(address, port)
      this.#keep(key, { ...(this.#shown.get(key) ?? nothingShown()), withoutTlsUntil })
    }
  }

  /** True if TLS is known to fail with all these addresses. */
  isWithoutTls(addresses: readonly string[], port: number): boolean {
    if (this.#shown.size === 0) return false
    const now = this.#options.clock.now()
    return addresses.every((address) => {
      const until = this.#shown.get(addressKey(address, port))?.withoutTlsUntil ?? 0
      return until > now && until - now <= WITHOUT_TLS_MS
    })
  }

  /** Returns the limit that does not allow another connection; undefined if there is none. */
  #lacks(record: HostRecord, purpose: Purpose): 'any' | 'shared' | 'probes' | undefined {
    const { perHost, probesPerAddress } = this.#options
    if (record.open >= perHost) return 'any'
    if (purpose !== 'interactive' && this.#isSharedFull(record)) return 'shared'
    if (purpose !== 'mail' && record.address !== undefined && record.probes >= probesPerAddress)
      return 'probes'
    return undefined
  }

  #has(record: HostRecord, purpose: Purpose): boolean {
    return this.#lacks(record, purpose) === undefined
  }

  #isSharedFull(record: HostRecord): boolean {
    return record.open - record.interactive >= this.#options.perHost - this.#reserved
  }

  #pauseOf(address: string, port: number, purpose: Purpose): Paused | undefined {
    const shown = this.#shown.get(addressKey(address, port))
    if (shown === undefined) return undefined
    const now = this.#options.clock.now()
    const byProbes = pauseBy(shown.probes, now)
    // Hosts that a probe cannot reach in its short time may still be reachable for mail.
    if (purpose === 'mail') return byProbes && isObjection(byProbes.failure) ? byProbes : undefined
    const byMail = pauseBy(shown.mail, now)
    return (byMail?.ms ?? 0) > (byProbes?.ms ?? 0) ? byMail : byProbes
  }

  #keep(key: string, shown: Shown): void {
    const isNothing = shown.mail.failure === undefined && shown.probes.failure === undefined
    if (isNothing && shown.withoutTlsUntil === 0) this.#shown.delete(key)
    else
      this.#shown.set(key, shown, SHOWN_BYTES + bytesOf(shown.mail.failure) + bytesOf(shown.probes.failure))
  }

  #forgetUnused(record: HostRecord): void {
    if (record.open === 0 && record.waiting.size === 0) this.#records.delete(record.key)
  }

  #record(key: string, address: string | undefined): HostRecord {
    let record = this.#records.get(key)
    if (record === undefined) {
      record = new HostRecord(key, address)
      this.#records.set(key, record)
    }
    return record
  }
}

/**
 * Returns the number of reserved connections: a tenth, so that an interactive verification never waits for mail; none
 * if only one connection is allowed.
 */
const reservedOf = (perHost: number): number => (perHost < 2 ? 0 : Math.ceil(perHost / 10))

const addressKey = (address: string, port: number): string => `[${address}]:${port}`

function pauseBy(backOff: BackOff, now: number): Paused | undefined {
  const { failure, hopeless } = backOff
  const ms = backOff.pauseLeft(now)
  return failure === undefined || ms === 0 ? undefined : { failure, ms, hopeless }
}
