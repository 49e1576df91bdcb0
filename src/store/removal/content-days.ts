// Removes contents by day: on PostgreSQL, the partition of a day is dropped as a whole once all of its messages are
// final.

import { type Kysely, sql } from 'kysely'
import { type Database, isPostgres, type Read, tookTooLong } from '../database/dialect.ts'
import { CONTENT_PARTITIONS, changeParts, type Day, dropDay, listDays } from '../database/partitions.ts'
import type { Tables } from '../database/schema.ts'
import { releaseBulkContent } from '../messages/contents.ts'
import { addStoredContents } from '../messages/stored-bytes.ts'

/** Returns the days whose contents have a partition, oldest first. */
export const contentDays = async (read: Read): Promise<Day[]> =>
  isPostgres(read) ? listDays(read, CONTENT_PARTITIONS) : []

/**
 * Number of removed contents, or the reason why none was: a message is not final, or other statements used the table
 * all the time.
 */
export type RemovedDay = number | 'not final' | 'in use'

/**
 * Removes the contents of all messages of a day in a transaction of its own, and moves the mark of the retention past
 * the day.
 */
export const removeDay = (db: Kysely<Tables>, day: Day): Promise<RemovedDay> =>
  changeParts(db, day.name, async (transaction: Database): Promise<RemovedDay> => {
    // Blocks the removal of single contents, whose bytes would otherwise be subtracted twice. Reads continue.
    await sql`lock table ${sql.table(day.name)} in share row exclusive mode`.execute(transaction)
    if (await hasWaiting(transaction, day)) return 'not final'
    const contents = await contentsOf(transaction, day)
    await dropDay(transaction, CONTENT_PARTITIONS, day)
    await release(transaction, contents)
    await passOn(transaction, day)
    return contents.reduce((sum, { count }) => sum + count, 0)
  }).catch((error) => {
    if (tookTooLong(error)) return 'in use'
    throw error
  })

/** A recipient never returns to the queue, so `false` stays true. */
async function hasWaiting(db: Database, { from, until }: Day): Promise<boolean> {
  const waiting = await db
    .selectFrom('queue')
    .select('message_id')
    .where('message_id', '>=', from)
    .where('message_id', '<', until)
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}

/** Contents of an account, of one bulk or of none, with the bytes that count for them. */
interface ContentsOf {
  readonly account_id: string
  readonly bulk_id: string | null
  readonly count: number
  readonly bytes: number
}

async function contentsOf(db: Database, { name, from, until }: Day): Promise<ContentsOf[]> {
  const { rows } = await sql<ContentsOf>`
    select c.account_id, c.bulk_id, count(*)::float8 as count,
      sum(case when c.bulk_id is null then coalesce(m.size, 0) else length(c.content) end)::float8 as bytes
    from ${sql.table(name)} c
    left join messages m on m.domain_id = c.domain_id and m.id = c.message_id and m.id >= ${from} and m.id < ${until}
    group by c.account_id, c.bulk_id order by c.account_id, c.bulk_id`.execute(db)
  return rows
}

async function release(db: Database, contents: readonly ContentsOf[]): Promise<void> {
  await addStoredContents(
    db,
    contents.map(({ account_id, bytes }) => ({ account_id, bytes: -bytes })),
  )
  for (const { bulk_id: bulkId, account_id: accountId, count } of contents) {
    if (bulkId !== null) await releaseBulkContent(db, { bulkId, accountId, contents: count })
  }
}

/** The sweep of the installation has nothing left on this day. */
async function passOn(db: Database, { until }: Day): Promise<void> {
  await sql`
    insert into retention_marks (kind, domain_id, stream, message_id) values ('content', '', '', ${until})
    on conflict (kind, domain_id, stream)
    do update set message_id = greatest(retention_marks.message_id, excluded.message_id)`.execute(db)
}
