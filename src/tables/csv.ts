// Reads a CSV row by row, with any usual separator and line end, and writes one.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Info, parse } from 'csv-parse'
import { type Options, stringify } from 'csv-stringify'

const SLICE = 64 * 1024
/** The upper six bits of the first half of a surrogate pair. */
const HIGH_SURROGATE = 0xd8_00 >> 10

/** Columns of a table: what is done for each of its rows is done for each of them. */
export const MAX_COLUMNS = 500

/** A line before the names by which spreadsheets tell each other the separator. */
const SEPARATOR_LINE = /^\ufeff?sep=([,;\t])(?:\r\n|\n|\r)/i

/** A row of a table. */
export interface CsvRow {
  /** Counted as a spreadsheet does: from 1, with empty lines, and once where a cell has line breaks. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * The rows one after the other, the first line's too, without empty lines. Throws the parser's error for what is no CSV.
 * `mostInRow`: characters.
 */
export async function* csvRows(csv: string, mostInRow: number): AsyncGenerator<CsvRow> {
  const [line = '', told] = SEPARATOR_LINE.exec(csv) ?? []
  const parser = parse({
    bom: true,
    delimiter: told ?? separatorOf(csv),
    // Files are put together from parts: of a file whose lines end in several ways none may be lost.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: mostInRow,
    info: true,
  })
  // An error of the parser is thrown where its rows are read.
  pipeline(Readable.from(slices(csv, line.length)), parser).catch(() => {})
  const rows = parser as AsyncIterable<{ readonly record: readonly string[]; readonly info: Info }>
  for await (const { record, info } of rows) yield { line: info.records + info.empty_lines, cells: record }
}

/** Gives `take` each row and its line; throws what `take` throws, and what reading the rows does. */
export async function readCsv(
  csv: string,
  mostInRow: number,
  take: (row: readonly string[], line: number) => void,
): Promise<void> {
  for await (const { cells, line } of csvRows(csv, mostInRow)) take(cells, line)
}

/** A piece at a time, so that other requests are served in between. */
async function* slices(text: string, begin: number): AsyncGenerator<string> {
  for (let from = begin, end = 0; from < text.length; from = end) {
    await nextTurn()
    end = from + SLICE
    // Half of a surrogate pair would be read as U+FFFD.
    if (text.charCodeAt(end - 1) >> 10 === HIGH_SURROGATE) end--
    yield text.slice(from, end)
  }
}

/** Separator of the names in the first line: in the lines below, other separators are part of a cell. */
function separatorOf(csv: string): string {
  const beginning = csv.slice(0, SLICE).replace(/^[\ufeff\r\n ]+/, '')
  for (const [found] of beginning.matchAll(/"[^"]*"|[,;\t]|[\r\n]/g)) {
    if (found === '\r' || found === '\n') break
    if (!found.startsWith('"')) return found
  }
  return ','
}

/** A cell without what kept a spreadsheet from taking it for a formula. */
export const withoutGuard = (cell: string): string => cell.replace(/^'(?=[=+\-@])/, '')

/** Names under which people keep addresses, without what stands between letters. */
const EMAIL_NAMES: ReadonlySet<string> = new Set([
  ...['email', 'emails', 'mail', 'emailaddress', 'emailaddresses', 'mailaddress'],
  ...['emailadresse', 'emailadressen', 'mailadresse', 'correo', 'correoelectronico', 'courriel'],
  ...['adresseemail', 'adressemail'],
])
/** Others; beside one of those, an address is where somebody lives. */
const POSTAL_NAMES: ReadonlySet<string> = new Set(['address', 'addresses'])
const OTHER_NAMES: ReadonlySet<string> = new Set([...POSTAL_NAMES, 'recipient', 'to'])

/**
 * The column of the addresses: the one that `wanted` names, in any case, or the first with a usual name (`email`, `E-Mail`,
 * `Email address` …); -1 where there is none.
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
 * The names of two columns that may both have the addresses, where none was named: that of the first, and one that is the
 * same but for case, spaces and marks, as `E-Mail` and `email` are. Of one that was named, another of that very name.
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

/** A name without case, spaces and marks. */
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')

/** A CSV of rows; what a spreadsheet would take for a formula is kept from being one. */
export const writeRows = (rows: AsyncIterable<readonly string[]>): Readable => written({}, rows)

/** A CSV with a line of names; what a spreadsheet would take for a formula is kept from being one. */
export const writeCsv = (columns: NonNullable<Options['columns']>, rows: AsyncIterable<object>): Readable =>
  written({ header: true, columns, cast: { boolean: String } }, rows)

function written(options: Options, rows: AsyncIterable<object>): Readable {
  const writer = stringify({ ...options, escape_formulas: true })
  // A reader learns of an error when the stream breaks off.
  pipeline(Readable.from(rows), writer).catch(() => {})
  return writer
}
