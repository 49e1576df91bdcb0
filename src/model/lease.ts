// The lease: the hold of one node on recipients, for a time.

import type { Clock } from '../lib/clock.ts'

export interface Lease {
  /** Names the holder; every claim has a new one. */
  readonly token: string
  /** End of the lease by the holder's clock, in milliseconds since the epoch. */
  readonly until: number
  /** The same by the holder's monotonic clock, counted from before the store was asked. */
  readonly endsAt: number
}

/** Length of a lease: afterwards another node may take the recipient. Renewed while its attempt runs. */
export const LEASE_MS = 60_000
/** Attempts that are younger are not renewed yet. */
export const PROBATION_MS = 10_000

/** A lease of this holder that begins now: made before the store is asked for it, so that it never ends later than there. */
export const newLease = (clock: Clock, token: string): Lease => ({
  token,
  until: clock.now() + LEASE_MS,
  endsAt: clock.monotonic() + LEASE_MS,
})

/** A lease that was lost: it is never believed in again. */
export const lostLease = ({ token }: Lease): Lease => ({ token, until: 0, endsAt: 0 })

/**
 * Milliseconds that a lease has left, at most 0 when it has ended. A step of the clock shortens it or changes nothing:
 * set ahead it ends leases, which are renewed; set back it lengthens none, since the monotonic clock goes on, also while
 * the process is stopped.
 */
export const leftOf = ({ until, endsAt }: Lease, clock: Clock): number =>
  Math.min(until - clock.now(), endsAt - clock.monotonic())

/** True if a lease taken at `takenAt` was renewed, so that its attempt survived probation. */
export const wasRenewed = (takenAt: number, until: number | null): boolean =>
  until !== null && until - takenAt > LEASE_MS + PROBATION_MS / 2
