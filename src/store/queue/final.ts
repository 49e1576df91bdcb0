// Finality of messages: the one place that knows which rows tell it.

import { type Database, isPostgres, type Read } from '../database/dialect.ts'

/**
 * The messages among these that have a recipient in the queue. The others stay unchanged until the transaction ends:
 * what has left the queue never comes back, and only a report that comes later touches the recipients.
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

/** The same as far as it can be seen now. */
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
