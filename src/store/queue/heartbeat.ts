// The heartbeat of a shared store: gaps between the beats of all nodes are outages, after which no lease is taken over.

import { type RawBuilder, sql } from 'kysely'
import { LEASE_MS } from '../../model/lease.ts'
import { type Database, databaseNow, isPostgres } from '../database/dialect.ts'

/** Every node beats each few seconds. After a silence of so long none of them could reach the store. */
export const MAX_SILENCE_MS = 20_000

/**
 * Notes that the store takes writes; a silence before makes it steady from now on only. Nothing with SQLite, and nothing
 * while another node notes it: one that stands still in the middle of it would hold up the ends of attempts of all.
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
 * Condition that the store has taken writes for the length of a lease: each node that lives could renew its leases. An
 * outage ends leases whose holders go on, and have delivered what they could not write.
 */
export const wasSteady = (db: Database): RawBuilder<boolean> =>
  sql<boolean>`not exists (select 1 from store_heartbeat
    where steady_since > ${now(db)} - ${sql.lit(LEASE_MS)}
      or beat_at < ${now(db)} - ${sql.lit(MAX_SILENCE_MS)})`
