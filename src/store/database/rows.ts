// Statements on many rows for both databases: inserts, updates, deletions and lookups by key.

import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type Database, isPostgres, POSTGRES_NOW } from './dialect.ts'
import { type ColumnKind, kindOf, type Tables } from './schema.ts'
import { executeUnread } from './unread.ts'

/** Numbers of rows of a statement: few, so that few statements need preparing, and close enough that few are run. */
const SIZES = [128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const
/**
 * SQL texts of each kind of statement, by number of rows. A single text serves any number of rows if each column is one
 * parameter.
 */
const texts = new Map<string, string[]>()

/** Splits rows into chunks of the sizes that statements have. */
function* chunks<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; ) {
    const size = SIZES.find((one) => one <= rows.length - start) ?? 1
    yield rows.slice(start, start + size)
    start += size
  }
}

/** PostgreSQL type names by kind of column. */
const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'bigint',
  bytes: 'bytea',
  moment: 'bigint',
}

/**
 * Returns the SQL term that is added to the value of a column in PostgreSQL: the database's current time for a moment,
 * otherwise an empty string.
 */
const momentOf = (table: keyof Tables, column: string): string =>
  isMoment(table, column) ? `+${POSTGRES_NOW}` : ''

/** Returns the parameters of rows in SQLite, row by row. */
function parametersByRow({ columns }: RowsStatement, rows: readonly object[]): unknown[] {
  const parameters = new Array<unknown>(rows.length * columns.length)
  let at = 0
  for (const row of rows)
    for (const column of columns) parameters[at++] = (row as Readonly<Record<string, unknown>>)[column]
  return parameters
}

/**
 * Returns the parameters of rows in PostgreSQL: an array for each column. A moment is passed as the difference from the
 * current time.
 */
function parametersByColumn({ table, columns }: RowsStatement, rows: readonly object[]): unknown[] {
  const now = Date.now()
  return columns.map((column) => {
    const values = rows.map((row) => (row as Readonly<Record<string, unknown>>)[column])
    const kind = kindOf(table, column)
    if (kind === 'bytes') return bytesArray(values as (Uint8Array | null)[])
    return kind === 'moment'
      ? values.map((value) => (typeof value === 'number' ? value - now : value))
      : values
  })
}

const isMoment = (table: keyof Tables, column: string): boolean => kindOf(table, column) === 'moment'

const BYTEA = 17

/**
 * Encodes bytes as an array in PostgreSQL's binary format, because the driver would write hexadecimal digits. The
 * format (`array_recv` in PostgreSQL's arrayfuncs.c) begins with the number of dimensions, a flag for nulls, the
 * element type, the number of elements, and the index of the first element. The length and the bytes of each element
 * follow.
 */
function bytesArray(values: readonly (Uint8Array | null)[]): Buffer {
  const array = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 20))
  let at = 0
  for (const field of [1, Number(values.includes(null)), BYTEA, values.length, 1]) {
    at = array.writeInt32BE(field, at)
  }
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? -1, at)
    if (value === null) continue
    array.set(value, at)
    at += value.length
  }
  return array
}

/** Approximate maximum number of bytes in the rows of one statement of PostgreSQL. */
const MAX_BYTES = 4_194_304

/**
 * Splits rows into chunks with a limited number of bytes; the number of rows is not limited, because one PostgreSQL
 * statement, whose plan is kept, serves any number of rows.
 */
function* chunksByBytes(
  { table, columns }: RowsStatement,
  rows: readonly object[],
): Generator<readonly object[]> {
  const withBytes = columns.filter((column) => kindOf(table, column) === 'bytes')
  if (withBytes.length === 0) return yield rows
  const sizeOf = (row: object): number =>
    withBytes.reduce(
      (sum, column) => sum + ((row as Record<string, Uint8Array | null>)[column]?.length ?? 0),
      0,
    )
  let start = 0
  let bytes = 0
  for (const [index, row] of rows.entries()) {
    const size = sizeOf(row)
    if (index > start && bytes + size > MAX_BYTES) {
      yield rows.slice(start, index)
      start = index
      bytes = 0
    }
    bytes += size
  }
  yield rows.slice(start)
}

/**
 * Returns a query whose result is the given rows: from a list of values in SQLite, from typed arrays in PostgreSQL.
 * PostgreSQL unnests arrays row by row in the select list, but would first store each array as a table in a `from`
 * clause.
 */
function givenRows(db: Database, { table, columns }: RowsStatement, size: number): string {
  if (isPostgres(db))
    return `select ${columns.map((column, at) => `unnest($${at + 1}::${TYPES[kindOf(table, column)]}[])`).join()}`
  return `values ${Array.from({ length: size }, () => `(${columns.map(() => '?').join()})`).join()}`
}

/**
 * A kind of statement on rows: the table, the given columns, and the name under which the statement texts are cached.
 */
interface RowsStatement {
  readonly table: keyof Tables
  readonly columns: readonly string[]
  readonly name: string
}

/**
 * Runs a statement with all rows in chunks; `textFor` builds the statement text once from the query of the given rows.
 * An `isUnread` statement returns no rows.
 */
async function runInChunks<Result = unknown>(
  db: Database,
  statement: RowsStatement,
  rows: readonly object[],
  textFor: (given: string) => string,
  isUnread = false,
): Promise<Result[]> {
  const key = `${statement.name} ${isPostgres(db)}`
  let bySize = texts.get(key)
  if (bySize === undefined) {
    bySize = []
    texts.set(key, bySize)
  }
  const byColumn = isPostgres(db)
  const results: Result[] = []
  for (const chunk of byColumn ? chunksByBytes(statement, rows) : chunks(rows)) {
    const size = byColumn ? 0 : chunk.length
    bySize[size] ??= textFor(givenRows(db, statement, size))
    const parameters = byColumn ? parametersByColumn(statement, chunk) : parametersByRow(statement, chunk)
    const query = CompiledQuery.raw(bySize[size] as string, parameters)
    if (isUnread) await executeUnread(db, query)
    else results.push(...(await db.executeQuery<Result>(query)).rows)
  }
  return results
}

/**
 * Inserts many rows with few statements, whose text is built once for each table and number of rows.
 *
 * @param onConflict clause for rows that exist already; an existing row is an error without this clause
 * @param returning columns of the written rows that are returned
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
    returning.length === 0,
  )
}

interface UpdateOptions<Column> {
  /** Columns whose stored value must also match, such as the lease. */
  readonly match?: readonly Column[]
  /** Columns that are set to null. */
  readonly clear?: readonly Column[]
  /** True if the caller does not need the matching rows, so that no rows are returned (see `executeUnread`). */
  readonly isUnread?: boolean
}

/**
 * Updates many rows, each with its own values: every given row has its key columns and the new values, and each key
 * occurs once per call. Returns the keys of the rows that matched.
 */
export async function updateRows<
  Table extends keyof Tables & string,
  Key extends keyof Tables[Table] & string,
>(
  db: Database,
  table: Table,
  keys: readonly Key[],
  rows: readonly Partial<Tables[Table]>[],
  { match = [], clear = [], isUnread = false }: UpdateOptions<keyof Tables[Table] & string> = {},
): Promise<Pick<Tables[Table], Key>[]> {
  const first = rows[0]
  if (first === undefined) return []
  const columns = Object.keys(first) as (keyof Tables[Table] & string)[]
  const name = `update ${table} ${columns} ${keys} ${match} ${clear} ${isUnread}`
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
  const textFor = (given: string): string => {
    const sets = [...set.map((column) => `${column}=v.${column}${momentOf(table, column)}`), ...cleared]
    const conditions = named.map((column) => `${table}.${column}=v.${column}`).join(' and ')
    const text = `with v(${columns.join(',')}) as (${given}) update ${table} set ${sets.join(',')} from v where ${conditions}`
    return isUnread ? text : `${text} returning ${keys.map((column) => `${table}.${column}`).join(',')}`
  }
  return runInChunks<Pick<Tables[Table], Key>>(db, { table, columns, name }, rows, textFor, isUnread)
}

/**
 * Deletes many rows, each selected by its key and by further values that must match. Returns the keys of the deleted
 * rows.
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
 * Runs a SQLite statement once for each row, with the columns as parameters, and returns the keys of the changed rows.
 * A single statement for all rows would save no round trip, and would need an intermediate table for the list of
 * values.
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

/** Looks up rows of a table by keys with few statements; returns the whole rows or the given columns. */
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
 * Returns a query that ends with a column and the list of its allowed values, which must not be empty. The text is
 * built without the query builder, which would take longer to build the query than the database takes to run the query.
 * The list for SQLite repeats the last value until the length is a power of two, so that few different statements need
 * preparing.
 */
export function listQuery(db: Database, text: string, values: readonly unknown[]): CompiledQuery {
  if (isPostgres(db)) return CompiledQuery.raw(`${text} = any($1)`, [values])
  const size = 2 ** Math.ceil(Math.log2(values.length))
  const filled = Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)])
  return CompiledQuery.raw(`${text} in (${filled.map(() => '?')})`, filled)
}

/**
 * Returns the time of a change as a term of a statement: `now`, or a millisecond after the time `before` of the change
 * before, so that the time identifies the version of a row.
 */
export const laterThan = (before: RawBuilder<number>, now: number): RawBuilder<number> =>
  sql`case when ${before} >= ${now} then ${before} + 1 else ${now} end`

/**
 * Returns the given keys that rows of a table have. A table may have any number of rows with one key; the search for a
 * key ends at the first.
 */
export async function findKeys<Table extends keyof Tables & string, Key extends keyof Tables[Table] & string>(
  db: Database,
  table: Table,
  keys: readonly Key[],
  wanted: readonly Pick<Tables[Table], Key>[],
): Promise<Pick<Tables[Table], Key>[]> {
  const statement = { table, columns: keys, name: `keys ${table} ${keys}` }
  return runInChunks<Pick<Tables[Table], Key>>(
    db,
    statement,
    wanted,
    (given) =>
      `with v(${keys.join(',')}) as (${given}) select ${keys.map((key) => `v.${key}`).join()} from v ` +
      `where exists (select 1 from ${table} where ${keys.map((key) => `${table}.${key}=v.${key}`).join(' and ')})`,
  )
}
