// Finality of messages: only this module knows which rows show that a message is final.

import { type Database, isPostgres, type Read } from '../database/dialect.ts'

/**
 * Returns the messages among `messageIds` that have a recipient in the queue. All other messages stay unchanged until
 * the transaction ends: no recipient returns to the queue, and a later report could change only the row of a recipient,
 * which this function locks.
 */
export async function waitingAmong(db: Database, messageIds: readonly string[]): Promise<Set<string>> {
  const waiting = await readWaitingAmong(db, messageIds)
  if (isPostgres(db) && messageIds.length > 0) {
    await db
      .selectFrom('recipients')
      .select('message_id')
      .where('message_id', 'in', messageIds)
      .orderBy('message_id')
      .orderBy('position')
      .forUpdate()
      .execute()
  }
  return waiting
}

/** Returns the messages among `messageIds` that have a recipient in the queue at present; locks no rows. */
export async function readWaitingAmong(
  db: Database | Read,
  messageIds: readonly string[],
): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set()
  const rows = await (db as Read)
    .selectFrom('queue')
    .select('message_id')
    .where('message_id', 'in', messageIds)
    .execute()
  return new Set(rows.map(({ message_id }) => message_id))
}
