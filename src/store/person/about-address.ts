// Finds all stored data about an address.

import { sql } from 'kysely'
import { spellingsOf } from '../../model/address.ts'
import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { readContents } from '../messages/contents.ts'
import { withStatus } from '../messages/message-status.ts'
import { readRecipients } from '../messages/recipients.ts'
import { readWaitingAmong } from '../queue/final.ts'
import { type MailTable, mailOf, mailTablesFor, type Subject } from './mail-of-address.ts'

/** Tables with a row for each address, whether or not a message was sent to the address. */
export const BY_ADDRESS = ['suppressions', 'unsubscribe_links', 'bulk_rows', 'account_events'] as const

/**
 * Returns the query of the recipients in these domains with the address, given in lower case. The query uses the index
 * on domains and addresses.
 */
export const addressedRecipients = (read: Read, email: string, domainIds: readonly string[]) =>
  read
    .selectFrom('recipients')
    .selectAll()
    .where('domain_id', 'in', domainIds)
    .where(sql<boolean>`lower(email) = ${email}`)
    .orderBy('message_id')

/** Returns all recipients with the address in the scope of `subject`. */
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

/** Returns the SQL condition that a column contains the address in any spelling and case. */
const isSpelt = (column: string, { email }: Subject) =>
  sql<boolean>`lower(${sql.ref(column)}) in (${sql.join(spellingsOf(email))})`

export const matches = (subject: Subject) => {
  const conditions = [isSpelt('email', subject)]
  if (subject.accountId !== undefined) conditions.push(sql`account_id = ${subject.accountId}`)
  if (subject.domainId !== undefined) conditions.push(sql`domain_id = ${subject.domainId}`)
  return sql.join(conditions, sql` and `)
}

/**
 * Returns the SQL condition for verifications of this single address. The condition uses the index on the lengths of
 * addresses, so that only addresses of the same length are compared. A verification belongs to an account and to no
 * domain.
 */
export const matchesCheck = (subject: Subject) => {
  const lengths = new Set(spellingsOf(subject.email).map((one) => [...one].length))
  return sql<boolean>`${matches(subject)} and (account_id, id) in (
    select account_id, id from verification_checks
    where length(email) in (${sql.join([...lengths])}) and ${isSpelt('email', subject)})`
}

/**
 * Returns the query of the rows with the address in one of these tables; the query uses the table's index on addresses.
 */
export const rowsOf = (table: (typeof BY_ADDRESS)[number] | 'verification_checks', subject: Subject) =>
  sql<Readonly<Record<string, unknown>>>`select * from ${sql.table(table)}
    where ${table === 'verification_checks' ? matchesCheck(subject) : matches(subject)}`

/** A row with the name of its table. */
export interface FoundRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

/** Yields all rows about an address, including messages to the address with their contents and attempts. */
export async function* rowsAbout(read: Read, subject: Subject): AsyncGenerator<FoundRow> {
  const rows = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<readonly Row[]> =>
    (await query.execute(read)).rows
  for (const row of await findRecipients(read, subject)) yield { table: 'recipients', row: { ...row } }
  const ofAccounts = subject.domainId === undefined ? (['verification_checks'] as const) : []
  for (const table of [...BY_ADDRESS, ...ofAccounts]) {
    for (const row of await rows(rowsOf(table, subject))) yield { table, row }
  }
  const recipients = await recipientsOf(read, subject)
  const inbound = await inboundOf(read, subject)
  yield* eventsOf(read, subject, [...recipients.map(({ message_id }) => message_id), ...inbound])
  for (const { message_id, position } of recipients) {
    for (const [table, key] of [
      ['messages', sql`id = ${message_id}`],
      ['attempts', sql`message_id = ${message_id} and position = ${position}`],
      ['tracked_links', sql`message_id = ${message_id} and position = ${position}`],
    ] as const) {
      const found = await rows(sql<Record<string, unknown>>`select * from ${sql.table(table)} where ${key}`)
      for (const row of found)
        yield { table, row: table === 'messages' ? await withDerivedStatus(read, row) : row }
    }
    const content = (await readContents(read, [message_id])).get(message_id)
    if (content !== undefined) yield { table: 'message_contents', row: { message_id, ...content } }
  }
  for (const table of mailTablesFor(subject)) {
    for await (const ids of table === 'inbound_messages' ? [inbound] : mailOf(read, table, subject)) {
      for (const id of ids) yield* mailRows(read, table, id)
    }
  }
  for (const row of await verifiedOf(read, subject)) yield { table: 'verification_addresses', row }
  if (subject.domainId === undefined) yield* invitationsOf(read, subject)
}

/** Yields the rows of a received mail: the mail itself, its parsed form and its content. */
async function* mailRows(read: Read, table: MailTable, id: string): AsyncGenerator<FoundRow> {
  for (const name of table === 'inbound_messages' ? INBOUND_TABLES : [table]) {
    const key = name === table ? 'id' : 'inbound_id'
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(name)} where ${sql.ref(key)} = ${id}`.execute(read)
    for (const row of rows) yield { table: name, row }
  }
}

const INBOUND_TABLES = ['inbound_messages', 'inbound_parsed', 'inbound_contents'] as const

/** Returns the row of a message with the status derived from its recipients. */
const withDerivedStatus = async (read: Read, row: FoundRow['row']): Promise<FoundRow['row']> => {
  const message = row as unknown as Tables['messages']
  return { ...withStatus(message, await readRecipients(read, [message.id])) }
}

/** Yields the events of these messages that concern the address. */
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

/** Returns the IDs of inbound messages with the address as sender or recipient. */
const inboundOf = async (read: Read, subject: Subject): Promise<readonly string[]> =>
  (await Array.fromAsync(mailOf(read, 'inbound_messages', subject))).flat()

async function* invitationsOf(read: Read, subject: Subject): AsyncGenerator<FoundRow> {
  const invitations = await read
    .selectFrom('invitations')
    .select(['id', 'account_id', 'email', 'role', 'created_at'])
    .where(sql<boolean>`${matches(subject)}`)
    .execute()
  for (const row of invitations) yield { table: 'invitations', row }
}

/**
 * Returns the query of the address in verified lists; the query uses the index on addresses. A list belongs to an
 * account and to no domain.
 */
export const verifiedAddresses = (read: Read, subject: Subject) =>
  read
    .selectFrom('verification_addresses')
    .innerJoin('verifications', 'verifications.id', 'verification_addresses.verification_id')
    .selectAll('verification_addresses')
    .select('verifications.status')
    .where(isSpelt('email', subject))
    .$if(subject.accountId !== undefined, (query) =>
      query.where('verification_addresses.account_id', '=', subject.accountId ?? ''),
    )

export const verifiedOf = async (read: Read, subject: Subject) =>
  subject.domainId === undefined ? verifiedAddresses(read, subject).execute() : []

/** Returns the recipients with the address; `waits` is true if a recipient of the same message is in the queue. */
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

/** Maximum number of messages or domains in one query. */
const MAX_NAMED = 500

/** Returns the IDs of the unfinished verification lists that contain the address. */
export async function openListsOf(read: Read, subject: Subject): Promise<string[]> {
  const rows = await verifiedOf(read, subject)
  const open = rows.filter(({ status }) => status !== 'done' && status !== 'cancelled')
  return open.map(({ verification_id }) => verification_id)
}

/** Returns the IDs of the unfinished bulks with a pending row for the address. */
export async function openBulksOf(read: Read, subject: Subject): Promise<string[]> {
  const rows = await read
    .selectFrom('bulk_rows')
    .select('bulk_id')
    .where(sql<boolean>`${matches(subject)}`)
    .where('data', 'is not', null)
    .where('bulk_id', 'in', (eb) => eb.selectFrom('bulks').select('id').where('finished_at', 'is', null))
    .execute()
  return rows.map(({ bulk_id }) => bulk_id)
}

/** Returns the users who log in with this address. */
export const usersOf = (read: Read, subject: Subject): Promise<{ id: string }[]> =>
  read.selectFrom('users').select('id').where(isSpelt('email', subject)).execute()
