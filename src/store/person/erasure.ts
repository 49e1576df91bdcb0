// Erases the stored data about an address, table by table.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows } from '../database/rows.ts'
import { messagesWithUnread } from '../events/event-log.ts'
import { removeInbound } from '../inbound/inbound-removal.ts'
import { removeContents } from '../messages/contents.ts'
import { waitingAmong } from '../queue/final.ts'
import { removeMessages, removeTranscripts } from '../removal/message-removal.ts'
import { hashSuppressions } from '../workspace/erased-suppressions.ts'
import { matches, matchesCheck, verifiedOf } from './about-address.ts'
import type { MailTable, Subject } from './mail-of-address.ts'

/** Numbers of removed or emptied rows, by table. */
export type ErasedRows = Readonly<Record<string, number>>

/**
 * True if a reader of the event log has not yet read all events of these messages; readers store rows derived from the
 * events.
 */
async function haveUnread(db: Database, messageIds: readonly string[]): Promise<boolean> {
  if (messageIds.length === 0) return false
  const unread = await messagesWithUnread(db)
  return unread === undefined || messageIds.some((id) => unread.has(id))
}

/**
 * Erases an address from messages. Changes nothing and returns `waiting` if one of the messages has a recipient in the
 * queue; changes nothing and returns `unread` if readers of the event log have not read all events of the messages.
 */
export async function eraseFromMessages(
  db: Database,
  items: readonly { readonly email: string; readonly messageIds: readonly string[] }[],
): Promise<(ErasedRows | 'waiting' | 'unread')[]> {
  const results: (ErasedRows | 'waiting' | 'unread')[] = []
  for (const { email, messageIds } of items) {
    if ((await waitingAmong(db, messageIds)).size > 0) {
      results.push('waiting')
      continue
    }
    if (await haveUnread(db, messageIds)) {
      results.push('unread')
      continue
    }
    const mails = await db
      .deleteFrom('test_mails')
      .where('message_id', 'in', messageIds)
      .returning('id')
      .execute()
    const others = await db
      .selectFrom('recipients')
      .select('message_id')
      .where('message_id', 'in', messageIds)
      .where(sql<boolean>`lower(email) <> ${email}`)
      .distinct()
      .execute()
    const shared = new Set(others.map(({ message_id }) => message_id))
    const removed = await removeMessages(
      db,
      messageIds.filter((id) => !shared.has(id)),
    )
    const inInboxes = mails.length === 0 ? {} : { test_mails: mails.length }
    results.push(addUp(removed, inInboxes, await eraseFromShared(db, email, [...shared])))
  }
  return results
}
eraseFromMessages.step = 'continued' as const

/**
 * Erases one recipient from messages that have other recipients. Erases the content and the transcripts of the messages
 * as well, because both may contain the address.
 */
async function eraseFromShared(
  db: Database,
  email: string,
  messageIds: readonly string[],
): Promise<ErasedRows> {
  if (messageIds.length === 0) return {}
  const contents = await removeContents(db, messageIds)
  const dialogs = await removeTranscripts(db, messageIds)
  const own = await db
    .deleteFrom('recipients')
    .where('message_id', 'in', messageIds)
    .where(sql<boolean>`lower(email) = ${email}`)
    .returning(['message_id', 'position'])
    .execute()
  let attempts = 0
  for (const { message_id, position } of own) {
    const gone = await db
      .deleteFrom('attempts')
      .where('message_id', '=', message_id)
      .where('position', '=', position)
      .returning('message_id')
      .execute()
    attempts += gone.length
    await db
      .deleteFrom('tracked_links')
      .where('message_id', '=', message_id)
      .where('position', '=', position)
      .execute()
  }
  const events = await db
    .deleteFrom('events')
    .where('message_id', 'in', messageIds)
    .where(sql<boolean>`lower(email) = ${email}`)
    .returning('id')
    .execute()
  const words = await db
    .deleteFrom('message_words')
    .where('message_id', 'in', messageIds)
    .where(
      'domain_id',
      'in',
      db.selectFrom('recipients').select('domain_id').where('message_id', 'in', messageIds),
    )
    .returning('message_id')
    .execute()
  const messages = await db
    .updateTable('messages')
    .set({ subject: '', words: '', metadata: null, tag: null, tags: null })
    .where('id', 'in', messageIds)
    .where(
      'domain_id',
      'in',
      db.selectFrom('recipients').select('domain_id').where('message_id', 'in', messageIds),
    )
    .returning('id')
    .execute()
  return {
    message_contents: contents,
    transcripts: dialogs,
    recipients: own.length,
    attempts,
    events: events.length,
    message_words: words.length,
    messages_emptied: messages.length,
  }
}

/** Erases an address from the tables with an index on addresses; keeps a suppression of the address as a hash. */
export async function eraseByAddress(db: Database, items: readonly Subject[]): Promise<ErasedRows[]> {
  const results: ErasedRows[] = []
  for (const subject of items) results.push(await eraseOne(db, subject))
  return results
}
eraseByAddress.step = 'continued' as const

async function eraseOne(db: Database, subject: Subject): Promise<ErasedRows> {
  const listed = await db
    .selectFrom('suppressions')
    .selectAll()
    .where(sql<boolean>`${matches(subject)}`)
    .execute()
  await hashSuppressions(db, listed)
  const links = await db
    .deleteFrom('unsubscribe_links')
    .where(sql<boolean>`${matches(subject)}`)
    .returning('token')
    .execute()
  const rows = await db
    .deleteFrom('bulk_rows')
    .where(sql<boolean>`${matches(subject)}`)
    .returning('line')
    .execute()
  const events = await db
    .deleteFrom('account_events')
    .where(sql<boolean>`${matches(subject)}`)
    .returning('id')
    .execute()
  const erased = {
    suppressions_hashed: listed.length,
    unsubscribe_links: links.length,
    bulk_rows: rows.length,
    account_events: events.length,
  }
  if (subject.domainId !== undefined) return erased
  const verified = await verifiedOf(db as Read, subject)
  await deleteRows(
    db,
    'verification_addresses',
    ['verification_id', 'position'],
    verified.map(({ verification_id, position }) => ({ verification_id, position })),
  )
  const checks = await db
    .deleteFrom('verification_checks')
    .where(matchesCheck(subject))
    .returning('id')
    .execute()
  const invitations = await db
    .deleteFrom('invitations')
    .where(sql<boolean>`${matches(subject)}`)
    .returning('id')
    .execute()
  return {
    ...erased,
    verification_addresses: verified.length,
    verification_checks: checks.length,
    invitations: invitations.length,
  }
}

/** Received mails to erase, given by ID. */
export interface EraseMail {
  readonly table: MailTable
  readonly ids: readonly string[]
}

/**
 * Removes received mails; changes nothing and returns `unread` if readers of the event log have not read all events of
 * the mails.
 */
export async function eraseMail(
  db: Database,
  items: readonly EraseMail[],
): Promise<(ErasedRows | 'unread')[]> {
  const results: (ErasedRows | 'unread')[] = []
  for (const { table, ids } of items) {
    if (table !== 'inbound_messages') {
      const keys = ids.map((id) => ({ id }))
      results.push({ [table]: (await deleteRows(db, table, ['id'], keys)).length })
    } else if (await haveUnread(db, ids)) results.push('unread')
    else results.push({ inbound_messages: await removeInbound(db, ids) })
  }
  return results
}
eraseMail.step = 'continued' as const

/** Adds up the counts of each table. */
export function addUp(...all: readonly ErasedRows[]): ErasedRows {
  const sum: Record<string, number> = {}
  for (const rows of all) {
    for (const [table, count] of Object.entries(rows)) sum[table] = (sum[table] ?? 0) + count
  }
  return sum
}
