// Reads addresses from a table, and writes results as a table.

import type { Readable } from 'node:stream'
import { addressColumn } from '../model/address-column.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { MAX_COLUMNS, readCsv, withoutGuard, writeRows } from '../tables/csv.ts'
import type { Verification } from './verify.ts'

/** Maximum number of addresses in one list. */
export const MAX_LISTED = 100_000

const MAX_IN_ROW = 1_000_000

const COLUMNS: readonly (keyof Verification)[] = [
  'email',
  'result',
  'internalResult',
  'mxServer',
  'mxServerIp',
  'esp',
  'account',
  'tag',
  'isRole',
  'isFree',
  'isNoReply',
  'smtpCode',
  'catchAll',
  'latencyMs',
  'didYouMean',
]

/** A list of addresses, with the other cells of each row. */
export interface AddressTable {
  /** Names of the other columns, in order. */
  readonly columns: readonly string[]
  readonly rows: readonly AddressRow[]
}

/** A list of addresses from a table. */
export interface NamedAddressTable extends AddressTable {
  /** Name of the column with the addresses; null for a table without names. */
  readonly column: string | null
}

export interface AddressRow {
  readonly email: string
  /** Cells of the other columns; a row may have fewer or more cells than columns. */
  readonly cells: readonly string[]
}

/**
 * Returns the non-empty addresses of a table, and the other columns. The address column is the column that `column`
 * names, or a column with a usual name (`email`, `E-Mail`, `Email address` …), or the column of the first address if
 * the first line is no header. Throws `malformed_request` for invalid CSV, and `validation_failed` for a table without
 * an address column, without addresses, with more than 100,000 addresses, or with more than 500 columns.
 */
export async function readAddresses(csv: string, column?: string): Promise<NamedAddressTable> {
  const rows: AddressRow[] = []
  let header: Header | undefined
  const take = (row: readonly string[]): void => {
    const email = withoutGuard((row[header?.at ?? 0] ?? '').trim())
    if (email !== '') rows.push({ email, cells: besides(row, header?.at ?? 0) })
    if (rows.length > MAX_LISTED) throw wrong('too_many', `The list has more than ${MAX_LISTED} addresses.`)
  }
  try {
    await readCsv(csv, MAX_IN_ROW, (row) => {
      if (header !== undefined) return take(row)
      header = headerOf(row, column)
      if (!header.isHeader) take(row)
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('malformed_request', `The body is not CSV: ${(error as Error).message.slice(0, 200)}`)
  }
  if (rows.length === 0)
    throw wrong('too_few', 'The table has no addresses; put the addresses in a column named email.')
  return { column: header?.column ?? null, columns: header?.columns ?? [], rows }
}

interface Header {
  /** Index of the column with the addresses. */
  readonly at: number
  /** Name of this column; null if the first line already contains addresses. */
  readonly column: string | null
  /** Names of the other columns. */
  readonly columns: readonly string[]
  /** False if the first line already contains addresses. */
  readonly isHeader: boolean
}

function headerOf(row: readonly string[], column: string | undefined): Header {
  if (row.length > MAX_COLUMNS) throw wrong('too_many', `A table has at most ${MAX_COLUMNS} columns.`)
  const { at, isHeader } = addressColumn(row, column)
  const names = besides(row, at)
  if (!isHeader) return { at, isHeader, column: null, columns: names.map(nameOfColumn) }
  return { at, isHeader, column: row[at]?.trim() ?? null, columns: names.map((name) => name.trim()) }
}

const nameOfColumn = (_: string, index: number): string => `column_${index + 1}`

const besides = (row: readonly string[], at: number): string[] => row.filter((_, index) => index !== at)

const wrong = (code: string, message: string): Problem => {
  const problem: FieldProblem = { path: 'email', code, message }
  return invalidFields([problem])
}

/** A result, with the other cells of its row in the list. */
export interface ResultRow {
  readonly answer: object
  readonly cells?: readonly string[]
}

/**
 * Yields a row of column names, then the results as rows of texts: the result columns, followed by the `columns` of the
 * list.
 */
export async function* resultRows(
  results: AsyncIterable<ResultRow>,
  columns: readonly string[],
): AsyncGenerator<readonly string[]> {
  yield [...COLUMNS, ...columns]
  for await (const { answer, cells } of results) {
    const known = answer as Partial<Record<keyof Verification, unknown>>
    yield [...COLUMNS.map((key) => String(known[key] ?? '')), ...columns.map((_, at) => cells?.[at] ?? '')]
  }
}

/**
 * Returns results as CSV with a line of column names: the result columns, followed by the `columns` of the list. Cells
 * that a spreadsheet would run as formulas are escaped.
 */
export const resultsAsCsv = (results: AsyncIterable<ResultRow>, columns: readonly string[] = []): Readable =>
  writeRows(resultRows(results, columns))
