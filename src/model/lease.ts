// The lease: the temporary hold of one node on recipients.

import type { Clock } from '../lib/clock.ts'

export interface Lease {
  /** Identifies the holder; every claim has a new one. */
  readonly token: string
  /** End of the lease by the clock of the holder, in milliseconds since the epoch. */
  readonly until: number
  /** End by the monotonic clock of the holder, counted from before the request to the store. */
  readonly endsAt: number
}

/** Length of a lease: afterwards another node may take the recipient. Renewed while its attempt runs. */
export const LEASE_MS = 60_000
/** Younger attempts are not renewed yet. */
export const PROBATION_MS = 10_000

/**
 * Returns a lease of this holder that begins now. Call before the request to the store, so that the lease never ends
 * later here than there.
 */
export const newLease = (clock: Clock, token: string): Lease => ({
  token,
  until: clock.now() + LEASE_MS,
  endsAt: clock.monotonic() + LEASE_MS,
})

/** Returns a lost lease, which is never valid again. */
export const lostLease = ({ token }: Lease): Lease => ({ token, until: 0, endsAt: 0 })

/**
 * Returns the milliseconds left of a lease, at most 0 after its end. A step of the clock never extends a lease: a step
 * ahead ends leases, which are then renewed; after a step back the monotonic clock still counts, even while the
 * process is suspended.
 */
export const leftOf = ({ until, endsAt }: Lease, clock: Clock): number =>
  Math.min(until - clock.now(), endsAt - clock.monotonic())

/** True if a lease taken at `takenAt` was renewed, so that its attempt has survived probation. */
export const wasRenewed = (takenAt: number, until: number | null): boolean =>
  until !== null && until - takenAt > LEASE_MS + PROBATION_MS / 2
