// Reads CSV row by row, with any usual separator and line ending, and writes CSV.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Info, parse } from 'csv-parse'
import { type Options, stringify } from 'csv-stringify'

const SLICE = 64 * 1024
/** The upper six bits of the first half of a surrogate pair. */
const HIGH_SURROGATE = 0xd8_00 >> 10

/** Maximum number of columns of a table, because the work for each row grows with the number of columns. */
export const MAX_COLUMNS = 500

/** A first line in which spreadsheets declare the separator. */
const SEPARATOR_LINE = /^\ufeff?sep=([,;\t])(?:\r\n|\n|\r)/i

/** A row of a table. */
export interface CsvRow {
  /** Row number as in a spreadsheet: from 1, including empty lines, but not line breaks within cells. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Yields the rows, including the first line, without empty lines. Throws the parser's error for an invalid CSV.
 *
 * @param mostInRow maximum number of characters of a row
 */
export async function* csvRows(csv: string, mostInRow: number): AsyncGenerator<CsvRow> {
  const [line = '', stated] = SEPARATOR_LINE.exec(csv) ?? []
  const parser = parse({
    bom: true,
    delimiter: stated ?? separatorOf(csv),
    // Files may be assembled from parts with different line endings, and no line may be lost.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: mostInRow,
    info: true,
  })
  // Errors of the parser are thrown where the rows are read.
  pipeline(Readable.from(slices(csv, line.length)), parser).catch(() => {})
  const rows = parser as AsyncIterable<{ readonly record: readonly string[]; readonly info: Info }>
  for await (const { record, info } of rows) yield { line: info.records + info.empty_lines, cells: record }
}

/** Passes each row and its line number to `take`; throws errors of `take` and of reading. */
export async function readCsv(
  csv: string,
  mostInRow: number,
  take: (row: readonly string[], line: number) => void,
): Promise<void> {
  for await (const { cells, line } of csvRows(csv, mostInRow)) take(cells, line)
}

/** Yields the text in slices, so that other requests are served between two slices. */
async function* slices(text: string, begin: number): AsyncGenerator<string> {
  for (let from = begin, end = 0; from < text.length; from = end) {
    await nextTurn()
    end = from + SLICE
    // A slice must not end within a surrogate pair, because each half would be read as U+FFFD.
    if (text.charCodeAt(end - 1) >> 10 === HIGH_SURROGATE) end--
    yield text.slice(from, end)
  }
}

/** Returns the separator of the names in the first line; other separators in later lines are part of a cell. */
function separatorOf(csv: string): string {
  const beginning = csv.slice(0, SLICE).replace(/^[\ufeff\r\n ]+/, '')
  for (const [found] of beginning.matchAll(/"[^"]*"|[,;\t]|[\r\n]/g)) {
    if (found === '\r' || found === '\n') break
    if (!found.startsWith('"')) return found
  }
  return ','
}

/** Returns a cell without the apostrophe that prevents a spreadsheet from running the cell as a formula. */
export const withoutGuard = (cell: string): string => cell.replace(/^'(?=[=+\-@])/, '')

/** Usual names of a column of email addresses, reduced to letters. */
const EMAIL_NAMES: ReadonlySet<string> = new Set([
  ...['email', 'emails', 'mail', 'emailaddress', 'emailaddresses', 'mailaddress'],
  ...['emailadresse', 'emailadressen', 'mailadresse', 'correo', 'correoelectronico', 'courriel'],
  ...['adresseemail', 'adressemail'],
])
/** Further names; a name in POSTAL_NAMES means a postal address if another column has a name in EMAIL_NAMES. */
const POSTAL_NAMES: ReadonlySet<string> = new Set(['address', 'addresses'])
const OTHER_NAMES: ReadonlySet<string> = new Set([...POSTAL_NAMES, 'recipient', 'to'])

/**
 * Returns the index of the column of email addresses: the column that `wanted` names (case-insensitive), or the first
 * column with a usual name (`email`, `E-Mail`, `Email address` …); -1 if there is no such column.
 */
export function emailColumn(names: readonly string[], wanted?: string): number {
  if (wanted === undefined) {
    const plainNames = names.map(plain)
    const email = plainNames.findIndex((name) => EMAIL_NAMES.has(name))
    const other = plainNames.findIndex((name) => OTHER_NAMES.has(name))
    if (email < 0 || other < 0) return Math.max(email, other)
    return POSTAL_NAMES.has(plainNames[other] ?? '') ? email : Math.min(email, other)
  }
  return names.findIndex((name) => name.trim().toLowerCase() === wanted.trim().toLowerCase())
}

/**
 * Returns the names of two columns that may both contain the addresses: the column at `at`, and another column
 * with the same name. The comparison ignores case and surrounding spaces, and, if `wanted` is undefined, also all other
 * spaces and marks, so that `E-Mail` equals `email`.
 */
export function doubleEmailColumn(
  names: readonly string[],
  at: number,
  wanted?: string,
): readonly [string, string] | undefined {
  const key = wanted === undefined ? plain : (name: string) => name.trim().toLowerCase()
  const chosen = names[at] ?? ''
  const other = names.find((name, index) => index !== at && key(name) === key(chosen))
  return other === undefined ? undefined : [chosen, other]
}

/** Returns a name in lower case, without spaces and marks. */
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')

/** Returns rows as CSV; cells that a spreadsheet would run as formulas are escaped. */
export const writeRows = (rows: AsyncIterable<readonly string[]>): Readable => written({}, rows)

/** Returns CSV with a header line; cells that a spreadsheet would run as formulas are escaped. */
export const writeCsv = (columns: NonNullable<Options['columns']>, rows: AsyncIterable<object>): Readable =>
  written({ header: true, columns, cast: { boolean: String } }, rows)

function written(options: Options, rows: AsyncIterable<object>): Readable {
  const writer = stringify({ ...options, escape_formulas: true })
  // The consumer notices an error when the stream is destroyed.
  pipeline(Readable.from(rows), writer).catch(() => {})
  return writer
}
