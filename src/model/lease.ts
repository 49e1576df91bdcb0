// The lease: the hold of one node on recipients, for a time.

export interface Lease {
  /** Names the holder; every claim has a new one. */
  readonly token: string
  /** When it ends, by the holder's clock, in milliseconds since the epoch. */
  readonly until: number
}

/** How long a recipient belongs to a node before another may take it; renewed while its attempt runs. */
export const LEASE_MS = 60_000
/** Attempts that are younger are not renewed yet. */
export const PROBATION_MS = 10_000

/** Whether a lease that was taken at one time and ends at another was renewed, so that its attempt survived probation. */
export const wasRenewed = (takenAt: number, until: number | null): boolean =>
  until !== null && until - takenAt > LEASE_MS + PROBATION_MS / 2
