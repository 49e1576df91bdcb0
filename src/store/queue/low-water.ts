// The marks from which on the indexes of the queue are read.

/**
 * For each index the place below which it holds nothing that lives, as far as is known. Rows that have gone leave entries
 * at its beginning, which PostgreSQL can neither remove nor skip while any snapshot is older (a `pg_dump`, a forgotten
 * session, a standby): a scan from the beginning is as long as all that went through the queue since.
 */
export interface LowWater {
  /** Start tag of those that are ready. */
  readonly ready: number
  /** Due time. */
  readonly due: number
  /** End of leases. */
  readonly leases: number
}

export const FROM_ZERO: LowWater = { ready: 0, due: 0, leases: 0 }
