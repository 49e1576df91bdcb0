// Erasing what is stored about an address, table by table.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import { jsonNamesAddress, namesAddress, spellingsOf } from '../../model/address-mentions.ts'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows, findRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { messagesWithUnread } from '../events/event-log.ts'
import { removeInbound } from '../inbound/inbound-removal.ts'
import { waitingAmong } from '../queue/final.ts'
import { removeMessages, removeTranscripts } from '../removal/message-removal.ts'
import { NO_ATTEMPTS } from '../webhooks/deliveries.ts'
import { hashSuppressions } from '../workspace/erased-suppressions.ts'
import { matches, matchesCheck, verifiedOf } from './about-address.ts'
import { removeContents } from './contents.ts'
import { hasText, removeMentions, type SearchedTable, type Subject } from './mentions.ts'

/** Rows that were removed or emptied, by table. */
export type ErasedRows = Readonly<Record<string, number>>

/** True where a reader of the event log, which writes rows of its own, has not read all events of these messages. */
async function haveUnread(db: Database, messageIds: readonly string[]): Promise<boolean> {
  if (messageIds.length === 0) return false
  const unread = await messagesWithUnread(db)
  return unread === undefined || messageIds.some((id) => unread.has(id))
}

/**
 * Erases an address from messages, but for the deliveries of webhooks about them, which no index finds (`deliveriesAbout`).
 * Changes nothing and answers `waiting` where one of them has a recipient who waits, `unread` where the event log has to be
 * read first.
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
    const removed = await removeMessages(
      db,
      messageIds.filter((id) => !shared.has(id)),
    )
    results.push(addUp(removed, await eraseFromShared(db, email, [...shared])))
  }
  return results
}
eraseFromMessages.step = 'continued' as const

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
  const events = await eraseEvents(db, email, messageIds)
  await emptyReplies(db, email, messageIds)
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
    events,
    message_words: words.length,
    messages_emptied: messages.length,
  }
}

/** Removes the events of the address, and those of others that name it; answers how many. */
async function eraseEvents(db: Database, email: string, messageIds: readonly string[]): Promise<number> {
  const spellings = spellingsOf(email)
  const found = await db
    .selectFrom('events')
    .select(['message_id', 'id', 'email', 'detail'])
    .where('message_id', 'in', messageIds)
    .where(sql<boolean>`(lower(email) = ${email} or ${holdsAny(db, 'detail', spellings)})`)
    .execute()
  const about = found.filter(
    (event) => inAnyCase(event.email) === email || jsonNamesAddress(event.detail, spellings),
  )
  const keys = about.map(({ message_id, id }) => ({ message_id, id }))
  return (await deleteRows(db, 'events', ['message_id', 'id'], keys)).length
}

/** Empties the replies of mail hosts to other recipients that name the address. */
async function emptyReplies(db: Database, email: string, messageIds: readonly string[]): Promise<void> {
  const spellings = spellingsOf(email)
  const attempts = await db
    .selectFrom('attempts')
    .select(['message_id', 'position', 'number', 'smtp_response', 'reason'])
    .where('message_id', 'in', messageIds)
    .where(
      sql<boolean>`(${holdsAny(db, 'smtp_response', spellings)} or ${holdsAny(db, 'reason', spellings)})`,
    )
    .execute()
  const replies = attempts.flatMap(({ smtp_response, reason, ...key }) =>
    namesAddress(`${smtp_response ?? ''} ${reason}`, spellings)
      ? [{ ...key, smtp_response: null, reason: '' }]
      : [],
  )
  await updateRows(db, 'attempts', ['message_id', 'position', 'number'], replies)
  const recipients = await db
    .selectFrom('recipients')
    .select(['message_id', 'position', 'smtp_response'])
    .where('message_id', 'in', messageIds)
    .where(holdsAny(db, 'smtp_response', spellings))
    .execute()
  const last = recipients.flatMap(({ smtp_response, ...key }) =>
    namesAddress(smtp_response ?? '', spellings) ? [{ ...key, smtp_response: null }] : [],
  )
  await updateRows(db, 'recipients', ['message_id', 'position'], last)
}

const holdsAny = (db: Database, column: string, texts: readonly string[]) =>
  sql<boolean>`(${sql.join(
    texts.map((text) => hasText(db, column, text)),
    sql` or `,
  )})`

/** Erases an address from the tables with an index on addresses; suppressions stay as a hash. */
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
  const erased = {
    suppressions_hashed: listed.length,
    unsubscribe_links: links.length,
    bulk_rows: rows.length,
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

/** Rows that hold an address, by their keys. */
export interface EraseMentions {
  readonly table: SearchedTable
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Removes rows that hold an address; entries of the audit log are emptied, and so are deliveries of webhooks that are not
 * over. Changes nothing and answers `unread` where the
 * event log has to be read first.
 */
export async function eraseMentions(
  db: Database,
  items: readonly EraseMentions[],
): Promise<(ErasedRows | 'unread')[]> {
  const results: (ErasedRows | 'unread')[] = []
  for (const { table, keys } of items) {
    const ids = keys.map(({ id }) => id as string)
    if (table === 'audit_log') results.push({ audit_log_emptied: await emptyAuditLog(db, ids) })
    else if (table === 'webhook_deliveries') results.push(await eraseDeliveries(db, keys as DeliveryKey[]))
    else if (table !== 'inbound_messages') results.push({ [table]: await removeMentions(db, table, keys) })
    else if (await haveUnread(db, ids)) results.push('unread')
    else results.push({ inbound_messages: await removeInbound(db, ids) })
  }
  return results
}
eraseMentions.step = 'continued' as const

type DeliveryKey = Pick<Tables['webhook_deliveries'], 'webhook_id' | 'id'>

/**
 * Removes deliveries that were made. Others are to be tried again, or may be, and have events of other people too: they stay
 * without the answers to them, and the events that are gone are left out when they are tried.
 */
async function eraseDeliveries(db: Database, keys: readonly DeliveryKey[]): Promise<ErasedRows> {
  const found = await findRows(db, 'webhook_deliveries', DELIVERY_KEY, keys, [...DELIVERY_KEY, 'status'])
  const [made, others] = [true, false].map((isMade) =>
    found.flatMap(({ status, ...key }) => ((status === 'delivered') === isMade ? [key] : [])),
  ) as [DeliveryKey[], DeliveryKey[]]
  const emptied = others.map((key) => ({ ...key, log: NO_ATTEMPTS }))
  await updateRows(db, 'webhook_deliveries', DELIVERY_KEY, emptied)
  return {
    webhook_deliveries: await removeMentions(db, 'webhook_deliveries', made),
    webhook_deliveries_emptied: emptied.length,
  }
}

const DELIVERY_KEY = ['webhook_id', 'id'] as const

async function emptyAuditLog(db: Database, ids: readonly string[]): Promise<number> {
  const emptied = await db
    .updateTable('audit_log')
    .set({ actor: 'erased', target: null, detail: '{}' })
    .where('id', 'in', ids)
    .returning('id')
    .execute()
  return emptied.length
}

/** Adds up counts by table. */
export function addUp(...all: readonly ErasedRows[]): ErasedRows {
  const sum: Record<string, number> = {}
  for (const rows of all) {
    for (const [table, count] of Object.entries(rows)) sum[table] = (sum[table] ?? 0) + count
  }
  return sum
}
