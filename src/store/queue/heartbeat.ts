// Heartbeat of a shared store: a gap between the beats of all nodes is an outage, after which no lease is taken over
// for a while.

import { type RawBuilder, sql } from 'kysely'
import { LEASE_MS } from '../../model/lease.ts'
import { type Database, databaseNow, isPostgres } from '../database/dialect.ts'

/** Every node beats every few seconds. After a silence of this length, no node could reach the store. */
export const MAX_SILENCE_MS = 20_000

/**
 * Notes that the store takes writes; after a silence, the store counts as steady only from now on. Does nothing with
 * SQLite, nor while another node writes the row: a node that stands still in that transaction would otherwise hold up
 * all ends of attempts.
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
 * Returns the condition that the store has taken writes for the length of a lease, so that each living node could renew
 * its leases. An outage ends leases of nodes that continue, and that have delivered mail without being able to write
 * it.
 */
export const wasSteady = (db: Database): RawBuilder<boolean> =>
  sql<boolean>`not exists (select 1 from store_heartbeat
    where steady_since > ${now(db)} - ${sql.lit(LEASE_MS)}
      or beat_at < ${now(db)} - ${sql.lit(MAX_SILENCE_MS)})`
