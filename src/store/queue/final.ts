// Finality of messages: the only place that knows which rows show it.

import { type Database, isPostgres, type Read } from '../database/dialect.ts'

/**
 * Returns the messages among `messageIds` that have a recipient in the queue. The other messages do not change until
 * the transaction ends: a recipient never returns to the queue, and only a later report changes its row, which is
 * locked here.
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

/** Returns the messages among `messageIds` that have a recipient in the queue now, without locks. */
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
