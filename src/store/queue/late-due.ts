// Deferred recipients whose due time lies further ahead than any wait: their clock was set back after they were put off.

import { type Database, isPostgres, LOCK_CLAIMED, type Read } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'

/** Rows that one write moves; the next one goes on. */
const MAX_MOVED = 512

const deferredAfter = (read: Read | Database, latest: number) =>
  read
    .selectFrom('queue')
    .select(['message_id', 'position'])
    .where('due_at', '>', latest)
    // Scheduled and paced mail has its time by wish, however far ahead.
    .where('state', '=', 'deferred')

/** True if any deferred recipient is due later than `latest`. */
export const hasDeferredAfter = async (read: Read, latest: number): Promise<boolean> =>
  (await deferredAfter(read, latest).limit(1).executeTakeFirst()) !== undefined

/**
 * Makes up to 512 deferred recipients that are due later than `latest` due now; answers how many. Those that another node is
 * changing are left out.
 */
export async function pullInDeferred(
  db: Database,
  items: readonly { readonly now: number; readonly latest: number }[],
): Promise<number[]> {
  const moved: number[] = []
  for (const { now, latest } of items) {
    const rows = await deferredAfter(db, latest)
      .limit(MAX_MOVED)
      .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
      .execute()
    const due = rows.map((row) => ({ ...row, start_tag: now, due_at: now }))
    await updateRows(db, 'queue', ['message_id', 'position'], due)
    moved.push(rows.length)
  }
  return moved
}
