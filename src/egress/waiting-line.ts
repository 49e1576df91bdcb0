// Requests that wait for a connection to a host, and the choice of the request that is woken next.

import type { HostLimits } from './host-limits.ts'
import type { HostRecord, PooledConnection, Purpose, Reach, Waiter } from './host-record.ts'

/** Position of a request in the waiting line; valid until the request leaves the line. */
export class Place implements Waiter {
  readonly key: string
  readonly reach: Reach
  readonly purpose: Purpose
  wake: (() => void) | undefined
  readonly #line: WaitingLine

  constructor(line: WaitingLine, key: string, reach: Reach, purpose: Purpose) {
    this.#line = line
    this.key = key
    this.reach = reach
    this.purpose = purpose
    for (const record of recordsOf(reach)) record.waiting.add(this)
  }

  /** Resolves to true when a connection may have become free, or to false when the signal is aborted first. */
  turn(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isTurn: boolean): void => {
        this.wake = undefined
        signal?.removeEventListener('abort', giveUp)
        resolve(isTurn)
      }
      const giveUp = (): void => end(false)
      this.wake = () => end(true)
      signal?.addEventListener('abort', giveUp)
    })
  }

  /** Leaves the line and wakes other requests, because this request may have left a free connection unused. */
  leave(): void {
    for (const record of recordsOf(this.reach)) record.waiting.delete(this)
    for (const record of recordsOf(this.reach)) this.#line.wake(record)
  }
}

/**
 * The waiting lines of all hosts: interactive verifications come first, and other requests follow in order of arrival.
 */
export class WaitingLine {
  readonly #hosts: HostLimits

  constructor(hosts: HostLimits) {
    this.#hosts = hosts
  }

  join(key: string, reach: Reach, purpose: Purpose): Place {
    return new Place(this, key, reach, purpose)
  }

  /** Wakes the first request that may open a connection, after another connection was closed. */
  wake(record: HostRecord): void {
    if (record.waiting.size === 0) return
    const next = firstOf(record, (waiter) => this.#hosts.fits(waiter.reach, waiter.purpose))
    next?.wake?.()
  }

  /** Wakes the first request that can use this connection. Returns false if no request can use the connection. */
  wakeFor(pooled: PooledConnection): boolean {
    const { address, key } = pooled
    if (address.waiting.size === 0) return false
    const next = firstOf(address, (waiter) => waiter.key === key)
    next?.wake?.()
    return next !== undefined
  }

  /** True if closing this connection would make room for a waiting request. */
  isInTheWay(pooled: PooledConnection): boolean {
    const { name, address } = pooled
    const wants = (record: HostRecord): boolean =>
      record.waiting.size > 0 &&
      firstOf(record, ({ purpose }) => this.#hosts.helps(pooled, record, purpose)) !== undefined
    return wants(name) || wants(address)
  }
}

function firstOf(record: HostRecord, fits: (waiter: Waiter) => boolean): Waiter | undefined {
  let first: Waiter | undefined
  for (const waiter of record.waiting) {
    if (waiter.wake === undefined || !fits(waiter)) continue
    if (waiter.purpose === 'interactive') return waiter
    first ??= waiter
  }
  return first
}

const recordsOf = ({ name, addresses }: Reach): readonly HostRecord[] => [name, ...addresses]
