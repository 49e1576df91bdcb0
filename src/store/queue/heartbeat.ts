// Heartbeat of a shared store: a gap between the heartbeats of all nodes shows an outage of the store. No node takes
// over leases for a while after an outage.

import { type RawBuilder, sql } from 'kysely'
import { LEASE_MS } from '../../model/lease.ts'
import { type Database, databaseNow, isPostgres } from '../database/dialect.ts'

/**
 * Maximum gap between heartbeats: each node sends a heartbeat every few seconds, so a longer gap means that no node
 * reached the store.
 */
export const MAX_SILENCE_MS = 20_000

/**
 * Records a heartbeat, which shows that the store accepts writes. The period for which the store counts as steady
 * begins again after an outage. Does nothing with SQLite. Does nothing while another node writes the row: waiting for a
 * node that hangs in its transaction would block the recording of all outcomes.
 */
export async function keepHeartbeat(db: Database, items: readonly object[]): Promise<true[]> {
  if (isPostgres(db)) {
    await sql`insert into store_heartbeat (id, beat_at, steady_since) values (1, ${now(db)}, 0)
      on conflict (id) do nothing`.execute(db)
    await sql`update store_heartbeat set beat_at = ${now(db)}, steady_since =
        case when abs(${now(db)} - beat_at) > ${sql.lit(MAX_SILENCE_MS)} then ${now(db)} else steady_since end
      where id in (select id from store_heartbeat for update skip locked)`.execute(db)
  }
  return items.map(() => true)
}
keepHeartbeat.unaudited = true
keepHeartbeat.line = 'ending' as const

const now = (db: Database): RawBuilder<number> => databaseNow(db, Date.now())

/**
 * Returns the SQL condition that the store has accepted writes for the duration of a lease, long enough for each
 * running node to renew its leases. An outage also ends the leases of nodes that are still running; such a node may
 * have delivered mail without being able to record the delivery.
 */
export const wasSteady = (db: Database): RawBuilder<boolean> =>
  sql<boolean>`not exists (select 1 from store_heartbeat
    where steady_since > ${now(db)} - ${sql.lit(LEASE_MS)}
      or beat_at < ${now(db)} - ${sql.lit(MAX_SILENCE_MS)})`
