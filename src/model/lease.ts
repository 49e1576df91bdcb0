// The lease by which one node temporarily holds recipients.

import type { Clock } from '../lib/clock.ts'

export interface Lease {
  /** Token that identifies the holder; every claim has a new token. */
  readonly token: string
  /** End of the lease by the clock of the holder, in milliseconds since the epoch. */
  readonly until: number
  /** End of the lease by the monotonic clock of the holder, counted from a moment before the request to the store. */
  readonly endsAt: number
}

/**
 * Length of a lease in milliseconds, after which another node may claim the recipient. The node renews the lease while
 * the attempt runs.
 */
export const LEASE_MS = 60_000
/** Age of an attempt in milliseconds from which the lease is renewed. */
export const PROBATION_MS = 10_000

/**
 * Returns a lease of this holder that begins now. Call before the request to the store, so that the lease never ends
 * later on this node than in the store.
 */
export const newLease = (clock: Clock, token: string): Lease => ({
  token,
  until: clock.now() + LEASE_MS,
  endsAt: clock.monotonic() + LEASE_MS,
})

/** Returns a lost lease, which is never valid again. */
export const lostLease = ({ token }: Lease): Lease => ({ token, until: 0, endsAt: 0 })

/**
 * Returns the remaining milliseconds of a lease, at most 0 after the end. A step of the clock never extends a lease: a
 * step forward ends leases, which are then renewed; the monotonic clock limits leases after a step back, even while the
 * process is suspended.
 */
export const leftOf = ({ until, endsAt }: Lease, clock: Clock): number =>
  Math.min(until - clock.now(), endsAt - clock.monotonic())

/**
 * True if a lease taken at `takenAt` was renewed, which means that the attempt has lasted longer than `PROBATION_MS`.
 */
export const wasRenewed = (takenAt: number, until: number | null): boolean =>
  until !== null && until - takenAt > LEASE_MS + PROBATION_MS / 2
