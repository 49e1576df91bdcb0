// Removes message contents by day: PostgreSQL drops the partition of a day once all messages of the day are final.

import { type Kysely, sql } from 'kysely'
import { type Database, isPostgres, type Read, tookTooLong } from '../database/dialect.ts'
import { CONTENT_PARTITIONS, changeParts, type Day, dropDay, listDays } from '../database/partitions.ts'
import type { Tables } from '../database/schema.ts'
import { releaseBulkContent } from '../messages/contents.ts'
import { addStoredContents } from '../messages/stored-bytes.ts'

/** Returns the days with a partition of contents, oldest first. */
export const contentDays = async (read: Read): Promise<Day[]> =>
  isPostgres(read) ? listDays(read, CONTENT_PARTITIONS) : []

/**
 * Number of removed contents, or the reason why no content was removed: a message is not final, or other statements
 * kept the table locked.
 */
export type RemovedDay = number | 'not final' | 'in use'

/**
 * Removes the contents of all messages of a day in a separate transaction, and moves the mark of the retention sweep
 * past the day.
 */
export const removeDay = (db: Kysely<Tables>, day: Day): Promise<RemovedDay> =>
  changeParts(db, day.name, async (transaction: Database): Promise<RemovedDay> => {
    // The lock blocks the removal of single contents, because the bytes of a content would otherwise be subtracted
    // twice. Reads are not blocked.
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

/**
 * True if a message of the day has a recipient in the queue; a false result stays valid, since no recipient returns to
 * the queue.
 */
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

/** Contents of one account, either of one bulk or outside bulks, with their counted bytes. */
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

/** Moves the mark of the installation's sweep past the day, because no contents of the day are left to remove. */
async function passOn(db: Database, { until }: Day): Promise<void> {
  await sql`
    insert into retention_marks (kind, domain_id, stream, message_id) values ('content', '', '', ${until})
    on conflict (kind, domain_id, stream)
    do update set message_id = greatest(retention_marks.message_id, excluded.message_id)`.execute(db)
}
