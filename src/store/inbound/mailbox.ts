// The playground's mailbox: mail that its mail host received.

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

/** Empties the mailbox. */
export async function emptyMailbox(
  db: Database,
  items: readonly { readonly before: string }[],
): Promise<true[]> {
  for (const { before } of items) await db.deleteFrom('mailbox_mails').where('id', '<=', before).execute()
  return items.map(() => true)
}

/** Filter of a list of mails. */
export interface MailboxFilter {
  /** Lists mails before this ID. */
  readonly cursor?: string | undefined
  readonly recipient?: string | undefined
}

/** A mail without its bytes, but with their number. */
export type MailboxEntry = Omit<MailboxMail, 'raw'> & { readonly size: number }

/** Returns mails, newest first. */
export function listMails(read: Read, limit: number, filter: MailboxFilter = {}): Promise<MailboxMail[]> {
  return narrowed(read, limit, filter).selectAll().execute()
}

/** Returns mails without their bytes, newest first. */
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

/** Returns the first bytes of a mail; none if there is no such mail. */
export async function findMailHead(read: Read, id: string, bytes: number): Promise<Uint8Array> {
  const row = await read
    .selectFrom('mailbox_mails')
    .select(sql<Uint8Array>`substr(raw, 1, ${sql.lit(bytes)})`.as('head'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.head ?? new Uint8Array()
}

/** Returns the domain that sent a message; undefined when there is no such message. */
export async function findDomainOfMessage(read: Read, messageId: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('messages')
    .select('domain_id')
    .where('id', '=', messageId)
    .executeTakeFirst()
  return row?.domain_id
}
