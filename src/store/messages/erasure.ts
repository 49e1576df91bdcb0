// Everything that is stored about an address: finding it, and erasing it table by table.

import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { messagesWithUnread } from '../events/event-log.ts'
import { isFor } from '../inbound/inbound.ts'
import { removeInbound } from '../inbound/inbound-removal.ts'
import { readWaitingAmong, waitingAmong } from '../queue/final.ts'
import { eraseDeliveries } from '../webhooks/deliveries.ts'
import { hashSuppressions } from '../workspace/erased-suppressions.ts'
import { removeContents, removeMessages, removeTranscripts } from './message-removal.ts'

/** The address, and whose data is searched: one domain, one account, or the whole installation. */
export interface Subject {
  /** In lower case; rows match in any case. */
  readonly email: string
  readonly accountId?: string | undefined
  readonly domainId?: string | undefined
}

/** Tables with a row for each address, whether or not there is a message to it. */
const BY_ADDRESS = ['suppressions', 'unsubscribe_links'] as const

/** The recipients of some domains with the address, in lower case: by the index on addresses, which begins with the domain. */
export const addressedRecipients = (read: Read, email: string, domainIds: readonly string[]) =>
  read
    .selectFrom('recipients')
    .selectAll()
    .where('domain_id', 'in', domainIds)
    .where(sql<boolean>`lower(email) = ${email}`)
    .orderBy('message_id')

/** All recipients with the address. */
async function findRecipients(
  read: Read,
  { email, accountId, domainId }: Subject,
): Promise<readonly Tables['recipients'][]> {
  const domains = await read
    .selectFrom('domains')
    .select('id')
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(domainId !== undefined, (query) => query.where('id', '=', domainId ?? ''))
    .execute()
  const found: Tables['recipients'][] = []
  for (let start = 0; start < domains.length; start += MAX_NAMED) {
    const ids = domains.slice(start, start + MAX_NAMED).map(({ id }) => id)
    found.push(...(await addressedRecipients(read, email, ids).execute()))
  }
  return found
}

const matches = (subject: Subject, column = 'email') => {
  const conditions = [sql`lower(${sql.ref(column)}) = ${subject.email}`]
  if (subject.accountId !== undefined) conditions.push(sql`account_id = ${subject.accountId}`)
  if (subject.domainId !== undefined) conditions.push(sql`domain_id = ${subject.domainId}`)
  return sql.join(conditions, sql` and `)
}

/** Tables of the whole installation, or of an account, where a text holds the address among others. */
const MENTIONS = {
  inbox_mails: ['mail_from', 'rcpt_to', 'subject', 'raw'],
  mailbox_mails: ['mail_from', 'rcpt_to', 'raw'],
  login_failures: ['name'],
  audit_log: ['actor', 'target', 'detail'],
  problem_notices: ['title'],
  webhook_deliveries: ['log'],
} as const

/** Rows of a table, each with the name of the table. */
export interface FoundRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

/** All rows about an address, with the messages to it and their contents and attempts. */
export async function* rowsAbout(read: Read, subject: Subject): AsyncGenerator<FoundRow> {
  const rows = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<readonly Row[]> =>
    (await query.execute(read)).rows
  for (const row of await findRecipients(read, subject)) yield { table: 'recipients', row: { ...row } }
  for (const table of BY_ADDRESS) {
    const found = await rows(
      sql<Record<string, unknown>>`select * from ${sql.table(table)} where ${matches(subject)}`,
    )
    for (const row of found) yield { table, row }
  }
  const recipients = await recipientsOf(read, subject)
  const inbound = await inboundAbout(read, subject)
  yield* eventsOf(read, subject, [...recipients.map(({ message_id }) => message_id), ...inbound])
  for (const { message_id, position } of recipients) {
    for (const [table, key] of [
      ['messages', sql`id = ${message_id}`],
      ['message_contents', sql`message_id = ${message_id}`],
      ['attempts', sql`message_id = ${message_id} and position = ${position}`],
      ['tracked_links', sql`message_id = ${message_id} and position = ${position}`],
    ] as const) {
      const found = await rows(sql<Record<string, unknown>>`select * from ${sql.table(table)} where ${key}`)
      for (const row of found) yield { table, row }
    }
  }
  for (const id of inbound) {
    for (const [table, key] of [
      ['inbound_messages', sql`id = ${id}`],
      ['inbound_parsed', sql`inbound_id = ${id}`],
      ['inbound_contents', sql`inbound_id = ${id}`],
    ] as const) {
      const found = await rows(sql<Record<string, unknown>>`select * from ${sql.table(table)} where ${key}`)
      for (const row of found) yield { table, row }
    }
  }
  for (const row of await verifiedOf(read, subject)) yield { table: 'verification_addresses', row }
  if (subject.domainId === undefined) yield* invitationsOf(read, subject)
  for (const table of mentionsIn(subject)) {
    const found = await rows(
      sql<
        Record<string, unknown>
      >`select * from ${sql.table(table)} where ${mentioning(read, table, subject)}`,
    )
    for (const row of found) yield { table, row }
  }
}

/** The events of messages that tell of the address. */
async function* eventsOf(
  read: Read,
  { email }: Subject,
  messageIds: readonly string[],
): AsyncGenerator<FoundRow> {
  const ids = [...new Set(messageIds)]
  for (let start = 0; start < ids.length; start += MAX_NAMED) {
    const events = await read
      .selectFrom('events')
      .selectAll()
      .where('message_id', 'in', ids.slice(start, start + MAX_NAMED))
      .where(sql<boolean>`lower(email) = ${email}`)
      .execute()
    for (const row of events) yield { table: 'events', row }
  }
}

/** Inbound messages that the address wrote, or that came for it. */
async function inboundAbout(
  db: Database,
  { email, accountId, domainId }: Subject,
): Promise<readonly string[]> {
  const rows = await (db as Read)
    .selectFrom('inbound_messages')
    .select('id')
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(domainId !== undefined, (query) => query.where('domain_id', '=', domainId ?? ''))
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(from_email) = ${email}`,
        sql<boolean>`lower(mail_from) = ${email}`,
        isFor(db, email),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}

async function* invitationsOf(read: Read, subject: Subject): AsyncGenerator<FoundRow> {
  const invitations = await read
    .selectFrom('invitations')
    .select(['id', 'account_id', 'email', 'role', 'created_at'])
    .where(sql<boolean>`${matches(subject)}`)
    .execute()
  for (const row of invitations) yield { table: 'invitations', row }
}

/** Those of an account, and of a domain; the others are the installation's. */
const OF_ACCOUNTS: ReadonlySet<string> = new Set(['audit_log', 'problem_notices', 'webhook_deliveries'])
const OF_DOMAINS: ReadonlySet<string> = new Set(['webhook_deliveries'])

type Mentioning = keyof typeof MENTIONS

/** The tables of the subject's scope. */
const mentionsIn = ({ accountId, domainId }: Subject): Mentioning[] =>
  (Object.keys(MENTIONS) as Mentioning[]).filter(
    (table) =>
      (domainId === undefined || OF_DOMAINS.has(table)) &&
      (accountId === undefined || OF_ACCOUNTS.has(table)),
  )

const verifiedOf = (read: Read, { email, accountId, domainId }: Subject) =>
  domainId !== undefined
    ? Promise.resolve([])
    : read
        .selectFrom('verification_addresses')
        .innerJoin('verifications', 'verifications.id', 'verification_addresses.verification_id')
        .selectAll('verification_addresses')
        .select('verifications.status')
        .where(sql<boolean>`lower(email) = ${email}`)
        .$if(accountId !== undefined, (query) =>
          query.where('verification_addresses.account_id', '=', accountId ?? ''),
        )
        .execute()

/** The condition that a text of a row holds the address, in any case. */
function mentioning(db: Database, table: Mentioning, { email, accountId, domainId }: Subject) {
  const postgres = isPostgres(db)
  const text = (column: string) =>
    column !== 'raw'
      ? sql`lower(${sql.ref(column)})`
      : postgres
        ? sql`lower(encode(raw, 'escape'))`
        : sql`lower(cast(raw as text))`
  const one = (column: string) =>
    postgres
      ? sql`strpos(coalesce(${text(column)}, ''), ${email}) > 0`
      : sql`instr(coalesce(${text(column)}, ''), ${email}) > 0`
  const conditions = [sql`(${sql.join(MENTIONS[table].map(one), sql` or `)})`]
  if (accountId !== undefined && OF_ACCOUNTS.has(table)) conditions.push(sql`account_id = ${accountId}`)
  if (domainId !== undefined && OF_DOMAINS.has(table)) conditions.push(sql`domain_id = ${domainId}`)
  return sql.join(conditions, sql` and `)
}

/** The recipients with the address; `waits`: a recipient of the same message waits. */
export const recipientsOf = async (
  read: Read,
  subject: Subject,
): Promise<{ readonly message_id: string; readonly position: number; readonly waits: boolean }[]> => {
  const rows = await findRecipients(read, subject)
  const waiting = new Set<string>()
  const ids = [...new Set(rows.map(({ message_id }) => message_id))]
  for (let start = 0; start < ids.length; start += MAX_NAMED) {
    for (const id of await readWaitingAmong(read, ids.slice(start, start + MAX_NAMED))) waiting.add(id)
  }
  return rows.map(({ message_id, position }) => ({
    ...{ message_id, position },
    waits: waiting.has(message_id),
  }))
}

/** Messages, or domains, that one query names. */
const MAX_NAMED = 500

/** Lists under way that have the address. */
export async function openListsOf(read: Read, subject: Subject): Promise<string[]> {
  const rows = await verifiedOf(read, subject)
  return rows.flatMap(({ verification_id, status }) => (status === 'done' ? [] : [verification_id]))
}

/** Users who log in with the address. */
export const usersOf = (read: Read, { email }: Subject): Promise<{ id: string }[]> =>
  read.selectFrom('users').select('id').where(sql<boolean>`lower(email) = ${email}`).execute()

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
