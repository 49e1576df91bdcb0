// Tables in partitions by the day in their IDs, on PostgreSQL alone: what was written on one day can go in one piece.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { beforeIdsOf, type IdPrefix } from '../../lib/ids.ts'
import { tookTooLong } from './dialect.ts'

/** A table that is kept in partitions by the time in a column of IDs. */
export interface PartitionedTable {
  readonly table: string
  readonly column: string
  readonly prefix: IdPrefix
}

export const CONTENT_PARTITIONS: PartitionedTable = {
  table: 'message_contents',
  column: 'message_id',
  prefix: 'msg',
}

/** A partition for the IDs of one day, by UTC. */
export interface Day {
  /** Its name as a table. */
  readonly name: string
  /** The IDs from here on, and up to there. */
  readonly from: string
  readonly until: string
}

const DAY_MS = 86_400_000
/** For so many days no node needs to make any; after that rows go where they are removed one by one. */
const AHEAD_DAYS = 30
/** Those of a store that was just made; its first node makes the others. */
const FIRST_DAYS = 2
/** A change of a table's parts waits for so long for the statements under way, and others so long for it. */
const MAX_WAIT_MS = 250
/** Nobody but upkeep waits meanwhile. PostgreSQL ends an autovacuum that is in the way after a second. */
const MAX_WAIT_FOR_UPKEEP_MS = 10_000
const TRIES = 20
const PAUSE_MS = 1_000

/** A database or a transaction; the tables are named by texts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration knows no types of tables
type Connection = Kysely<any>

const startOfDay = (now: number): number => now - (now % DAY_MS)
/** The partition for IDs that no other one is for. */
const otherOf = (table: string): string => `${table}_other`

/** The days that have a partition, oldest first. */
export async function listDays(db: Connection, { table }: PartitionedTable): Promise<Day[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table})`.execute(db)
  const days = rows.flatMap(({ name, bound }) => {
    const [, from, until] = /^FOR VALUES FROM \('(\w+)'\) TO \('(\w+)'\)$/.exec(bound) ?? []
    return from === undefined || until === undefined ? [] : [{ name, from, until }]
  })
  return days.sort((a, b) => (a.from < b.from ? -1 : 1))
}

/**
 * Runs a change of the parts of a table, or of the table of one part, in a transaction, and again while statements under
 * way do not let it; throws `lock_not_available` when that goes on.
 */
export async function changeParts<T>(
  db: Connection,
  table: string,
  work: (transaction: Connection) => Promise<T>,
): Promise<T> {
  const once = (transaction: Connection): Promise<T> => {
    const limit = (ms: number) => sql`set local lock_timeout = ${sql.lit(ms)}`.execute(transaction)
    return sql`set local statement_timeout = 0`
      .execute(transaction)
      .then(() => limit(MAX_WAIT_FOR_UPKEEP_MS))
      .then(() => sql`lock table ${sql.table(table)} in share update exclusive mode`.execute(transaction))
      .then(() => limit(MAX_WAIT_MS))
      .then(() => work(transaction))
  }
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(once)
    } catch (error) {
      if (!tookTooLong(error) || tries === TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * Makes the partitions of today and the next days that a table in partitions does not have. A day with rows that are
 * elsewhere gets none.
 */
export async function addDays(db: Connection, partitioned: PartitionedTable, now: number): Promise<void> {
  const known = new Set((await listDays(db, partitioned)).map(({ from }) => from))
  for (let ahead = 0; ahead <= AHEAD_DAYS; ahead++) {
    const day = dayOf(partitioned, startOfDay(now) + ahead * DAY_MS)
    if (known.has(day.from) || (await isTaken(db, partitioned, day))) continue
    await changeParts(db, partitioned.table, (transaction) => addDay(transaction, partitioned, day))
  }
}

const dayOf = ({ table, prefix }: PartitionedTable, at: number): Day => ({
  name: `${table}_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`,
  from: beforeIdsOf(prefix, at),
  until: beforeIdsOf(prefix, at + DAY_MS),
})

/** Tells if rows of a day are in the partition for all others. */
async function isTaken(db: Connection, { table, column }: PartitionedTable, day: Day): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(otherOf(table))}
    where ${sql.ref(column)} >= ${day.from} and ${sql.ref(column)} < ${day.until} limit 1`.execute(db)
  return rows.length > 0
}

/** Made first and attached then, which keeps neither readers nor writers of other days waiting. */
async function addDay(
  db: Connection,
  { table }: PartitionedTable,
  { name, from, until }: Day,
): Promise<void> {
  await makeLike(db, table, name)
  await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
    for values from (${sql.lit(from)}) to (${sql.lit(until)})`.execute(db)
}

/** Makes a table with the columns and indexes of the whole one, and the settings of its partition for all other IDs. */
async function makeLike(db: Connection, table: string, name: string): Promise<void> {
  const settings = await settingsOf(db, otherOf(table))
  const having = settings === '' ? sql`` : sql`with (${sql.raw(settings)})`
  await sql`create table ${sql.table(name)} (${like(table)}) ${having}`.execute(db)
}

const like = (table: string): RawBuilder<unknown> =>
  sql`like ${sql.table(table)} including defaults including indexes including storage including compression`

/** The settings of autovacuum and the like, which no copy takes along. */
async function settingsOf(db: Connection, table: string): Promise<string> {
  const { rows } = await sql<{ settings: string }>`
    select array_to_string(c.reloptions || (
      select array_agg('toast.' || one) from pg_class t, unnest(t.reloptions) as one where t.oid = c.reltoastrelid
    ), ', ') as settings from pg_class c where c.oid = to_regclass(${table})`.execute(db)
  return rows[0]?.settings ?? ''
}

/**
 * Makes the first partitions of a table that is to have them and has none: one for all IDs that no other one is for, with
 * settings that later ones take over, and those of the first days. Within a migration.
 */
export async function makeFirstParts(
  db: Connection,
  partitioned: PartitionedTable,
  settings: string,
  now: number,
): Promise<void> {
  const { table } = partitioned
  const [whole, other] = [sql.table(table), sql.table(otherOf(table))]
  await sql`create table ${other} (${like(table)}) with (${sql.raw(settings)})`.execute(db)
  await sql`alter table ${whole} attach partition ${other} default`.execute(db)
  for (let ahead = 0; ahead < FIRST_DAYS; ahead++) {
    await addDay(db, partitioned, dayOf(partitioned, startOfDay(now) + ahead * DAY_MS))
  }
}

/** Removes the partition of a day with all of its rows, within `changeParts`; all others wait from here to its end. */
export async function dropDay(db: Connection, { table }: PartitionedTable, { name }: Day): Promise<void> {
  // The whole first, as everybody takes them.
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db)
  await sql`drop table ${sql.table(name)}`.execute(db)
}
