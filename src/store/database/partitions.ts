// Tables partitioned by the day in their IDs, on PostgreSQL only: the rows of one day can be removed in one piece.

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
  /** Name of the partition as a table. */
  readonly name: string
  /** First ID of the day, and first ID of the next day. */
  readonly from: string
  readonly until: string
}

const DAY_MS = 86_400_000
/**
 * Number of days for which partitions are made in advance; later rows go to the partition of all other IDs, where they
 * are removed one by one.
 */
const AHEAD_DAYS = 30
/** Number of days that a new store gets; its first node adds the others. */
const FIRST_DAYS = 2
/**
 * A change of partitions waits this long for running statements, and other statements wait this long for the change.
 */
const MAX_WAIT_MS = 250
/** Maximum wait for upkeep; only upkeep waits meanwhile. PostgreSQL cancels a blocking autovacuum after a second. */
const MAX_WAIT_FOR_UPKEEP_MS = 10_000
const TRIES = 20
const PAUSE_MS = 1_000

/** A database or a transaction whose tables are named by texts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration knows no types of tables
type Connection = Kysely<any>

const startOfDay = (now: number): number => now - (now % DAY_MS)
/** Returns the name of the partition for all IDs without a partition of their own. */
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
 * block the change; throws `lock_not_available` after TRIES tries.
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
 * Adds the missing partitions of today and of the next days. A day that already has rows in another partition gets
 * none.
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

/** True if the partition for all other IDs has rows of this day. */
async function isTaken(db: Connection, { table, column }: PartitionedTable, day: Day): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(otherOf(table))}
    where ${sql.ref(column)} >= ${day.from} and ${sql.ref(column)} < ${day.until} limit 1`.execute(db)
  return rows.length > 0
}

/** Makes the table first and attaches it then, so that neither readers nor writers of other days wait. */
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
 * Makes a table with the columns and indexes of the whole table and the settings of its partition for all other IDs.
 */
async function makeLike(db: Connection, table: string, name: string): Promise<void> {
  const settings = await settingsOf(db, otherOf(table))
  const having = settings === '' ? sql`` : sql`with (${sql.raw(settings)})`
  await sql`create table ${sql.table(name)} (${like(table)}) ${having}`.execute(db)
}

const like = (table: string): RawBuilder<unknown> =>
  sql`like ${sql.table(table)} including defaults including indexes including storage including compression`

/** Returns the storage settings, such as those of autovacuum, which `like` does not copy. */
async function settingsOf(db: Connection, table: string): Promise<string> {
  const { rows } = await sql<{ settings: string }>`
    select array_to_string(c.reloptions || (
      select array_agg('toast.' || one) from pg_class t, unnest(t.reloptions) as one where t.oid = c.reltoastrelid
    ), ', ') as settings from pg_class c where c.oid = to_regclass(${table})`.execute(db)
  return rows[0]?.settings ?? ''
}

/**
 * Makes the first partitions of a partitioned table inside a migration: the partition for all other IDs, whose settings
 * later partitions copy, and the partitions of the first days.
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
 * Removes the partition of a day with all of its rows, within `changeParts`. All other statements on the table wait
 * from here to the end of the transaction.
 */
export async function dropDay(db: Connection, { table }: PartitionedTable, { name }: Day): Promise<void> {
  // Locks the whole table first, in the same order as all other statements.
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db)
  await sql`drop table ${sql.table(name)}`.execute(db)
}
