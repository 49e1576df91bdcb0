// Erasing what is stored about an address, table by table.

import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { messagesWithUnread } from '../events/event-log.ts'
import { removeInbound } from '../inbound/inbound-removal.ts'
import { waitingAmong } from '../queue/final.ts'
import { eraseDeliveries } from '../webhooks/deliveries.ts'
import { hashSuppressions } from '../workspace/erased-suppressions.ts'
import {
  inboundAbout,
  MAX_NAMED,
  type Mentioning,
  matches,
  mentioning,
  mentionsIn,
  type Subject,
  verifiedOf,
} from './about-address.ts'
import { removeContents, removeMessages, removeTranscripts } from './message-removal.ts'

/** Rows that were removed or emptied, by table. */
export type ErasedRows = Readonly<Record<string, number>>

/** True where a reader of the event log, which writes rows of its own, has not read all events of these messages. */
async function haveUnread(db: Database, messageIds: readonly string[]): Promise<boolean> {
  if (messageIds.length === 0) return false
  const unread = await messagesWithUnread(db)
  return unread === undefined || messageIds.some((id) => unread.has(id))
}

/**
 * Erases an address from messages. Changes nothing and answers `waiting` where one of them has a recipient who waits,
 * `unread` where the event log has to be read first.
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
    const others = await db
      .selectFrom('recipients')
      .select('message_id')
      .where('message_id', 'in', messageIds)
      .where(sql<boolean>`lower(email) <> ${email}`)
      .distinct()
      .execute()
    const shared = new Set(others.map(({ message_id }) => message_id))
    const webhook_deliveries = await eraseDeliveries(db, messageIds)
    const removed = await removeMessages(
      db,
      messageIds.filter((id) => !shared.has(id)),
    )
    results.push(addUp(removed, { webhook_deliveries }, await eraseFromShared(db, email, [...shared])))
  }
  return results
}

/** Takes one recipient out of messages that others have got too: their content and dialogs may name the address. */
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
  const holds = (column: string) =>
    isPostgres(db)
      ? sql<boolean>`strpos(lower(coalesce(${sql.ref(column)}, '')), ${email}) > 0`
      : sql<boolean>`instr(lower(coalesce(${sql.ref(column)}, '')), ${email}) > 0`
  const events = await db
    .deleteFrom('events')
    .where('message_id', 'in', messageIds)
    .where((eb) => eb.or([sql<boolean>`lower(email) = ${email}`, holds('detail')]))
    .returning('message_id')
    .execute()
  await db
    .updateTable('attempts')
    .set({ smtp_response: null, reason: '' })
    .where('message_id', 'in', messageIds)
    .where((eb) => eb.or([holds('smtp_response'), holds('reason')]))
    .execute()
  await db
    .updateTable('recipients')
    .set({ smtp_response: null })
    .where('message_id', 'in', messageIds)
    .where(holds('smtp_response'))
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
    .set({ subject: '', words: '', metadata: null, tag: null })
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

/**
 * Erases an address from all that is not a message that was sent; suppressions stay as a hash. Changes nothing and answers
 * `unread` where the event log has to be read first.
 */
export async function eraseElsewhere(
  db: Database,
  items: readonly Subject[],
): Promise<(ErasedRows | 'unread')[]> {
  const results: (ErasedRows | 'unread')[] = []
  for (const subject of items) {
    const inbound = await inboundAbout(db, subject)
    results.push((await haveUnread(db, inbound)) ? 'unread' : await eraseOne(db, subject, inbound))
  }
  return results
}

async function eraseOne(db: Database, subject: Subject, inbound: readonly string[]): Promise<ErasedRows> {
  const erased: Record<string, number> = {}
  const listed = await db
    .selectFrom('suppressions')
    .selectAll()
    .where(sql<boolean>`${matches(subject)}`)
    .execute()
  await hashSuppressions(db, listed)
  erased.suppressions_hashed = listed.length
  const links = await db
    .deleteFrom('unsubscribe_links')
    .where(sql<boolean>`${matches(subject)}`)
    .returning('token')
    .execute()
  erased.unsubscribe_links = links.length
  for (let start = 0; start < inbound.length; start += MAX_NAMED) {
    await removeInbound(db, inbound.slice(start, start + MAX_NAMED))
  }
  erased.inbound_messages = inbound.length
  for (const table of mentionsIn(subject)) {
    if (table !== 'audit_log') erased[table] = await eraseMentions(db, table, subject)
  }
  if (subject.domainId !== undefined) return erased
  const verified = await verifiedOf(db as Read, subject)
  for (const { verification_id, position } of verified) {
    await db
      .deleteFrom('verification_addresses')
      .where('verification_id', '=', verification_id)
      .where('position', '=', position)
      .execute()
  }
  erased.verification_addresses = verified.length
  const invitations = await db
    .deleteFrom('invitations')
    .where(sql<boolean>`${matches(subject)}`)
    .returning('id')
    .execute()
  erased.invitations = invitations.length
  const audited = await db
    .updateTable('audit_log')
    .set({ actor: 'erased', target: null, detail: '{}' })
    .where(sql<boolean>`${mentioning(db, 'audit_log', subject)}`)
    .returning('id')
    .execute()
  erased.audit_log_emptied = audited.length
  return erased
}

/** Removes the rows of a table that mention the address; answers how many. */
async function eraseMentions(
  db: Database,
  table: Exclude<Mentioning, 'audit_log'>,
  subject: Subject,
): Promise<number> {
  const gone = await db
    .deleteFrom(table)
    .where(sql<boolean>`${mentioning(db, table, subject)}`)
    .returning(sql<number>`1`.as('one'))
    .execute()
  return gone.length
}

/** Adds up counts by table. */
export function addUp(...all: readonly ErasedRows[]): ErasedRows {
  const sum: Record<string, number> = {}
  for (const rows of all) {
    for (const [table, count] of Object.entries(rows)) sum[table] = (sum[table] ?? 0) + count
  }
  return sum
}
