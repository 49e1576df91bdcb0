// Mail that an address sent or that came for it: found by the columns of the envelope, in short steps in the order of the key.

import { type RawBuilder, sql } from 'kysely'
import { spellingsOf } from '../../model/address.ts'
import type { Database, Read } from '../database/dialect.ts'
import { isFor } from '../inbound/inbound.ts'

/** The address, and whose data is meant: one domain's, one account's, or the whole installation's. */
export interface Subject {
  /** As `inAnyCase` has it; rows match in any case. */
  readonly email: string
  readonly accountId?: string | undefined
  readonly domainId?: string | undefined
}

/** Tables with a row for each mail that was received. */
const MAIL_TABLES = ['inbound_messages', 'inbox_mails', 'mailbox_mails'] as const
export type MailTable = (typeof MAIL_TABLES)[number]

/** Rows of one step: no statement reads for long. */
const STEP_ROWS = 2_000

/** The tables that have rows of a subject: those of the operator and of the playground are the installation's. */
export const mailTablesFor = ({ accountId, domainId }: Subject): readonly MailTable[] =>
  accountId === undefined && domainId === undefined ? MAIL_TABLES : ['inbound_messages']

/** The IDs of the mails in a table that the address sent, or that came for it, a step at a time. */
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

/** IDs; undefined where the step begins with the first row, or ends with the last one. */
interface Step {
  readonly after: string | undefined
  readonly until: string | undefined
}

/** The query of one step, whose rows are found by the key alone. */
export const stepQuery = (db: Database, table: MailTable, subject: Subject, step: Step) =>
  sql<{ id: string }>`
    select id from ${sql.table(table)} where ${within(subject, step)} and ${isOf(db, table, subject)}`

/** The ID of the last row of a step; undefined where fewer rows are left. */
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

/** The condition that the address is the sender or a recipient of a mail, in any case. */
function isOf(db: Database, table: MailTable, { email, accountId }: Subject): RawBuilder<unknown> {
  const spellings = spellingsOf(email)
  const equals = (column: string) => sql`lower(${sql.ref(column)}) in (${sql.join(spellings)})`
  const found =
    table === 'inbound_messages'
      ? [equals('from_email'), equals('mail_from'), ...spellings.map((one) => isFor(db, one))]
      : [equals('mail_from'), equals('rcpt_to')]
  const isAbout = sql`(${sql.join(found, sql` or `)})`
  return accountId === undefined ? isAbout : sql`${isAbout} and account_id = ${accountId}`
}
