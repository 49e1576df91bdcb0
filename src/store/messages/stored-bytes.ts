// Bytes of messages that each account stores: added up from the event log, behind the commits that accept them.

import { type Database, insertRows, type Read } from '../database/dialect.ts'
import type { LoggedStream } from '../events/event-log.ts'

const ADD = 'on conflict (account_id) do update set bytes=stored_bytes.bytes+excluded.bytes'

/** Adds the sizes of new messages to the figures of their accounts; part of the `figures` reader of the event log. */
export async function addStoredBytes(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const added = new Map<string, number>()
  for (const [accountId, , , events] of streams) {
    let bytes = 0
    for (const [, , , , , , , size] of events) bytes += size ?? 0
    if (bytes > 0) added.set(accountId, (added.get(accountId) ?? 0) + bytes)
  }
  const rows = [...added].map(([account_id, bytes]) => ({ account_id, bytes }))
  await insertRows(db, 'stored_bytes', rows, ADD)
}

/** Bytes of messages that an account stores; those of about the last second may not be counted yet. */
export async function readStoredBytes(read: Read, accountId: string): Promise<number> {
  const row = await read
    .selectFrom('stored_bytes')
    .select('bytes')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}
