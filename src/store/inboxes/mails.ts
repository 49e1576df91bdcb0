// Mail in test inboxes: lists, finds, marks and removes mail.

import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { addRevision, lockInbox, type MailMark, type Revision } from './inboxes.ts'

export type TestMail = Tables['test_mails']

/** A mail without its bytes, as in lists. */
export type TestMailEntry = Omit<TestMail, 'raw' | 'search' | 'added' | 'changed'>

/** A mail with the text that searches look at. */
export type SearchedTestMail = TestMailEntry & Pick<TestMail, 'search'>

const ENTRY = [
  'id',
  'inbox_id',
  'account_id',
  'message_id',
  'received_at',
  'mail_from',
  'recipients',
  'tls',
  'seen',
  'tags',
  'size',
  'summary',
] as const

/**
 * Locks an inbox, changes its mail, and adds the change to the revisions of the inbox; returns the number of mails that
 * the change names.
 */
async function revised(
  db: Database,
  owner: InboxOwner,
  change: () => Promise<Revision & { readonly count?: number }>,
): Promise<number> {
  const inbox = await lockInbox(db, owner)
  if (inbox === undefined) return 0
  const { count, ...revision } = await change()
  await addRevision(db, inbox, revision)
  return count ?? ('ids' in revision ? revision.ids.length : 0)
}

/** Account and ID of an inbox whose mail is read. */
export interface InboxOwner {
  readonly accountId: string
  readonly inboxId: string
}

/** Filter of the mails of an inbox. */
export interface MailFilter {
  /** Only mails with lower IDs. */
  readonly before?: string | undefined
  /** Only mails with this ID or a higher one. */
  readonly from?: string | undefined
  /** Texts that a mail contains among the texts for searches or its recipients, in lower case. */
  readonly contained?: readonly string[] | undefined
}

function narrowed(read: Read, { accountId, inboxId }: InboxOwner, filter: MailFilter) {
  const { before, from, contained = [] } = filter
  const position = sql.raw(isPostgres(read) ? 'strpos' : 'instr')
  let query = read
    .selectFrom('test_mails')
    .where('inbox_id', '=', inboxId)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
  if (before !== undefined) query = query.where('id', '<', before)
  if (from !== undefined) query = query.where('id', '>=', from)
  for (const text of contained) {
    const asJson = JSON.stringify(text).slice(1, -1)
    query = query.where(
      sql<boolean>`(${position}(search, ${text}) > 0 or ${position}(lower(recipients), ${asJson}) > 0)`,
    )
  }
  return query
}

/** Returns mails without their bytes, newest first, after `offset` mails. */
export const listTestMails = (
  read: Read,
  owner: InboxOwner,
  limit: number,
  filter: MailFilter = {},
  offset = 0,
): Promise<TestMailEntry[]> =>
  narrowed(read, owner, filter).select(ENTRY).limit(limit).offset(offset).execute()

/** Returns mails with the text that searches look at, newest first. */
export const listSearchedMails = (
  read: Read,
  owner: InboxOwner,
  limit: number,
  filter: MailFilter = {},
): Promise<SearchedTestMail[]> =>
  narrowed(read, owner, filter)
    .select([...ENTRY, 'search'])
    .limit(limit)
    .execute()

/** Returns mails that were added, or got a recipient, after this number of changes of the inbox, the last first. */
export const listChangedMails = (
  read: Read,
  { accountId, inboxId }: InboxOwner,
  after: number,
  limit: number,
): Promise<SearchedTestMail[]> =>
  read
    .selectFrom('test_mails')
    .select([...ENTRY, 'search'])
    .where('inbox_id', '=', inboxId)
    .where('account_id', '=', accountId)
    .where('changed', '>', after)
    .orderBy('changed', 'desc')
    .limit(limit)
    .execute()

/** Returns mails without their bytes that were added between two numbers of changes of the inbox, the first first. */
export const listAddedMails = (
  read: Read,
  { accountId, inboxId }: InboxOwner,
  { after, until, limit }: { readonly after: number; readonly until: number; readonly limit: number },
): Promise<(TestMailEntry & Pick<TestMail, 'added'>)[]> =>
  read
    .selectFrom('test_mails')
    .select([...ENTRY, 'added'])
    .where('inbox_id', '=', inboxId)
    .where('account_id', '=', accountId)
    // A mail changes last when it is added, or later, so the index by the last change finds each mail.
    .where('changed', '>', after)
    .where('added', '>', after)
    .where('added', '<=', until)
    .orderBy('added')
    .limit(limit)
    .execute()

/** Returns the size of a mail in bytes; undefined if the inbox has no such mail. */
export async function sizeOfTestMail(
  read: Read,
  { accountId, inboxId }: InboxOwner,
  id: string,
): Promise<number | undefined> {
  const row = await read
    .selectFrom('test_mails')
    .select('size')
    .where('id', '=', id)
    .where('inbox_id', '=', inboxId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && Number(row.size)
}

/** Returns the inbox and the account of a mail; undefined if no inbox has the mail. */
export async function findOwnerOfTestMail(read: Read, id: string): Promise<InboxOwner | undefined> {
  const row = await read
    .selectFrom('test_mails')
    .select(['account_id', 'inbox_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { accountId: row.account_id, inboxId: row.inbox_id }
}

export const findTestMail = (
  read: Read,
  { accountId, inboxId }: InboxOwner,
  id: string,
): Promise<TestMail | undefined> =>
  read
    .selectFrom('test_mails')
    .selectAll()
    .where('id', '=', id)
    .where('inbox_id', '=', inboxId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()

/** Returns the numbers of all mails and of unread mails of an inbox, each from an index alone. */
export async function countTestMails(
  read: Read,
  { inboxId }: InboxOwner,
): Promise<{ readonly total: number; readonly unread: number }> {
  const mails = read
    .selectFrom('test_mails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('inbox_id', '=', inboxId)
  const [total, unread] = await Promise.all([
    mails.executeTakeFirst(),
    mails.where('seen', '=', sql.lit(0)).executeTakeFirst(),
  ])
  return { total: Number(total?.count ?? 0), unread: Number(unread?.count ?? 0) }
}

/** Returns the different lists of tags of the mails of an inbox, as JSON. */
export async function listTags(read: Read, { accountId, inboxId }: InboxOwner): Promise<string[]> {
  const rows = await read
    .selectFrom('test_mails')
    .select('tags')
    .distinct()
    .where('inbox_id', '=', inboxId)
    .where('account_id', '=', accountId)
    .where('tags', '!=', '[]')
    .execute()
  return rows.map(({ tags }) => tags)
}

/** Mails of an inbox: those with these IDs, or all. */
interface MailSelection extends InboxOwner {
  readonly ids?: readonly string[] | undefined
}

/** Removes mails; returns the number of removed mails for each selection. */
export async function removeTestMails(db: Database, items: readonly MailSelection[]): Promise<number[]> {
  const counts: number[] = []
  for (const { accountId, inboxId, ids } of items) {
    const count = await revised(db, { accountId, inboxId }, async () => {
      let query = db
        .deleteFrom('test_mails')
        .where('inbox_id', '=', inboxId)
        .where('account_id', '=', accountId)
      if (ids !== undefined) query = query.where('id', 'in', ids.length === 0 ? [''] : ids)
      const removed = (await query.returning('id').execute()).map(({ id }) => id)
      return ids === undefined
        ? { kind: 'emptied', count: removed.length }
        : { kind: 'removed', ids: removed }
    })
    counts.push(count)
  }
  return counts
}
removeTestMails.unaudited = true

/** Mark of mails: whether they are read, or their tags. */
export interface MarkTestMails extends MailSelection, MailMark {
  /** Only the mails with exactly these tags, as JSON. */
  readonly withTags?: string
}

/** Marks mails as read or unread, or sets their tags; returns the number of mails that were marked otherwise before. */
export async function markTestMails(db: Database, items: readonly MarkTestMails[]): Promise<number[]> {
  const counts: number[] = []
  for (const { accountId, inboxId, ids, withTags, seen, tags } of items) {
    const count = await revised(db, { accountId, inboxId }, async () => {
      let query = db
        .updateTable('test_mails')
        .set({
          ...(seen === undefined ? {} : { seen: seen ? 1 : 0 }),
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
        })
        .where('inbox_id', '=', inboxId)
        .where('account_id', '=', accountId)
      if (seen !== undefined) query = query.where('seen', '=', seen ? 0 : 1)
      if (withTags !== undefined) query = query.where('tags', '=', withTags)
      if (ids !== undefined) query = query.where('id', 'in', ids.length === 0 ? [''] : ids)
      const marked = (await query.returning('id').execute()).map(({ id }) => id)
      const mark = { ...(seen === undefined ? {} : { seen }), ...(tags === undefined ? {} : { tags }) }
      return { kind: 'marked', ids: marked, mark }
    })
    counts.push(count)
  }
  return counts
}
markTestMails.unaudited = true

const DAY_MS = 86_400_000

/** Removes the mails that are older than their inboxes keep mails; returns the number of removed mails. */
export async function removeOldTestMails(
  db: Database,
  items: readonly { readonly now: number; readonly limit: number }[],
): Promise<number[]> {
  const counts: number[] = []
  for (const { now, limit } of items) {
    const old = await db
      .selectFrom('test_mails as mail')
      .innerJoin('test_inboxes as inbox', 'inbox.id', 'mail.inbox_id')
      .select(['mail.id', 'inbox.id as inboxId', 'inbox.account_id as accountId'])
      .where(sql<boolean>`mail.received_at < ${now} - inbox.keep_days * ${sql.lit(DAY_MS)}`)
      .orderBy('inbox.id')
      .limit(limit)
      .execute()
    for (const [inboxId, mails] of Map.groupBy(old, (mail) => mail.inboxId)) {
      const [first] = mails
      await revised(db, { accountId: first?.accountId ?? '', inboxId }, async () => {
        const ids = mails.map(({ id }) => id)
        await db.deleteFrom('test_mails').where('id', 'in', ids).execute()
        return { kind: 'many' }
      })
    }
    counts.push(old.length)
  }
  return counts
}
removeOldTestMails.unaudited = true
