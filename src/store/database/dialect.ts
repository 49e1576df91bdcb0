// All that differs between SQLite and PostgreSQL, and the batch statements that both run.

import {
  CompiledQuery,
  type ControlledTransaction,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  sql,
} from 'kysely'
import { type ColumnKind, kindOf, type Tables } from './schema.ts'

/** A connection or a transaction, whichever a query runs on. */
export type Database = Kysely<Tables> | ControlledTransaction<Tables>

/** Database handle of reading functions: queries only, run off the event loop or over the network. */
export type Read = Kysely<Tables>

export type DialectName = 'sqlite' | 'postgres'

/** The types of column that migrations use, in the words of each database. */
export interface ColumnTypes {
  /** Text that sorts by its bytes. */
  readonly text: RawBuilder<unknown>
  readonly integer: RawBuilder<unknown>
  readonly bytes: RawBuilder<unknown>
}

export const COLUMN_TYPES: Record<DialectName, ColumnTypes> = {
  sqlite: { text: sql`text`, integer: sql`integer`, bytes: sql`blob` },
  // Collation "C": IDs and names sort by their bytes, as in SQLite, and compare faster.
  postgres: { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` },
}

/** Appended to a table that is kept in the order of its key: one tree on disk instead of two. */
export const CLUSTERED: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql`without rowid`,
  postgres: sql``,
}

/** Appended to the query that claims due rows, so that two nodes never claim the same one. */
export const LOCK_CLAIMED: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``, // there is one writer
  postgres: sql` for update of queue skip locked`,
}

/** The same for a query that waits until others are done with the rows, and then takes those that still match. */
export const LOCK_WAITING: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``,
  postgres: sql` for update of queue`,
}

const SQLITE_UNAVAILABLE = new Set([5, 6, 8, 10, 13, 14]) // BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN
// PostgreSQL, Appendix A: 08 connection, 53 out of resources, 57P shutting down, 57014 took too long, 25006 read-only,
// 25P03 idle in a transaction for too long, 55P03 lock not available, 58 system error.
const POSTGRES_UNAVAILABLE = /^(08|53|57P|57014|58|25006|25P03|55P03)/
const NETWORK_UNAVAILABLE = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_|ENOSPC|EIO)/

/**
 * True if an error of the database means "not now" (disk full, busy, away) and not "never" (a fault of ours). SQLite's
 * result codes carry extended codes in the upper bits.
 */
export function isUnavailable(error: unknown): boolean {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message?: string }
  if (errcode !== undefined) return SQLITE_UNAVAILABLE.has(errcode & 0xff)
  if (code !== undefined && (POSTGRES_UNAVAILABLE.test(code) || NETWORK_UNAVAILABLE.test(code))) return true
  return /Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    message ?? '',
  )
}

/** State of a database whose server, role or limits give this node no further connection. */
export const NO_CONNECTION = 'The database has no connection left for this node.'
/** State of a database that has no room for another page. */
export const DISK_FULL = 'The disk of the database is full.'

/** The state of the database that keeps it from writing, for people; undefined where it is just not there. */
export function whyReadOnly(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === '25006' || /takes no writes/.test(message))
    return 'The database takes no writes: it is a standby.'
  if (code === '53100') return DISK_FULL
  if (code === '53300') return NO_CONNECTION
  return undefined
}

/** True if a statement took too long or waited too long for a lock (SQLSTATE 57014, 55P03): what came with it may not. */
export const tookTooLong = (error: unknown): boolean =>
  /^(57014|55P03)$/.test((error as { code?: string }).code ?? '')

/** An error of a commit. */
export interface CommitError extends Error {
  /** The database did not answer: it may have committed all the same. */
  outcomeUnknown?: boolean
}

/** True if the error left it open whether a commit took place. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  (error as CommitError | undefined)?.outcomeUnknown === true

/** True if a transaction lost against another one and will succeed when it is tried again (deadlock, serialization). */
export const isConflict = (error: unknown): boolean =>
  /^(40P01|40001)$/.test((error as { code?: string }).code ?? '')

/** A text from a request that is looked for: PostgreSQL refuses a NUL, which nothing that is kept has. */
export const legalText = (text: string): string => text.replaceAll('\0', '\ufffd')

const MAX_ROWS = 128
/** The texts of a kind of statement, by their number of rows; where the columns are parameters, one for any number. */
const texts = new Map<string, string[]>()

/** Cuts rows into powers of two up to 128, so that few statements need preparing. */
function* chunks<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; ) {
    const size = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(rows.length - start)))
    yield rows.slice(start, start + size)
    start += size
  }
}

/** True if this connection speaks to PostgreSQL. */
export const isPostgres = (db: Database): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** The types of PostgreSQL, as a statement names them. */
const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'bigint',
  bytes: 'bytea',
  moment: 'bigint',
}

/** The time of PostgreSQL in milliseconds, which stands still within a statement, so that it may lead into an index. */
const POSTGRES_NOW = '(extract(epoch from statement_timestamp())*1000)::bigint'

/**
 * The present of this node's clock by the database's, however they differ: nodes that share a store measure leases
 * alike. Never later than the database's own, also when the clock was set back since `now` was read. In SQLite, whose
 * one node is the database's, the time itself.
 */
export const databaseNow = (db: Database, now: number): RawBuilder<number> =>
  databaseMoment(db, isPostgres(db) ? Math.min(now, Date.now()) : now)

/** A time of this node's clock, such as the end of a lease, by the database's. In SQLite the time itself. */
export const databaseMoment = (db: Database, at: number): RawBuilder<number> =>
  isPostgres(db) ? sql`(${sql.raw(POSTGRES_NOW)} + ${at - Date.now()})` : sql`${at}`

/** What PostgreSQL adds to a column of given rows: to a moment its own time. */
const momentOf = (table: keyof Tables, column: string): string =>
  isMoment(table, column) ? `+${POSTGRES_NOW}` : ''

/** Reads `databaseNow`. */
export async function presentOf(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(db, now)} as now`.execute(db)
  return Number(rows[0]?.now)
}

/**
 * The parameters of rows: row by row, or for `isByColumn` an array for each column. A moment goes to PostgreSQL as the
 * time that lies between it and now.
 */
function parametersOf(
  db: Database,
  { table, columns }: RowsStatement,
  rows: readonly object[],
  isByColumn: boolean,
): unknown[] {
  const now = Date.now()
  const parameterOf = (row: object, column: string, isShifted: boolean): unknown => {
    const value = (row as Readonly<Record<string, unknown>>)[column]
    return isShifted && typeof value === 'number' ? value - now : value
  }
  const isShifted = columns.map((column) => isPostgres(db) && isMoment(table, column))
  if (isByColumn)
    return columns.map((column, at) => rows.map((row) => parameterOf(row, column, isShifted[at] as boolean)))
  const parameters = new Array<unknown>(rows.length * columns.length)
  let at = 0
  for (const row of rows)
    for (let i = 0; i < columns.length; i++)
      parameters[at++] = parameterOf(row, columns[i] as string, isShifted[i] as boolean)
  return parameters
}

const isMoment = (table: keyof Tables, column: string): boolean => kindOf(table, column) === 'moment'

/**
 * True where the columns of rows are parameters, each an array: on PostgreSQL one short statement then serves any number
 * of rows, and stays planned. Bytes would go as hexadecimal digits, and are parameters by themselves.
 */
const isByColumn = (db: Database, { table, columns }: RowsStatement): boolean =>
  isPostgres(db) && columns.every((column) => kindOf(table, column) !== 'bytes')

/** The given rows as a query: a list of values, or arrays side by side. Both know the types of their columns. */
function givenRows(db: Database, statement: RowsStatement, size: number): string {
  const { table, columns } = statement
  const typeOf = (column: string): string => TYPES[kindOf(table, column)]
  if (isByColumn(db, statement))
    return `select * from unnest(${columns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`).join()})`
  const one = (column: string, row: number, at: number): string => {
    if (!isPostgres(db)) return '?'
    const number = row * columns.length + at + 1
    // The first row tells the types.
    return row === 0 ? `$${number}::${typeOf(column)}` : `$${number}`
  }
  const rows = Array.from(
    { length: size },
    (_, row) => `(${columns.map((name, at) => one(name, row, at)).join()})`,
  )
  return `values ${rows.join()}`
}

/** A kind of statement that takes rows: what they give, and the name under which its texts are kept. */
interface RowsStatement {
  readonly table: keyof Tables
  readonly columns: readonly string[]
  readonly name: string
}

/** Runs a statement with all rows, some at a time; `textFor` makes its text from the rows that are given, once. */
async function runInChunks<Result = unknown>(
  db: Database,
  statement: RowsStatement,
  rows: readonly object[],
  textFor: (given: string) => string,
): Promise<Result[]> {
  const key = `${statement.name} ${isPostgres(db)}`
  let bySize = texts.get(key)
  if (bySize === undefined) {
    bySize = []
    texts.set(key, bySize)
  }
  const byColumn = isByColumn(db, statement)
  const results: Result[] = []
  for (const chunk of byColumn ? [rows] : chunks(rows)) {
    const size = byColumn ? 0 : chunk.length
    bySize[size] ??= textFor(givenRows(db, statement, size))
    const query = CompiledQuery.raw(bySize[size] as string, parametersOf(db, statement, chunk, byColumn))
    results.push(...(await db.executeQuery<Result>(query)).rows)
  }
  return results
}

/**
 * Inserts many rows in few statements, whose text is made once for each table and size.
 *
 * @param onConflict what happens to a row that is there already; without it, that is an error
 * @param returning the columns that are answered, of the rows that were written
 */
export async function insertRows<
  Table extends keyof Tables & string,
  Column extends keyof Tables[Table] & string = never,
>(
  db: Database,
  table: Table,
  rows: readonly Tables[Table][],
  onConflict = '',
  returning: readonly Column[] = [],
): Promise<Pick<Tables[Table], Column>[]> {
  const first = rows[0]
  if (first === undefined) return []
  const columns = Object.keys(first) as (keyof Tables[Table] & string)[]
  const end = returning.length === 0 ? onConflict : `${onConflict} returning ${returning.join()}`
  const written = columns.map((column) => (isPostgres(db) ? `${column}${momentOf(table, column)}` : column))
  return runInChunks<Pick<Tables[Table], Column>>(
    db,
    { table, columns, name: `insert ${table} ${columns} ${end}` },
    rows,
    (given) =>
      isPostgres(db)
        ? `insert into ${table} (${columns.join()}) select ${written} from (${given}) v(${columns.join()}) ${end}`
        : `insert or fail into ${table} (${columns.join()}) ${given} ${end}`,
  )
}

interface UpdateOptions<Column> {
  /** Columns whose value in the row must match as well (a lease). */
  readonly match?: readonly Column[]
  /** Columns that are set to null. */
  readonly clear?: readonly Column[]
}

/**
 * Updates many rows, each with its own values: every row names its key columns and the new values, once in a call. Answers
 * the keys of the rows that matched.
 */
export async function updateRows<
  Table extends keyof Tables & string,
  Key extends keyof Tables[Table] & string,
>(
  db: Database,
  table: Table,
  keys: readonly Key[],
  rows: readonly Partial<Tables[Table]>[],
  { match = [], clear = [] }: UpdateOptions<keyof Tables[Table] & string> = {},
): Promise<Pick<Tables[Table], Key>[]> {
  const first = rows[0]
  if (first === undefined) return []
  const columns = Object.keys(first) as (keyof Tables[Table] & string)[]
  const name = `update ${table} ${columns} ${keys} ${match} ${clear}`
  const named: readonly string[] = [...keys, ...match]
  const set = columns.filter((column) => !named.includes(column))
  const cleared = clear.map((column) => `${column}=null`)
  if (!isPostgres(db)) {
    const statement = { table, columns: [...set, ...keys, ...match], name }
    return runForEach(db, statement, keys, rows, () => {
      const sets = [...set.map((column) => `${column}=?`), ...cleared]
      return `update or fail ${table} set ${sets.join()} where ${conditionsOf(named)}`
    })
  }
  return runInChunks<Pick<Tables[Table], Key>>(db, { table, columns, name }, rows, (given) => {
    const sets = [...set.map((column) => `${column}=v.${column}${momentOf(table, column)}`), ...cleared]
    return (
      `with v(${columns.join(',')}) as (${given}) ` +
      `update ${table} set ${sets.join(',')} from v ` +
      `where ${named.map((column) => `${table}.${column}=v.${column}`).join(' and ')} ` +
      `returning ${keys.map((column) => `${table}.${column}`).join(',')}`
    )
  })
}

/**
 * Deletes many rows, each named by its key and the values that have to match besides. Answers the keys of the rows that were
 * there.
 */
export async function deleteRows<
  Table extends keyof Tables & string,
  Key extends keyof Tables[Table] & string,
>(
  db: Database,
  table: Table,
  keys: readonly Key[],
  rows: readonly Partial<Tables[Table]>[],
  { match = [] }: Pick<UpdateOptions<keyof Tables[Table] & string>, 'match'> = {},
): Promise<Pick<Tables[Table], Key>[]> {
  const columns = [...keys, ...match]
  const name = `delete ${table} ${keys} ${match}`
  if (!isPostgres(db)) {
    const statement = { table, columns, name }
    return runForEach(db, statement, keys, rows, () => `delete from ${table} where ${conditionsOf(columns)}`)
  }
  return runInChunks<Pick<Tables[Table], Key>>(
    db,
    { table, columns, name },
    rows,
    (given) =>
      `with v(${columns.join(',')}) as (${given}) delete from ${table} ` +
      `using v where ${columns.map((column) => `${table}.${column}=v.${column}`).join(' and ')} ` +
      `returning ${keys.map((column) => `${table}.${column}`).join(',')}`,
  )
}

const conditionsOf = (columns: readonly string[]): string =>
  columns.map((column) => `${column}=?`).join(' and ')

/**
 * Runs a statement of SQLite once for each row, with its columns as parameters, and answers the keys of the rows for which
 * it changed something. No round trip is saved by giving it all rows at once, and a list of values is an intermediate table.
 */
async function runForEach<Table extends keyof Tables & string, Key extends keyof Tables[Table] & string>(
  db: Database,
  { columns, name }: RowsStatement,
  keys: readonly Key[],
  rows: readonly Partial<Tables[Table]>[],
  makeText: () => string,
): Promise<Pick<Tables[Table], Key>[]> {
  if (rows.length === 0) return []
  const [text = makeText()] = texts.get(name) ?? []
  texts.set(name, [text])
  const lists = rows.map((row) => columns.map((column) => (row as Readonly<Record<string, unknown>>)[column]))
  const changed = (await db.executeQuery<number>(CompiledQuery.raw(text, lists))).rows
  return changed.map((index) => {
    const row = rows[index] as Pick<Tables[Table], Key>
    return Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<Tables[Table], Key>
  })
}

/** The rows of a table with one of the given keys, or these columns of them, looked up in few statements. */
export async function findRows<
  Table extends keyof Tables & string,
  Column extends keyof Tables[Table] & string = keyof Tables[Table] & string,
>(
  db: Database,
  table: Table,
  keys: readonly (keyof Tables[Table] & string)[],
  wanted: readonly Partial<Tables[Table]>[],
  columns: readonly Column[] = [],
): Promise<Pick<Tables[Table], Column>[]> {
  const selected = columns.length === 0 ? `${table}.*` : columns.map((one) => `${table}.${one}`).join()
  const statement = { table, columns: keys, name: `find ${table} ${keys} ${selected}` }
  return runInChunks<Pick<Tables[Table], Column>>(
    db,
    statement,
    wanted,
    (given) =>
      `with v(${keys.join(',')}) as (${given}) ` +
      `select ${selected} from v join ${table} on ` +
      keys.map((column) => `${table}.${column}=v.${column}`).join(' and '),
  )
}

/**
 * A query that ends with a column and a list of what it may be, at least one value. Made without the query builder,
 * which takes longer than the database does; in SQLite the last value fills the list up to a power of two, so that few
 * statements need preparing.
 */
export function listQuery(db: Database, text: string, values: readonly unknown[]): CompiledQuery {
  if (isPostgres(db)) return CompiledQuery.raw(`${text} = any($1)`, [values])
  const size = 2 ** Math.ceil(Math.log2(values.length))
  const filled = Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)])
  return CompiledQuery.raw(`${text} in (${filled.map(() => '?')})`, filled)
}
