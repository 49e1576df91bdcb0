// Tables that PostgreSQL partitions by the day in their IDs, so that the rows of one day can be removed in one step.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { beforeIdsOf, type IdPrefix } from '../../lib/ids.ts'
import { tookTooLong } from './dialect.ts'

/** A table that is partitioned by the time in a column of IDs. */
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

/** A partition for the IDs of one day in UTC. */
export interface Day {
  /** Table name of the partition. */
  readonly name: string
  /** First ID of the day, and first ID of the next day. */
  readonly from: string
  readonly until: string
}

const DAY_MS = 86_400_000
/**
 * Number of days for which partitions are created in advance; rows of later days go to the default partition, where
 * rows are removed one by one.
 */
const AHEAD_DAYS = 30
/** Number of days for which a new store gets partitions; the first node adds the partitions of later days. */
const FIRST_DAYS = 2
/**
 * Maximum time for which a change of partitions waits for running statements, and for which other statements wait for
 * the change.
 */
const MAX_WAIT_MS = 250
/**
 * Maximum time for which a change of partitions waits for maintenance such as autovacuum; only other maintenance is
 * blocked during this wait. PostgreSQL cancels a blocking autovacuum after one second.
 */
const MAX_WAIT_FOR_UPKEEP_MS = 10_000
const TRIES = 20
const PAUSE_MS = 1_000

/** A database or a transaction whose tables are addressed by name. */
// biome-ignore lint/suspicious/noExplicitAny: a migration knows no types of tables
type Connection = Kysely<any>

const startOfDay = (now: number): number => now - (now % DAY_MS)
/** Returns the name of the default partition, which contains the rows of days without a partition. */
const otherOf = (table: string): string => `${table}_other`

/** Returns the days that have a partition, oldest first. */
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
 * Changes the partitions of a table, or the table of one partition, in a transaction. Retries while running statements
 * block the change; throws `lock_not_available` after TRIES attempts.
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
 * Adds the missing partitions for today and the following days. A day with rows in the default partition gets no
 * partition.
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

/** True if the default partition has rows of this day. */
async function isTaken(db: Connection, { table, column }: PartitionedTable, day: Day): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(otherOf(table))}
    where ${sql.ref(column)} >= ${day.from} and ${sql.ref(column)} < ${day.until} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Creates the table of a partition before attaching the table, so that readers and writers of other days do not wait.
 */
async function addDay(
  db: Connection,
  { table }: PartitionedTable,
  { name, from, until }: Day,
): Promise<void> {
  await makeLike(db, table, name)
  await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
    for values from (${sql.lit(from)}) to (${sql.lit(until)})`.execute(db)
}

/**
 * Creates a table with the columns and indexes of the partitioned table and the storage settings of the default
 * partition.
 */
async function makeLike(db: Connection, table: string, name: string): Promise<void> {
  const settings = await settingsOf(db, otherOf(table))
  const having = settings === '' ? sql`` : sql`with (${sql.raw(settings)})`
  await sql`create table ${sql.table(name)} (${like(table)}) ${having}`.execute(db)
}

const like = (table: string): RawBuilder<unknown> =>
  sql`like ${sql.table(table)} including defaults including indexes including storage including compression`

/** Returns the storage settings of a table, such as autovacuum settings, which `like` does not copy. */
async function settingsOf(db: Connection, table: string): Promise<string> {
  const { rows } = await sql<{ settings: string }>`
    select array_to_string(c.reloptions || (
      select array_agg('toast.' || one) from pg_class t, unnest(t.reloptions) as one where t.oid = c.reltoastrelid
    ), ', ') as settings from pg_class c where c.oid = to_regclass(${table})`.execute(db)
  return rows[0]?.settings ?? ''
}

/**
 * Creates the first partitions of a partitioned table in a migration: the default partition, whose settings later
 * partitions copy, and the partitions of the first days.
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

/**
 * Removes the partition of a day with all of its rows; must be called inside `changeParts`. All other statements on the
 * table wait from this call until the end of the transaction.
 */
export async function dropDay(db: Connection, { table }: PartitionedTable, { name }: Day): Promise<void> {
  // Locks the partitioned table before the partition, in the same order as all other statements.
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db)
  await sql`drop table ${sql.table(name)}`.execute(db)
}
