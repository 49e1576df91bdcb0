// The playground's mailbox: what its mail server received.

import type { Read } from './dialect.ts'
import { type Database, insertRows } from './dialect.ts'
import type { Tables } from './schema.ts'

export type MailboxMail = Tables['mailbox_mails']

/** Keeps a received mail. */
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

/** Mails, newest first, those before the ID `cursor` when it is given. */
export function listMails(
  read: Read,
  limit: number,
  filter: { readonly cursor?: string | undefined; readonly recipient?: string | undefined } = {},
): Promise<MailboxMail[]> {
  let query = read.selectFrom('mailbox_mails').selectAll().orderBy('id', 'desc').limit(limit)
  if (filter.cursor !== undefined) query = query.where('id', '<', filter.cursor)
  if (filter.recipient !== undefined) query = query.where('rcpt_to', '=', filter.recipient)
  return query.execute()
}

export const findMail = (read: Read, id: string): Promise<MailboxMail | undefined> =>
  read.selectFrom('mailbox_mails').selectAll().where('id', '=', id).executeTakeFirst()
