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

/** Numbers by which a wait and a follower learn that the mail of an inbox has changed. */
export interface InboxState {
  /** Number of mails and recipients that were added. */
  readonly changes: number
  /** Number of revisions of mails that the inbox keeps. */
  readonly revision: number
}

/** Columns of an inbox whose mail has not changed yet. */
export const UNCHANGED: Pick<TestInbox, 'changes' | 'revision' | 'revisions'> = {
  ...{ changes: 0, revision: 0 },
  revisions: JSON.stringify({ since: 0, kept: [] } satisfies Revisions),
}

/** Returns the state of an inbox; undefined if the inbox does not exist. */
export async function stateOf(
  read: Read,
  { accountId, inboxId }: { readonly accountId: string; readonly inboxId: string },
): Promise<InboxState | undefined> {
  const row = await read
    .selectFrom('test_inboxes')
    .select(['changes', 'revision'])
    .where('id', '=', inboxId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && { changes: Number(row.changes), revision: Number(row.revision) }
}

/**
 * Change of mails that an inbox keeps: mails were marked or removed, all mails were removed, or the change has too many
 * mails to name them, such as the removal of the oldest mails.
 */
export type Revision =
  | { readonly kind: 'marked'; readonly ids: readonly string[]; readonly mark: MailMark }
  | { readonly kind: 'removed'; readonly ids: readonly string[] }
  | { readonly kind: 'emptied' | 'many' }

/** Mark of a mail: whether it is read, or its tags. */
export interface MailMark {
  readonly seen?: boolean
  readonly tags?: readonly string[]
}

/** A revision with its number, and with the number of changes of the inbox at that time. */
export type NumberedRevision = Revision & InboxState

/** The last revisions of an inbox: all after the revision `since`. */
interface Revisions {
  readonly since: number
  readonly kept: readonly NumberedRevision[]
}

/** Maximum number of mails and tags that the revisions of an inbox name. */
const MAX_NAMED = 100

/** Returns the number of mails and tags that a revision names. */
const sizeOf = (revision: Revision): number =>
  'ids' in revision
    ? revision.ids.length + (revision.kind === 'marked' ? (revision.mark.tags?.length ?? 0) : 0)
    : 1

/** Returns the last revisions of an inbox; undefined if the inbox does not exist. */
export async function revisionsOf(
  read: Read,
  { accountId, inboxId }: { readonly accountId: string; readonly inboxId: string },
): Promise<(Revisions & InboxState) | undefined> {
  const row = await read
    .selectFrom('test_inboxes')
    .select(['changes', 'revision', 'revisions'])
    .where('id', '=', inboxId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { since, kept } = JSON.parse(row.revisions) as Revisions
  return { since, kept, changes: Number(row.changes), revision: Number(row.revision) }
}

/** Locks an inbox until the end of the transaction, so that its mail and its revisions change together. */
export const lockInbox = (db: Database, { accountId, inboxId }: { accountId: string; inboxId: string }) =>
  db
    .updateTable('test_inboxes')
    .set((eb) => ({ revision: eb.ref('revision') }))
    .where('id', '=', inboxId)
    .where('account_id', '=', accountId)
    .returning(['id', 'changes', 'revision', 'revisions'])
    .executeTakeFirst()

/** Adds a revision to an inbox that the transaction has locked; a revision of no mails is left out. */
export async function addRevision(
  db: Database,
  inbox: Pick<TestInbox, 'id' | 'changes' | 'revision' | 'revisions'>,
  given: Revision,
): Promise<void> {
  if ('ids' in given && given.ids.length === 0) return
  const revision = Number(inbox.revision) + 1
  const change: Revision = sizeOf(given) > MAX_NAMED ? { kind: 'many' } : given
  const numbered = { ...change, revision, changes: Number(inbox.changes) }
  await db
    .updateTable('test_inboxes')
    .set({ revision, revisions: JSON.stringify(withRevision(JSON.parse(inbox.revisions), numbered)) })
    .where('id', '=', inbox.id)
    .execute()
}

/** Adds a revision to a list, and drops the oldest revisions of a list that names too many mails. */
function withRevision({ since, kept }: Revisions, added: NumberedRevision): Revisions {
  // Followers read the whole inbox again after such a change, so earlier revisions do not matter.
  if (!('ids' in added)) return { since, kept: [added] }
  let named = 0
  const first = [...kept, added].findLastIndex((one) => {
    named += sizeOf(one)
    return named > MAX_NAMED
  })
  const dropped = kept[first]
  return { since: dropped?.revision ?? since, kept: [...kept.slice(first + 1), added] }
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
