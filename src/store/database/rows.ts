// Statements about many rows, for both databases: inserts, updates, deletions and lookups by key.

import { CompiledQuery } from 'kysely'
import { type Database, isPostgres, POSTGRES_NOW } from './dialect.ts'
import { type ColumnKind, kindOf, type Tables } from './schema.ts'

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

/** The types of PostgreSQL, as a statement names them. */
const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'bigint',
  bytes: 'bytea',
  moment: 'bigint',
}

/** What PostgreSQL adds to a column of given rows: to a moment its own time. */
const momentOf = (table: keyof Tables, column: string): string =>
  isMoment(table, column) ? `+${POSTGRES_NOW}` : ''

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
