// Stored contents of messages: the submitted bytes, or a delta against the base content of a bulk.

import type { ContentFormat } from '../../model/message.ts'
import type { Database } from '../database/dialect.ts'
import { findRows, listQuery } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { applyDelta } from './delta.ts'
import { addStoredContents, releaseStoredBytes } from './stored-bytes.ts'

/** Content of a message as submitted. */
export interface StoredContent {
  readonly format: ContentFormat
  readonly content: Uint8Array
}

/** Returns the stored contents of these messages by message ID; omits damaged contents. */
export async function readContents(
  db: Database,
  messageIds: readonly string[],
): Promise<Map<string, StoredContent>> {
  if (messageIds.length === 0) return new Map()
  // A list of values lets PostgreSQL determine the partitions before reading any partition.
  const { rows } = await db.executeQuery<Tables['message_contents']>(listQuery(db, CONTENTS, messageIds))
  const bases = await readBases(
    db,
    rows.flatMap(({ bulk_id }) => bulk_id ?? []),
  )
  const found = new Map<string, StoredContent>()
  for (const { message_id, format, content: stored, bulk_id } of rows) {
    const base = bulk_id === null ? undefined : (bases.get(bulk_id) ?? NO_BASE)
    const content = base === undefined ? stored : applyDelta(base, stored)
    if (content !== undefined) found.set(message_id, { format, content })
  }
  return found
}

const CONTENTS = 'select message_id, format, content, bulk_id from message_contents where message_id'
const NO_BASE = new Uint8Array()

async function readBases(db: Database, bulkIds: readonly string[]): Promise<Map<string, Uint8Array>> {
  if (bulkIds.length === 0) return new Map()
  const wanted = [...new Set(bulkIds)].map((bulk_id) => ({ bulk_id }))
  const rows = await findRows(db, 'bulk_contents', ['bulk_id'], wanted, ['bulk_id', 'base'])
  return new Map(rows.map(({ bulk_id, base }) => [bulk_id, base]))
}

/**
 * Removes the stored contents of these messages, and subtracts their bytes from the sums of their accounts. Removes the
 * base content of a bulk together with the last message content that depends on the base. Returns the number of
 * messages that had stored content.
 */
export async function removeContents(db: Database, messageIds: readonly string[]): Promise<number> {
  if (messageIds.length === 0) return 0
  const removed = await db
    .deleteFrom('message_contents')
    .where('message_id', 'in', messageIds)
    .returning(({ fn }) => [
      ...(['message_id', 'domain_id', 'account_id', 'bulk_id'] as const),
      fn<number>('length', ['content']).as('bytes'),
    ])
    .execute()
  const ofBulks = removed.flatMap((row) => (row.bulk_id === null ? [] : [{ ...row, bulk_id: row.bulk_id }]))
  await releaseStoredBytes(
    db,
    removed.filter(({ bulk_id }) => bulk_id === null),
  )
  await addStoredContents(
    db,
    ofBulks.map(({ account_id, bytes }) => ({ account_id, bytes: -Number(bytes) })),
  )
  for (const [bulkId, rows] of [...Map.groupBy(ofBulks, ({ bulk_id }) => bulk_id)].sort()) {
    await releaseBulkContent(db, { bulkId, accountId: rows[0]?.account_id ?? '', contents: rows.length })
  }
  return removed.length
}

/** A bulk, and the number of its messages whose content was removed. */
interface ReleasedContent {
  readonly bulkId: string
  readonly accountId: string
  readonly contents: number
}

/**
 * Reduces the number of message contents that depend on a bulk, and removes the base content when that number is zero.
 */
export async function releaseBulkContent(
  db: Database,
  { bulkId, accountId, contents }: ReleasedContent,
): Promise<void> {
  await db
    .updateTable('bulks')
    .set((eb) => ({ contents: eb('contents', '-', contents) }))
    .where('account_id', '=', accountId)
    .where('id', '=', bulkId)
    .execute()
  await removeUnusedContent(db, bulkId)
}

/** Removes the base content of a finished bulk when no message content depends on the bulk any more. */
export async function removeUnusedContent(db: Database, bulkId: string): Promise<void> {
  const removed = await db
    .deleteFrom('bulk_contents')
    .where('bulk_id', '=', bulkId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('bulks')
          .select('id')
          .whereRef('bulks.account_id', '=', 'bulk_contents.account_id')
          .where('id', '=', bulkId)
          .where('contents', '=', 0)
          .where('status', 'in', ['cancelled', 'done']),
      ),
    )
    .returning(({ fn }) => ['account_id', fn<number>('length', ['base']).as('bytes')])
    .execute()
  await addStoredContents(
    db,
    removed.map(({ account_id, bytes }) => ({ account_id, bytes: -Number(bytes) })),
  )
}
