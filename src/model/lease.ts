// The lease: the hold of one node on recipients, for a time.

export interface Lease {
  /** Names the holder; every claim has a new one. */
  readonly token: string
  /** End of the lease by the holder's clock, in milliseconds since the epoch. */
  readonly until: number
}

/** Length of a lease: afterwards another node may take the recipient. Renewed while its attempt runs. */
export const LEASE_MS = 60_000
/** Attempts that are younger are not renewed yet. */
export const PROBATION_MS = 10_000

/** True if a lease taken at `takenAt` was renewed, so that its attempt survived probation. */
export const wasRenewed = (takenAt: number, until: number | null): boolean =>
  until !== null && until - takenAt > LEASE_MS + PROBATION_MS / 2
