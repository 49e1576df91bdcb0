// Test inboxes of accounts: creates, changes, deletes and finds inboxes.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { markAccessChanged } from '../node/installation.ts'

export type TestInbox = Tables['test_inboxes']

/** Account and ID of an inbox. */
export interface InboxKey {
  readonly accountId: string
  readonly id: string
}

/** Adds inboxes that do not exist yet; the result is false if the account already has `most` inboxes. */
export async function createInbox(
  db: Database,
  items: readonly { readonly inbox: TestInbox; readonly most: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { inbox, most } of items) {
    const row = await db
      .selectFrom('test_inboxes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', inbox.account_id)
      .executeTakeFirst()
    const fits = Number(row?.count ?? 0) < most
    if (fits) await insertRows(db, 'test_inboxes', [inbox], 'on conflict (id) do nothing')
    results.push(fits)
  }
  return results
}
createInbox.auditTarget = ({ inbox }: { readonly inbox: { readonly id: string } }): string => inbox.id

/** Change of an inbox, given by the columns to change. */
export interface ChangeInbox extends InboxKey {
  readonly changes: Partial<Pick<TestInbox, 'name' | 'keep_days' | 'keep_messages' | 'password_hash'>>
}

/** Changes inboxes; returns each changed inbox, or undefined if the account has no such inbox. */
export async function changeInbox(
  db: Database,
  items: readonly ChangeInbox[],
): Promise<(TestInbox | undefined)[]> {
  const results: (TestInbox | undefined)[] = []
  for (const { accountId, id, changes } of items) {
    const changed = await db
      .updateTable('test_inboxes')
      .set((eb) => ({ name: eb.ref('name'), ...changes }))
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .returningAll()
      .executeTakeFirst()
    results.push(changed)
  }
  return results
}
changeInbox.auditTarget = ({ id }: { readonly id: string }): string => id

/** Deletes inboxes with their mail, and revokes their credentials; the result is false if there is no such inbox. */
export async function deleteInbox(
  db: Database,
  items: readonly (InboxKey & { readonly now: number })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, id, now } of items) {
    const deleted = await db
      .deleteFrom('test_inboxes')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .returning('id')
      .execute()
    if (deleted.length > 0) {
      await db
        .updateTable('keys')
        .set({ revoked_at: now })
        .where('account_id', '=', accountId)
        .where('inbox_id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
      await db.deleteFrom('test_mails').where('inbox_id', '=', id).execute()
      await markAccessChanged(db, now)
    }
    results.push(deleted.length > 0)
  }
  return results
}
deleteInbox.auditTarget = ({ id }: { readonly id: string }): string => id
deleteInbox.takesAccess = true

/** Deletes all inboxes of an account with their mail. */
export async function deleteInboxesOf(db: Database, accountId: string): Promise<void> {
  await db.deleteFrom('test_mails').where('account_id', '=', accountId).execute()
  await db.deleteFrom('test_inboxes').where('account_id', '=', accountId).execute()
}

/** Returns the inboxes of an account, newest first; with `cursor`, only inboxes with lower IDs. */
export function listInboxes(
  read: Read,
  accountId: string,
  limit: number,
  cursor?: string,
): Promise<TestInbox[]> {
  let query = read
    .selectFrom('test_inboxes')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.execute()
}

/** Returns the number of changes of the mail of an inbox; undefined if the inbox does not exist. */
export async function changesOf(
  read: Read,
  { accountId, inboxId }: { readonly accountId: string; readonly inboxId: string },
): Promise<number | undefined> {
  const row = await read
    .selectFrom('test_inboxes')
    .select('changes')
    .where('id', '=', inboxId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && Number(row.changes)
}

export const findInbox = (read: Read, { accountId, id }: InboxKey): Promise<TestInbox | undefined> =>
  read
    .selectFrom('test_inboxes')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()

/** Returns the inbox with this ID of any account, for a client that has not shown its password yet. */
export const findInboxById = (read: Read, id: string): Promise<TestInbox | undefined> =>
  read.selectFrom('test_inboxes').selectAll().where('id', '=', id).executeTakeFirst()
