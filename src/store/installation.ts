// Facts of the whole installation: its secret, and the version that tells every node that access has changed.

import { sql } from 'kysely'
import { type Database, insertRows, isPostgres, type Read } from './dialect.ts'

const ACCESS_VERSION = 'access_version'

/** Keeps a fact unless it is there already; answers the one that is kept. */
export async function keepFact(
  db: Database,
  items: readonly { readonly name: string; readonly value: string }[],
): Promise<string[]> {
  const kept: string[] = []
  for (const item of items) {
    await db
      .insertInto('installation')
      .values(item)
      .onConflict((on) => on.column('name').doNothing())
      .execute()
    const row = await db
      .selectFrom('installation')
      .select('value')
      .where('name', '=', item.name)
      .executeTakeFirst()
    kept.push(row?.value ?? item.value)
  }
  return kept
}

/** Marks that an account, a domain or a key has changed; part of the transaction that changes it. */
export async function markAccessChanged(db: Database, now: number): Promise<void> {
  const value = `${now}.${Math.random()}`
  const changed = await db
    .updateTable('installation')
    .set({ value })
    .where('name', '=', ACCESS_VERSION)
    .returning('name')
    .execute()
  if (changed.length === 0) await insertRows(db, 'installation', [{ name: ACCESS_VERSION, value }])
}

/**
 * How many milliseconds this machine's clock is ahead of the database's; behind it when negative. Zero for a store
 * of one node. `now` is for tests.
 */
export async function clockSkew(read: Read, now: () => number = Date.now): Promise<number> {
  if (!isPostgres(read)) return 0
  const before = now()
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as at`.execute(read)
  // The question was answered somewhere between.
  return Math.round((before + now()) / 2 - (rows[0]?.at ?? before))
}

/** Changes whenever an account, a domain or a key does, on any node. */
export async function accessVersion(read: Read): Promise<string> {
  const row = await read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', ACCESS_VERSION)
    .executeTakeFirst()
  return row?.value ?? ''
}
