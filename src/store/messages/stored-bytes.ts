// Bytes that the messages of each account occupy: a reader of the event log adds up the sizes after messages are
// accepted.

import type { Database, Read } from '../database/dialect.ts'
import { findRows, insertRows } from '../database/rows.ts'
import type { LoggedStream } from '../events/event-log.ts'

const ADD =
  'on conflict (account_id) do update set bytes=stored_bytes.bytes+excluded.bytes, inbound_bytes=stored_bytes.inbound_bytes+excluded.inbound_bytes'

/**
 * Adds bytes to the sums of accounts; a negative number means removed content. Accounts are locked in sorted order,
 * which prevents deadlocks.
 */
async function addBytes(db: Database, added: ReadonlyMap<string, number>, isInbound: boolean): Promise<void> {
  const rows = [...added]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([account_id, bytes]) => ({ account_id, bytes, inbound_bytes: isInbound ? bytes : 0 }))
  await insertRows(db, 'stored_bytes', rows, ADD)
}

/** Adds bytes of inbound messages to the sums of their accounts; a negative number means removed content. */
export const addInboundBytes = (db: Database, added: ReadonlyMap<string, number>): Promise<void> =>
  addBytes(db, added, true)

/** Adds bytes of bulk contents to the sums of their accounts; a negative number means removed content. */
export async function addStoredContents(
  db: Database,
  contents: readonly { readonly account_id: string; readonly bytes: number }[],
): Promise<void> {
  const added = new Map<string, number>()
  for (const { account_id, bytes } of contents) added.set(account_id, (added.get(account_id) ?? 0) + bytes)
  await addBytes(db, added, false)
}

/** Adds the sizes of new messages to the sums of their accounts; runs in the `figures` reader of the event log. */
export async function addStoredBytes(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const added = new Map<string, number>()
  for (const [accountId, , , events] of streams) {
    let bytes = 0
    for (const [, , , , , , , size] of events) bytes += size ?? 0
    if (bytes > 0) added.set(accountId, (added.get(accountId) ?? 0) + bytes)
  }
  await addBytes(db, added, false)
}

/** Reduces the sums of accounts by the sizes of messages whose content was removed. */
export async function releaseStoredBytes(
  db: Database,
  removed: readonly { readonly domain_id: string; readonly message_id: string }[],
): Promise<void> {
  const messages = await findRows(
    db,
    'messages',
    ['domain_id', 'id'],
    removed.map(({ domain_id, message_id: id }) => ({ domain_id, id })),
  )
  const released = new Map<string, number>()
  for (const { account_id, size } of messages) {
    released.set(account_id, (released.get(account_id) ?? 0) - Number(size))
  }
  await addBytes(db, released, false)
}

/**
 * Returns the number of bytes that the messages of an account and the mails in its test inboxes occupy; messages of the
 * last second may be missing.
 */
export async function readStoredBytes(read: Read, accountId: string): Promise<number> {
  const [messages, mails] = await Promise.all([
    read.selectFrom('stored_bytes').select('bytes').where('account_id', '=', accountId).executeTakeFirst(),
    read
      .selectFrom('test_mails')
      .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
      .where('account_id', '=', accountId)
      .executeTakeFirst(),
  ])
  return Number(messages?.bytes ?? 0) + Number(mails?.bytes ?? 0)
}
