// Finds deferred recipients with a due time beyond any regular delay, because the clock was set back after the
// deferral.

import { type Database, isPostgres, LOCK_CLAIMED, type Read } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'

/** Maximum number of rows that one write moves. */
const MAX_MOVED = 512

const deferredAfter = (read: Read | Database, latest: number) =>
  read
    .selectFrom('queue')
    .select(['message_id', 'position'])
    .where('due_at', '>', latest)
    // Scheduled and paced mail is excluded, because its due time is intended, even if far in the future.
    .where('state', '=', 'deferred')

/** True if any deferred recipient is due later than `latest`. */
export const hasDeferredAfter = async (read: Read, latest: number): Promise<boolean> =>
  (await deferredAfter(read, latest).limit(1).executeTakeFirst()) !== undefined

/**
 * Makes up to 512 deferred recipients due now if their due time is later than `latest`; returns the number of changed
 * recipients. Skips rows that another node is changing.
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
