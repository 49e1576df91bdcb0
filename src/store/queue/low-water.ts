// Marks from which on the indexes of the queue are read.

/**
 * Place in each index below which no live row is known. Removed rows leave entries at the beginning of the index, which
 * PostgreSQL can neither remove nor skip while any snapshot is older (a `pg_dump`, a forgotten session, a standby): a
 * scan from the beginning would pass everything that went through the queue since.
 */
export interface LowWater {
  /** Start tag of the ready recipients. */
  readonly ready: number
  /** Due time. */
  readonly due: number
  /** End of leases. */
  readonly leases: number
}

export const FROM_ZERO: LowWater = { ready: 0, due: 0, leases: 0 }
