// Low-water marks: the positions from which the indexes of the queue are read.

/**
 * Position in each index below which no live row is known. Deleted rows leave dead entries at the beginning of an
 * index. PostgreSQL can neither remove nor skip a dead entry while an older snapshot exists (a `pg_dump`, a forgotten
 * session, a standby), so a scan from the beginning would read an entry for every recipient queued since that snapshot.
 */
export interface LowWater {
  /** Start tag from which ready recipients are read. */
  readonly ready: number
  /** Due time from which waiting recipients are read. */
  readonly due: number
  /** End of a lease from which leased recipients are read. */
  readonly leases: number
}

export const FROM_ZERO: LowWater = { ready: 0, due: 0, leases: 0 }
