// Token buckets of the rates that nodes share; a row stores the time at which the bucket is full (GCRA: ITU-T I.371).

import { sql } from 'kysely'
import { type Database, databaseNow, isPostgres } from '../database/dialect.ts'

/**
 * Tokens that a node has taken: `costMs` is the time in which the tokens are refilled, and `aheadMs` is the time by
 * which the tokens were taken in advance.
 */
interface RateTaking {
  readonly name: string
  readonly costMs: number
  readonly aheadMs: number
}

/** Tokens that a node has taken, with the time that the clock of the node shows. */
export interface RateTakings {
  readonly now: number
  readonly taken: readonly RateTaking[]
}

/**
 * Adds taken tokens to the buckets that all nodes share; returns for each name the milliseconds until the bucket is
 * full. Returns an empty map with SQLite, where the single node knows all taken tokens.
 */
export async function settleRates(
  db: Database,
  items: readonly RateTakings[],
): Promise<ReadonlyMap<string, number>[]> {
  const results: ReadonlyMap<string, number>[] = []
  for (const { now, taken } of items) {
    if (!isPostgres(db)) results.push(new Map())
    else {
      const present = sql`${databaseNow(db, now)}::bigint * 1000`
      const rows = taken.map(({ name, costMs, aheadMs }) => ({
        ...{ name, cost: Math.round(costMs * 1_000), ahead: Math.round(aheadMs * 1_000) },
      }))
      // Rows are sorted by name, which prevents deadlocks between nodes.
      const settled = await sql<{ name: string; debt: number }>`
        insert into shared_rates as kept (name, full_at, cost)
        select name, ${present} + ahead + cost, cost
          from json_to_recordset(${JSON.stringify(rows)}::json) as r (name text, cost bigint, ahead bigint)
          order by name collate "C"
        on conflict (name) do update set cost = excluded.cost,
          full_at = greatest(kept.full_at, excluded.full_at - excluded.cost) + excluded.cost
        returning name, full_at - ${present} as debt`.execute(db)
      results.push(new Map(settled.rows.map(({ name, debt }) => [name, debt / 1_000])))
    }
  }
  return results
}
settleRates.unaudited = true

/** Removes full buckets; a missing row has the same meaning as a full bucket. */
export async function forgetFullRates(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<true[]> {
  for (const { now } of items) {
    await db
      .deleteFrom('shared_rates')
      .where('full_at', '<', sql<number>`${databaseNow(db, now)} * 1000`)
      .execute()
  }
  return items.map(() => true)
}
forgetFullRates.unaudited = true
