// Reads the beginning of a CSV file, so that the user can select the use of each column; the service reads the whole
// file.

import { InputError } from '../../parts/problem-words.ts'
import { bulk as words } from '../../texts/en/bulk.ts'

/** Number of bytes in which the first rows are searched. */
const BEGINNING = 65_536
const MAX_ROWS = 20

/** A line before the header row that sets the separator; spreadsheet programs read and write such a line. */
const SEPARATOR_LINE = /^\ufeff?sep=([,;\t])(?:\r\n|\n|\r)/i

/** A CSV file with its columns. */
export interface Table {
  readonly file: File
  readonly separator: string
  readonly columns: readonly string[]
  /** Some rows after the header row. */
  readonly rows: readonly (readonly string[])[]
  /** Number of bytes up to the end of the header row, including its line end. */
  readonly headerBytes: number
}

/** Reads the beginning of a file; throws errors that a page can show. */
export async function readTable(file: File): Promise<Table> {
  const text = decoded(await file.slice(0, BEGINNING).arrayBuffer(), file.size <= BEGINNING)
  const [line = '', told] = SEPARATOR_LINE.exec(text) ?? []
  const separator = told ?? separatorOf(text)
  const { records, ends } = recordsOf(text, line.length, separator, file.size <= BEGINNING)
  const [columns, ...rows] = records
  const [end] = ends
  if (columns === undefined || end === undefined || rows.length === 0) {
    throw new InputError(words.new.noRows)
  }
  return {
    file,
    separator,
    columns: columns.map((name) => name.trim()),
    rows,
    headerBytes: new TextEncoder().encode(text.slice(0, end)).length,
  }
}

/**
 * Decodes UTF-8; throws for other encodings, because the size of the header row would be wrong, and the first row would
 * lose bytes.
 */
function decoded(bytes: ArrayBuffer, isWhole: boolean): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes, { stream: !isWhole })
  } catch {
    throw new InputError(words.new.notUtf8)
  }
}

/**
 * Returns the file with other column names; an empty name leaves the column out. The returned file names its
 * separator, because the service would otherwise look for a separator in the rows of a file with a single named
 * column.
 */
export function withColumns({ file, separator, headerBytes }: Table, names: readonly string[]): Blob {
  const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(separator)
  return new Blob([`sep=${separator}\n${header}\n`, file.slice(headerBytes)], { type: 'text/csv' })
}

/** Returns the first unquoted separator of the first line. */
function separatorOf(text: string): string {
  for (const [found] of text.replace(/^[\ufeff\r\n ]+/, '').matchAll(/"[^"]*"|[,;\t]|[\r\n]/g)) {
    if (found === '\r' || found === '\n') break
    if (!found.startsWith('"')) return found
  }
  return ','
}

/**
 * Returns the first records from the offset `begin` (RFC 4180), and the offset at which each record ends; an incomplete
 * record is left out.
 */
function recordsOf(text: string, begin: number, separator: string, isWhole: boolean) {
  const records: string[][] = []
  const ends: number[] = []
  let record: string[] = []
  let cell = ''
  let quoted = false
  const endRecord = (end: number): void => {
    const isEmpty = record.length === 0 && cell.trim() === ''
    if (!isEmpty) {
      records.push([...record, cell])
      ends.push(end)
    }
    record = []
    cell = ''
  }
  const first = begin === 0 && text.startsWith('\ufeff') ? 1 : begin
  for (let at = first; at < text.length && records.length <= MAX_ROWS; at++) {
    const character = text[at] as string
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') cell += text[++at]
      else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === separator) {
      record.push(cell)
      cell = ''
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[at + 1] === '\n') at++
      endRecord(at + 1)
    } else cell += character
  }
  if (isWhole && records.length <= MAX_ROWS) endRecord(text.length)
  return { records, ends }
}
