// Finds mail with an address in the envelope, in short steps in the order of the primary key.

import { type RawBuilder, sql } from 'kysely'
import { spellingsOf } from '../../model/address.ts'
import { withoutAccents } from '../../model/subject-words.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { isFor } from '../inbound/inbound.ts'

/** An address, and the scope of the search: one domain, one account or the whole installation. */
export interface Subject {
  /** The address as returned by `inAnyCase`; rows match in any case. */
  readonly email: string
  readonly accountId?: string | undefined
  readonly domainId?: string | undefined
}

/** Tables with one row for each received mail. */
const MAIL_TABLES = ['inbound_messages', 'inbox_mails', 'test_mails'] as const
export type MailTable = (typeof MAIL_TABLES)[number]

/** Number of rows in one step, which bounds the duration of a statement. */
const STEP_ROWS = 2_000

/**
 * Returns the tables that have mail in the scope: only the whole installation includes the operator's mail, and test
 * inboxes belong to an account and to no domain.
 */
export function mailTablesFor({ accountId, domainId }: Subject): readonly MailTable[] {
  if (domainId !== undefined) return ['inbound_messages']
  return accountId === undefined ? MAIL_TABLES : ['inbound_messages', 'test_mails']
}

/** Yields the IDs of a table's mails that have the address as sender or recipient, one step at a time. */
export async function* mailOf(
  read: Read,
  table: MailTable,
  subject: Subject,
): AsyncGenerator<readonly string[]> {
  let after: string | undefined
  do {
    const until: string | undefined = await endOfStep(read, table, subject, after)
    const { rows } = await stepQuery(read, table, subject, { after, until }).execute(read)
    if (rows.length > 0) yield rows.map(({ id }) => id)
    after = until
  } while (after !== undefined)
}

/** Bounds of a step, as IDs; a bound is undefined at the beginning or the end of the table. */
interface Step {
  readonly after: string | undefined
  readonly until: string | undefined
}

/** Returns the query of one step; the query reads rows in the order of the primary key. */
export const stepQuery = (db: Database, table: MailTable, subject: Subject, step: Step) =>
  sql<{ id: string }>`
    select id from ${sql.table(table)} where ${within(subject, step)} and ${isOf(db, table, subject)}`

/** Returns the ID of the last row of a step; undefined if the table has fewer rows left. */
async function endOfStep(
  read: Read,
  table: MailTable,
  subject: Subject,
  after: string | undefined,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where ${within(subject, { after, until: undefined })}
    order by id limit 1 offset ${STEP_ROWS - 1}`.execute(read)
  return rows[0]?.id
}

function within({ domainId }: Subject, { after, until }: Step): RawBuilder<unknown> {
  const conditions = [
    ...(domainId === undefined ? [] : [sql`domain_id = ${domainId}`]),
    ...(after === undefined ? [] : [sql`id > ${after}`]),
    ...(until === undefined ? [] : [sql`id <= ${until}`]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}

/** Returns the SQL condition that the address is the sender or a recipient of a mail, in any case. */
function isOf(db: Database, table: MailTable, { email, accountId }: Subject): RawBuilder<unknown> {
  const spellings = spellingsOf(email)
  const equals = (column: string) => sql`lower(${sql.ref(column)}) in (${sql.join(spellings)})`
  const isIn = (column: string, text: string) =>
    sql`${sql.raw(isPostgres(db) ? 'strpos' : 'instr')}(${sql.ref(column)}, ${text}) > 0`
  const ofTest = spellings.flatMap((one) => [
    isIn('recipients', JSON.stringify(one)),
    isIn('search', withoutAccents(one)),
  ])
  const found = {
    inbound_messages: [equals('from_email'), equals('mail_from'), ...spellings.map((one) => isFor(db, one))],
    inbox_mails: [equals('mail_from'), equals('rcpt_to')],
    test_mails: [equals('mail_from'), ...ofTest],
  }[table]
  const isAbout = sql`(${sql.join(found, sql` or `)})`
  return accountId === undefined ? isAbout : sql`${isAbout} and account_id = ${accountId}`
}
