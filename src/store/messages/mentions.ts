// Rows that hold an address where no index leads to it: their tables are read once, in short steps in the order of the key.

import { type RawBuilder, sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { deleteRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { isFor } from '../inbound/inbound.ts'

/** The address, and whose data is searched: one domain, one account, or the whole installation. */
export interface Subject {
  /** As `inAnyCase` has it; rows match in any case. */
  readonly email: string
  readonly accountId?: string | undefined
  readonly domainId?: string | undefined
}

/** Rows read in one step: few where a row holds a mail. */
const STEP_ROWS = 2_000
const STEP_MAILS = 50

interface Searched {
  readonly key: readonly string[]
  /** Columns whose text may hold the address among others; in their place, the condition of a table of its own. */
  readonly texts?: readonly string[]
  /** Rows of an account, of a domain; the others are the installation's. */
  readonly of?: 'account' | 'domain'
  readonly step?: number
}

const SEARCHED = {
  inbound_messages: { key: ['id'], of: 'domain' },
  inbox_mails: { key: ['id'], texts: ['mail_from', 'rcpt_to', 'subject', 'raw'], step: STEP_MAILS },
  mailbox_mails: { key: ['id'], texts: ['mail_from', 'rcpt_to', 'raw'], step: STEP_MAILS },
  login_failures: { key: ['name'], texts: ['name'] },
  audit_log: { key: ['account_id', 'id'], texts: ['actor', 'target', 'detail'], of: 'account' },
  problem_notices: { key: ['account_id', 'problem'], texts: ['title'], of: 'account' },
  webhook_deliveries: { key: ['webhook_id', 'id'], texts: ['log'], of: 'domain' },
} as const satisfies Partial<Record<keyof Tables, Searched>>

export type SearchedTable = keyof typeof SEARCHED

/** The tables to search in the subject's scope. */
export const searchedFor = ({ accountId, domainId }: Subject): SearchedTable[] =>
  (Object.keys(SEARCHED) as SearchedTable[]).filter((table) => {
    const { of }: Searched = SEARCHED[table]
    return domainId !== undefined ? of === 'domain' : accountId === undefined || of !== undefined
  })

/** The rows of a table that hold the address, or their keys alone, a step at a time. */
export async function* mentionsOf(
  read: Read,
  table: SearchedTable,
  subject: Subject,
  columns: 'key' | 'all',
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  let after: readonly unknown[] | undefined
  do {
    const until: readonly unknown[] | undefined = await endOfStep(read, table, after)
    const { rows } = await stepQuery(read, table, subject, { after, until }, columns).execute(read)
    if (rows.length > 0) yield rows
    after = until
  } while (after !== undefined)
}

/** The keys of the deliveries of webhooks about these messages, a step at a time. */
export async function* deliveriesAbout(
  read: Read,
  messageIds: ReadonlySet<string>,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const table = 'webhook_deliveries'
  let after: readonly unknown[] | undefined
  do {
    const until: readonly unknown[] | undefined = await endOfStep(read, table, after)
    const { rows } = await sql<{ webhook_id: string; id: string; message_id: string }>`
      select webhook_id, id, message_id from webhook_deliveries where ${within(table, { after, until })}`.execute(
      read,
    )
    const found = rows.filter(({ message_id }) => messageIds.has(message_id))
    if (found.length > 0) yield found.map(({ webhook_id, id }) => ({ webhook_id, id }))
    after = until
  } while (after !== undefined)
}

interface Step {
  /** Keys; undefined for the first step and the last one. */
  readonly after: readonly unknown[] | undefined
  readonly until: readonly unknown[] | undefined
}

const keyOf = (table: SearchedTable) => sql.join(SEARCHED[table].key.map((column) => sql.ref(column)))

/** The key of the last row of a step; undefined where fewer rows are left. */
async function endOfStep(
  read: Read,
  table: SearchedTable,
  after: Step['after'],
): Promise<readonly unknown[] | undefined> {
  const { key, step = STEP_ROWS }: Searched = SEARCHED[table]
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select ${keyOf(table)} from ${sql.table(table)} where ${within(table, { after, until: undefined })}
    order by ${keyOf(table)} limit 1 offset ${step - 1}`.execute(read)
  const [row] = rows
  return row && key.map((column) => row[column])
}

function within(table: SearchedTable, { after, until }: Step): RawBuilder<boolean> {
  const key = keyOf(table)
  const above = after === undefined ? sql`1 = 1` : sql`(${key}) > (${sql.join(after)})`
  return until === undefined ? sql`${above}` : sql`${above} and (${key}) <= (${sql.join(until)})`
}

/** The query of one step, whose rows are found by the key alone. */
export const stepQuery = (
  db: Database,
  table: SearchedTable,
  subject: Subject,
  step: Step,
  columns: 'key' | 'all',
) =>
  sql<Readonly<Record<string, unknown>>>`
    select ${columns === 'key' ? keyOf(table) : sql`*`} from ${sql.table(table)}
    where ${within(table, step)} and ${holds(db, table, subject)}`

/** The condition that a row is about the address, in any case. */
function holds(db: Database, table: SearchedTable, { email, accountId, domainId }: Subject) {
  const { texts, of }: Searched = SEARCHED[table]
  const postgres = isPostgres(db)
  const text = (column: string) =>
    column !== 'raw'
      ? sql`lower(${sql.ref(column)})`
      : postgres
        ? sql`lower(encode(raw, 'escape'))`
        : sql`lower(cast(raw as text))`
  // Octets beyond ASCII stand there as digits.
  const wanted = (column: string) =>
    postgres && column === 'raw' ? sql`lower(encode(convert_to(${email}, 'UTF8'), 'escape'))` : sql`${email}`
  const one = (column: string) =>
    postgres
      ? sql`strpos(coalesce(${text(column)}, ''), ${wanted(column)}) > 0`
      : sql`instr(coalesce(${text(column)}, ''), ${email}) > 0`
  const found = texts?.map(one) ?? [
    sql`lower(from_email) = ${email}`,
    sql`lower(mail_from) = ${email}`,
    isFor(db, email),
  ]
  const conditions = [sql`(${sql.join(found, sql` or `)})`]
  if (accountId !== undefined && of !== undefined) conditions.push(sql`account_id = ${accountId}`)
  if (domainId !== undefined && of === 'domain') conditions.push(sql`domain_id = ${domainId}`)
  return sql.join(conditions, sql` and `)
}

/** Removes rows by their keys; answers how many there were. */
export async function removeMentions(
  db: Database,
  table: SearchedTable,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<number> {
  const gone = await deleteRows(db, table, SEARCHED[table].key as never, keys)
  return gone.length
}
