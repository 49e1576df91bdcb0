// Finality of messages: the one place that knows which rows tell it.

import { type Database, isPostgres } from '../database/dialect.ts'

/**
 * The messages among these that have a recipient who waits or is in an attempt. Nobody changes the others until the
 * transaction ends.
 */
export async function waitingAmong(db: Database, messageIds: readonly string[]): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set()
  let query = db
    .selectFrom('recipients')
    .select(['message_id', 'lane'])
    .where('message_id', 'in', messageIds)
    .orderBy('message_id')
    .orderBy('position')
  if (isPostgres(db)) query = query.forUpdate()
  const rows = await query.execute()
  return new Set(rows.flatMap(({ message_id, lane }) => (lane === null ? [] : [message_id])))
}
