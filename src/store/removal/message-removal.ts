// Removes stored data of messages: contents, transcripts of attempts, or all data.

import { type Database, isPostgres } from '../database/dialect.ts'
import { deleteRows, insertRows } from '../database/rows.ts'
import { removeContents } from '../messages/contents.ts'
import { streamWord, tagWord, wordsIn } from '../readers/message-words.ts'

/**
 * Removes the transcripts of all attempts of these messages; keeps the attempts. Returns the number of attempts that
 * had a transcript.
 */
export async function removeTranscripts(db: Database, messageIds: readonly string[]): Promise<number> {
  if (messageIds.length === 0) return 0
  const changed = await (isPostgres(db) ? emptyTranscripts : rewriteWithoutTranscripts)(db, messageIds)
  return changed.length
}

const emptyTranscripts = (db: Database, messageIds: readonly string[]) =>
  db
    .updateTable('attempts')
    .set({ transcript: '' })
    .where('message_id', 'in', messageIds)
    .where('transcript', '!=', '')
    .returning('message_id')
    .execute()

/**
 * Deletes the rows and inserts the rows again without transcripts, because SQLite merges pages only when rows are
 * deleted. Rows that are shortened in place would occupy the same space until they are deleted; rewritten rows take
 * half as many pages.
 */
async function rewriteWithoutTranscripts(db: Database, messageIds: readonly string[]): Promise<unknown[]> {
  const rows = await db
    .deleteFrom('attempts')
    .where('message_id', 'in', messageIds)
    .where('transcript', '!=', '')
    .returningAll()
    .execute()
  const rewritten = rows.map((row) => ({ ...row, transcript: '' }))
  await insertRows(db, 'attempts', rewritten)
  return rewritten
}

/** Numbers of removed rows, by table. */
export type RemovedRows = Readonly<Record<string, number>>

/**
 * Removes messages with all their data except unsubscribe links, which must still work after the message was removed.
 */
export async function removeMessages(db: Database, messageIds: readonly string[]): Promise<RemovedRows> {
  if (messageIds.length === 0) return {}
  const contents = await removeContents(db, messageIds)
  const messages = await db
    .deleteFrom('messages')
    .where(
      'domain_id',
      'in',
      db.selectFrom('recipients').select('domain_id').where('message_id', 'in', messageIds),
    )
    .where('id', 'in', messageIds)
    .returning(['id', 'domain_id', 'words', 'stream', 'tag'])
    .execute()
  const words = messages.flatMap(({ id: message_id, domain_id, words, stream, tag }) =>
    [...wordsIn(words), streamWord(stream), ...(tag === null ? [] : [tagWord(tag)])].map((word) => ({
      domain_id,
      word,
      message_id,
    })),
  )
  const count = async (table: 'recipients' | 'attempts' | 'events' | 'tracked_links'): Promise<number> => {
    const rows = db.deleteFrom(table).where('message_id', 'in', messageIds).returning('message_id')
    return (await rows.execute()).length
  }
  return {
    messages: messages.length,
    message_contents: contents,
    message_words: (await deleteRows(db, 'message_words', ['domain_id', 'word', 'message_id'], words)).length,
    attempts: await count('attempts'),
    events: await count('events'),
    tracked_links: await count('tracked_links'),
    recipients: await count('recipients'),
  }
}
