// New mail in test inboxes: keeps the mails of a commit, and removes the oldest mails above the number that an inbox
// keeps.

import { KEEP_MESSAGES, type SummarizedMail } from '../../model/test-inbox.ts'
import type { Database } from '../database/dialect.ts'
import { findRows, insertRows, updateRows } from '../database/rows.ts'
import { addRevision, type TestInbox } from './inboxes.ts'
import type { TestMail } from './mails.ts'

/** A mail for one or more recipients of one message. */
export interface NewTestMail extends SummarizedMail {
  readonly id: string
  readonly inboxId: string
  readonly accountId: string
  /** ID of the message; the recipients of one message share one mail. */
  readonly messageId: string
  readonly receivedAt: number
  readonly mailFrom: string
  readonly recipients: readonly string[]
  readonly tls: string | null
  readonly tags: readonly string[]
  readonly raw: Uint8Array
}

/**
 * Keeps mails; a mail of a message that the inbox already has adds its recipients to the kept mail, so a repetition
 * changes nothing. The result is false if the inbox does not exist. The oldest mails above the number that the inbox
 * keeps are removed.
 */
export async function keepTestMail(db: Database, items: readonly NewTestMail[]): Promise<boolean[]> {
  const byInbox = Map.groupBy(items, ({ accountId, inboxId }) => `${accountId} ${inboxId}`)
  const counted = new Map<string, ChangedInbox>()
  // All transactions lock inboxes in the same order, so that two transactions never wait for each other.
  for (const [name, mails] of [...byInbox].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const inbox = await countChanges(db, mails[0] as NewTestMail, mails.length)
    if (inbox !== undefined) counted.set(name, inbox)
  }
  const numbered = [...counted].flatMap(([name, { changes }]) => {
    const mails = byInbox.get(name) ?? []
    return mails.map((mail, index) => ({ mail, change: Number(changes) - mails.length + 1 + index }))
  })
  await keepNumbered(db, numbered)
  for (const inbox of counted.values()) if (mayBeFull(inbox)) await trim(db, inbox)
  return items.map(({ accountId, inboxId }) => counted.has(`${accountId} ${inboxId}`))
}
keepTestMail.isJson = true
keepTestMail.bytesIn = 'raw' as const
keepTestMail.unaudited = true

/** Columns of an inbox that count and limit its mails. */
type ChangedInbox = Pick<TestInbox, 'id' | 'keep_messages' | 'changes' | 'revision' | 'revisions'>

/** Counts changes of an inbox and returns the inbox; the lock on the inbox prevents that it is deleted meanwhile. */
const countChanges = (
  db: Database,
  { inboxId, accountId }: NewTestMail,
  count: number,
): Promise<ChangedInbox | undefined> =>
  db
    .updateTable('test_inboxes')
    .set((eb) => ({ changes: eb('changes', '+', count) }))
    .where('id', '=', inboxId)
    .where('account_id', '=', accountId)
    .returning(['id', 'keep_messages', 'changes', 'revision', 'revisions'])
    .executeTakeFirst()

/** A mail with its number among the changes of its inbox. */
interface NumberedMail {
  readonly mail: NewTestMail
  readonly change: number
}

/** Columns of a mail that change when the mail gets a recipient. */
type Widened = Pick<TestMail, 'id' | 'recipients' | 'changed'>

/** Adds mails to inboxes that the transaction has locked, or their recipients to the mails that the inboxes have. */
async function keepNumbered(db: Database, numbered: readonly NumberedMail[]): Promise<void> {
  // With the inbox as a further key, PostgreSQL may look up each message by an index of the inbox, and read all its mail.
  const keys = [...new Set(numbered.map(({ mail }) => mail.messageId))].map((message_id) => ({ message_id }))
  const columns = ['message_id', 'inbox_id', 'id', 'recipients', 'changed'] as const
  const found = await findRows(db, 'test_mails', ['message_id'], keys, columns)
  const kept = new Map<string, Widened>(found.map((row) => [nameOf(row.message_id, row.inbox_id), row]))
  const added = new Map<string, TestMail>()
  const widened = new Set<Widened>()
  for (const { mail, change } of numbered) {
    const name = nameOf(mail.messageId, mail.inboxId)
    const before = kept.get(name) ?? added.get(name)
    if (before === undefined) added.set(name, rowOf(mail, change))
    else if (addRecipients(before, mail.recipients)) {
      before.changed = change
      if (kept.has(name)) widened.add(before)
    }
  }
  await insertRows(db, 'test_mails', [...added.values()])
  const rows = [...widened].map(({ id, recipients, changed }) => ({ id, recipients, changed }))
  await updateRows(db, 'test_mails', ['id'], rows, { isUnread: true })
}

const nameOf = (messageId: string, inboxId: string): string => `${messageId} ${inboxId}`

/** Adds recipients to a mail; returns false if the mail already has all of them. */
function addRecipients(mail: Widened, recipients: readonly string[]): boolean {
  const before: string[] = JSON.parse(mail.recipients)
  const all = [...new Set([...before, ...recipients])]
  if (all.length === before.length) return false
  mail.recipients = JSON.stringify(all)
  return true
}

const rowOf = (item: NewTestMail, changed: number): TestMail => ({
  id: item.id,
  inbox_id: item.inboxId,
  account_id: item.accountId,
  message_id: item.messageId,
  received_at: item.receivedAt,
  mail_from: item.mailFrom,
  recipients: JSON.stringify(item.recipients),
  tls: item.tls,
  seen: 0,
  tags: JSON.stringify(item.tags),
  size: item.raw.length,
  added: changed,
  changed,
  summary: JSON.stringify(item.summary),
  search: item.search,
  raw: item.raw,
})

/**
 * Returns false for an inbox that never got more mails than it keeps, and for the mailbox of the playground, because
 * counting its mails would take too long.
 */
const mayBeFull = ({ changes, keep_messages }: ChangedInbox): boolean =>
  Number(keep_messages) <= KEEP_MESSAGES.most && Number(changes) > Number(keep_messages)

/** Removes the oldest mails of an inbox, which the transaction has locked, above the number that the inbox keeps. */
async function trim(db: Database, inbox: ChangedInbox): Promise<void> {
  const removed = await db
    .deleteFrom('test_mails')
    .where('inbox_id', '=', inbox.id)
    .where('id', '<=', (eb) =>
      eb
        .selectFrom('test_mails as newer')
        .select('newer.id')
        .where('newer.inbox_id', '=', inbox.id)
        .orderBy('newer.id', 'desc')
        .offset(Number(inbox.keep_messages))
        .limit(1),
    )
    .returning('id')
    .execute()
  if (removed.length > 0) await addRevision(db, inbox, { kind: 'many' })
}
