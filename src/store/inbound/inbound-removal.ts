// Removes stored data of inbound messages after their retention time or for an erasure request.

import { beforeIdsOf } from '../../lib/ids.ts'
import type { Sweep } from '../../model/retention.ts'
import type { Database } from '../database/dialect.ts'
import { messagesWithUnread } from '../events/event-log.ts'
import { addInboundBytes } from '../messages/stored-bytes.ts'

/** Removes raw messages and their parsed forms; returns the number of removed raw messages. */
async function removeContents(db: Database, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  await db.deleteFrom('inbound_parsed').where('inbound_id', 'in', ids).execute()
  const removed = await db
    .deleteFrom('inbound_contents')
    .where('inbound_id', 'in', ids)
    .returning('inbound_id')
    .execute()
  if (removed.length === 0) return 0
  const sizes = await db
    .selectFrom('inbound_messages')
    .select(['account_id', 'size'])
    .where(
      'id',
      'in',
      removed.map(({ inbound_id }) => inbound_id),
    )
    .execute()
  const released = new Map<string, number>()
  for (const { account_id, size } of sizes) {
    released.set(account_id, (released.get(account_id) ?? 0) - Number(size))
  }
  await addInboundBytes(db, released)
  return removed.length
}

/** Removes messages with their contents and events; returns the number of removed messages. */
export async function removeInbound(db: Database, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  await removeContents(db, ids)
  await db.deleteFrom('events').where('message_id', 'in', ids).execute()
  const removed = await db.deleteFrom('inbound_messages').where('id', 'in', ids).returning('id').execute()
  return removed.length
}

/** A removal step for one retention rule. */
export interface RemoveOldInbound {
  readonly sweep: Pick<Sweep, 'kind' | 'domainId' | 'stream' | 'keptMs'>
  readonly now: number
  readonly limit: number
}

/** Removes data that exceeds the retention time of a rule, oldest first; returns the number of affected messages. */
export async function removeOldInbound(db: Database, items: readonly RemoveOldInbound[]): Promise<number[]> {
  const results: number[] = []
  for (const { sweep, now, limit } of items) {
    const before = beforeIdsOf('inb', now - sweep.keptMs)
    if (sweep.kind === 'content')
      results.push(await removeContents(db, await oldContents(db, sweep, before, limit)))
    else if (sweep.kind === 'record') results.push(await removeOldRecords(db, sweep, before, limit))
    else results.push(0)
  }
  return results
}
removeOldInbound.unaudited = true

async function oldContents(
  db: Database,
  { domainId, stream }: RemoveOldInbound['sweep'],
  before: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('inbound_contents')
    .select('inbound_id')
    .$if(domainId !== '', (query) => query.where('domain_id', '=', domainId))
    .$if(stream !== '', (query) => query.where('stream', '=', stream))
    .where('inbound_id', '<', before)
    .orderBy('inbound_id')
    .limit(limit)
    .execute()
  return rows.map(({ inbound_id }) => inbound_id)
}

/** Removes old message records, except records with an event that a reader of the event log has not processed. */
async function removeOldRecords(
  db: Database,
  { domainId, stream }: RemoveOldInbound['sweep'],
  before: string,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom('inbound_messages')
    .select('id')
    .$if(domainId !== '', (query) => query.where('domain_id', '=', domainId))
    .$if(stream !== '', (query) => query.where('stream', '=', stream))
    .where('id', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute()
  const unread = rows.length === 0 ? undefined : await messagesWithUnread(db)
  if (unread === undefined) return 0
  return removeInbound(
    db,
    rows.flatMap(({ id }) => (unread.has(id) ? [] : [id])),
  )
}
