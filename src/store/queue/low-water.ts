// Low-water marks: the positions from which the indexes of the queue are read.

/**
 * Low-water mark of each index of the queue: no live row is known at a position below the mark. Deleted rows leave dead
 * entries at the beginning of an index. PostgreSQL can neither remove nor skip a dead entry while an older snapshot
 * exists, for example of a `pg_dump` or a forgotten session. A scan from the beginning would then read an entry for
 * every recipient that was queued since the snapshot.
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
