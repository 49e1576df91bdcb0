// The operator's inbox: mail to abuse@ and postmaster@, and unrecognized mail to return paths.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type InboxMail = Tables['inbox_mails']

/** Maximum number of stored mails; the newest mails are kept. */
const MAX_MAILS = 1_000

/** Stores mails, and removes the oldest mails beyond `MAX_MAILS`. */
export async function keepInboxMail(db: Database, items: readonly InboxMail[]): Promise<true[]> {
  await insertRows(db, 'inbox_mails', items)
  await db
    .deleteFrom('inbox_mails')
    .where('id', '<=', (eb) =>
      eb.selectFrom('inbox_mails').select('id').orderBy('id', 'desc').offset(MAX_MAILS).limit(1),
    )
    .execute()
  return items.map(() => true)
}

/** Returns mails without their raw content, newest first. */
export const listInboxMails = (read: Read, limit: number): Promise<Omit<InboxMail, 'raw'>[]> =>
  read
    .selectFrom('inbox_mails')
    .select(['id', 'received_at', 'mail_from', 'rcpt_to', 'subject', 'size'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findInboxMail = (read: Read, id: string): Promise<InboxMail | undefined> =>
  read.selectFrom('inbox_mails').selectAll().where('id', '=', id).executeTakeFirst()
