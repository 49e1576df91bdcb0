// The mailbox of the playground contains the mail that the playground's mail host received.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type MailboxMail = Tables['mailbox_mails']

/** Stores a received mail. */
export async function keepMail(db: Database, items: readonly MailboxMail[]): Promise<true[]> {
  await insertRows(db, 'mailbox_mails', items)
  return items.map(() => true)
}

/** Selects mails to remove: one by its ID, those for a recipient, or all. */
export interface MailSelection {
  readonly id?: string | undefined
  readonly recipient?: string | undefined
}

/** Removes mails; returns the number of removed mails for each selection. */
export async function removeMails(db: Database, items: readonly MailSelection[]): Promise<number[]> {
  const counts: number[] = []
  for (const { id, recipient } of items) {
    let query = db.deleteFrom('mailbox_mails')
    if (id !== undefined) query = query.where('id', '=', id)
    if (recipient !== undefined) query = query.where('rcpt_to', '=', recipient)
    counts.push((await query.returning('id').execute()).length)
  }
  return counts
}

/** Filter of a list of mails. */
export interface MailboxFilter {
  /** Cursor of the list; only mails with lower IDs are listed. */
  readonly cursor?: string | undefined
  readonly recipient?: string | undefined
}

/** A mail with its size instead of its raw content. */
export type MailboxEntry = Omit<MailboxMail, 'raw'> & { readonly size: number }

/** Returns mails, newest first. */
export function listMails(read: Read, limit: number, filter: MailboxFilter = {}): Promise<MailboxMail[]> {
  return narrowed(read, limit, filter).selectAll().execute()
}

/** Returns mails without their raw content, newest first. */
export function listMailEntries(
  read: Read,
  limit: number,
  filter: MailboxFilter = {},
): Promise<MailboxEntry[]> {
  return narrowed(read, limit, filter)
    .select(['id', 'received_at', 'mail_from', 'rcpt_to', 'tls'])
    .select(sql<number>`length(raw)`.as('size'))
    .execute()
}

function narrowed(read: Read, limit: number, { cursor, recipient }: MailboxFilter) {
  let query = read.selectFrom('mailbox_mails').orderBy('id', 'desc').limit(limit)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  if (recipient !== undefined) query = query.where('rcpt_to', '=', recipient)
  return query
}

export const findMail = (read: Read, id: string): Promise<MailboxMail | undefined> =>
  read.selectFrom('mailbox_mails').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the first bytes of a mail; empty if the mail does not exist. */
export async function findMailHead(read: Read, id: string, bytes: number): Promise<Uint8Array> {
  const row = await read
    .selectFrom('mailbox_mails')
    .select(sql<Uint8Array>`substr(raw, 1, ${sql.lit(bytes)})`.as('head'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.head ?? new Uint8Array()
}

/** Returns the ID of the domain that sent a message; undefined if the message does not exist. */
export async function findDomainOfMessage(read: Read, messageId: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('messages')
    .select('domain_id')
    .where('id', '=', messageId)
    .executeTakeFirst()
  return row?.domain_id
}
