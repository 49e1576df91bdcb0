// Rows that hold an address where no index leads to it: their tables are read once, in short steps in the order of the key.

import { type RawBuilder, sql } from 'kysely'
import { jsonNamesAddress, mailNamesAddress, spellingsOf } from '../../model/address-mentions.ts'
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

/** The column of a mail. */
const MAIL = 'raw'

interface Searched {
  readonly key: readonly string[]
  /**
   * Columns whose text may name the address among others, `raw` as a mail; in their place, the condition of a table of its
   * own.
   */
  readonly texts?: readonly string[]
  /** Rows of an account, of a domain; the others are the installation's. */
  readonly of?: 'account' | 'domain'
  readonly step?: number
}

const SEARCHED = {
  inbound_messages: { key: ['id'], of: 'domain' },
  inbox_mails: { key: ['id'], texts: ['mail_from', 'rcpt_to', 'subject', MAIL], step: STEP_MAILS },
  mailbox_mails: { key: ['id'], texts: ['mail_from', 'rcpt_to', MAIL], step: STEP_MAILS },
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

/** The rows of a table that name the address, or their keys alone, a step at a time. */
export async function* mentionsOf(
  read: Read,
  table: SearchedTable,
  subject: Subject,
  columns: 'key' | 'all',
): AsyncGenerator<readonly FoundMention[]> {
  const spellings = spellingsOf(subject.email)
  const { key, texts }: Searched = SEARCHED[table]
  for (const part of await partsOf(read, table, subject)) {
    for await (const step of stepsOf(read, table, part)) {
      const { rows } = await stepQuery(read, table, subject, step, columns).execute(read)
      const named: FoundMention[] = []
      for (const row of rows) {
        if (
          texts === undefined ||
          names(row, texts, spellings) ||
          (await isInMail(read, table, row, spellings))
        )
          named.push(columns === 'all' ? row : only(row, key))
      }
      if (named.length > 0) yield named
    }
  }
}

type FoundMention = Readonly<Record<string, unknown>>

/** What the database finds may be part of a longer address. */
const names = (row: FoundMention, texts: readonly string[], spellings: readonly string[]): boolean =>
  texts.some((column) => {
    const value = row[column]
    if (value instanceof Uint8Array) return mailNamesAddress(value, spellings)
    return typeof value === 'string' && jsonNamesAddress(value, spellings)
  })

/** Whether the mail of a row that was found without it names the address: mails are large, and read one at a time. */
async function isInMail(
  read: Read,
  table: SearchedTable,
  row: FoundMention,
  spellings: readonly string[],
): Promise<boolean> {
  const { key, texts }: Searched = SEARCHED[table]
  if (texts?.includes(MAIL) !== true || MAIL in row) return false
  const { rows } = await sql<FoundMention>`
    select ${sql.ref(MAIL)} from ${sql.table(table)}
    where ${sql.join(
      key.map((column) => sql`${sql.ref(column)} = ${row[column]}`),
      sql` and `,
    )}`.execute(read)
  return rows.some((mail) => names(mail, [MAIL], spellings))
}

const only = (row: FoundMention, columns: readonly string[]): FoundMention =>
  Object.fromEntries(columns.map((column) => [column, row[column]]))

/** The keys of the deliveries of webhooks about these messages, a step at a time. */
export async function* deliveriesAbout(
  read: Read,
  subject: Subject,
  messageIds: ReadonlySet<string>,
): AsyncGenerator<readonly FoundMention[]> {
  const table = 'webhook_deliveries'
  for (const part of await partsOf(read, table, subject)) {
    for await (const step of stepsOf(read, table, part)) {
      const { rows } = await sql<{ webhook_id: string; id: string; message_id: string }>`
        select webhook_id, id, message_id from webhook_deliveries where ${within(table, step)}`.execute(read)
      const found = rows.filter(({ message_id }) => messageIds.has(message_id))
      if (found.length > 0) yield found.map(({ webhook_id, id }) => ({ webhook_id, id }))
    }
  }
}

/** A part of a table that is searched in the order of a key: one domain, one webhook, or all of it. */
interface Part {
  readonly of?: readonly [column: string, value: string]
  /** That of the table where it is not told. */
  readonly key?: readonly string[]
}

/** The parts of a table that may have rows of the subject: of one domain they are found by an index. */
async function partsOf(read: Read, table: SearchedTable, { domainId }: Subject): Promise<readonly Part[]> {
  const { of }: Searched = SEARCHED[table]
  if (domainId === undefined || of !== 'domain') return [{}]
  if (table !== 'webhook_deliveries') return [{ of: ['domain_id', domainId] }]
  const webhooks = await read.selectFrom('webhooks').select('id').where('domain_id', '=', domainId).execute()
  return webhooks.map(({ id }) => ({ of: ['webhook_id', id], key: ['id'] }))
}

interface Step extends Part {
  /** Keys; undefined for the first step and the last one. */
  readonly after: readonly unknown[] | undefined
  readonly until: readonly unknown[] | undefined
}

async function* stepsOf(read: Read, table: SearchedTable, part: Part): AsyncGenerator<Step> {
  let after: Step['after']
  do {
    const until: Step['until'] = await endOfStep(read, table, part, after)
    yield { ...part, after, until }
    after = until
  } while (after !== undefined)
}

const keyOf = (table: SearchedTable, { key = SEARCHED[table].key }: Part): readonly string[] => key

const refsOf = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

/** The key of the last row of a step; undefined where fewer rows are left. */
async function endOfStep(
  read: Read,
  table: SearchedTable,
  part: Part,
  after: Step['after'],
): Promise<readonly unknown[] | undefined> {
  const { step = STEP_ROWS }: Searched = SEARCHED[table]
  const columns = keyOf(table, part)
  const key = refsOf(columns)
  const { rows } = await sql<FoundMention>`
    select ${key} from ${sql.table(table)} where ${within(table, { ...part, after, until: undefined })}
    order by ${key} limit 1 offset ${step - 1}`.execute(read)
  const [row] = rows
  return row && columns.map((column) => row[column])
}

function within(table: SearchedTable, step: Step): RawBuilder<boolean> {
  const { of, after, until } = step
  const key = refsOf(keyOf(table, step))
  const conditions = [
    ...(of === undefined ? [] : [sql`${sql.ref(of[0])} = ${of[1]}`]),
    ...(after === undefined ? [] : [sql`(${key}) > (${sql.join(after)})`]),
    ...(until === undefined ? [] : [sql`(${key}) <= (${sql.join(until)})`]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}

/** The query of one step, whose rows are found by the key alone; beside the key it has the texts that are looked at, but no mail. */
export const stepQuery = (
  db: Database,
  table: SearchedTable,
  subject: Subject,
  step: Step,
  columns: 'key' | 'all',
) => {
  const { key, texts = [] }: Searched = SEARCHED[table]
  return sql<FoundMention>`
    select ${columns === 'key' ? refsOf([...key, ...texts.filter((text) => text !== MAIL)]) : sql`*`} from ${sql.table(table)}
    where ${within(table, step)} and ${holds(db, table, subject)}`
}

/** The condition that a row is about the address, in any case; where it is in texts, that they have its characters. */
function holds(db: Database, table: SearchedTable, { email, accountId, domainId }: Subject) {
  const { texts, of }: Searched = SEARCHED[table]
  const spellings = spellingsOf(email)
  const found = texts?.flatMap((column) => writingsOf(spellings).map((one) => hasText(db, column, one))) ?? [
    sql`lower(from_email) in (${sql.join(spellings)})`,
    sql`lower(mail_from) in (${sql.join(spellings)})`,
    ...spellings.map((one) => isFor(db, one)),
  ]
  const conditions = [sql`(${sql.join(found, sql` or `)})`]
  if (accountId !== undefined && of !== undefined) conditions.push(sql`account_id = ${accountId}`)
  if (domainId !== undefined && of === 'domain') conditions.push(sql`domain_id = ${domainId}`)
  return sql.join(conditions, sql` and `)
}

/** A quoted local part is escaped in JSON. */
const writingsOf = (spellings: readonly string[]): string[] => [
  ...new Set(spellings.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)])),
]

/** The condition that a column holds a text in lower case, as itself or as a part of another one. */
export function hasText(db: Database, column: string, text: string): RawBuilder<boolean> {
  const value = sql.ref(column)
  if (column !== MAIL) {
    const found = isPostgres(db) ? 'strpos' : 'instr'
    return sql`${sql.raw(found)}(lower(coalesce(${value}, '')), ${text}) > 0`
  }
  // PostgreSQL shows octets beyond ASCII as digits.
  return isPostgres(db)
    ? sql`strpos(lower(encode(${value}, 'escape')), lower(encode(convert_to(${text}, 'UTF8'), 'escape'))) > 0`
    : sql`instr(lower(cast(${value} as text)), ${text}) > 0`
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
