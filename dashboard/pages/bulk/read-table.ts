// The beginning of a CSV file: its columns and first rows, to say what each column is. The service reads the rest.

import { InputError } from '../../parts/problem-words.ts'
import { bulk as words } from '../../texts/en/bulk.ts'

/** Bytes in which the first rows are looked for. */
const BEGINNING = 65_536
const MAX_ROWS = 20

/** A line before the names by which spreadsheets tell each other the separator. */
const SEPARATOR_LINE = /^\ufeff?sep=([,;\t])(?:\r\n|\n|\r)/i

/** A file whose columns are known. */
export interface Table {
  readonly file: File
  readonly separator: string
  readonly columns: readonly string[]
  /** Some rows below the first line. */
  readonly rows: readonly (readonly string[])[]
  /** Bytes of the line of names, with its end and what is before it. */
  readonly headerBytes: number
}

/** Reads the beginning of a file. Throws what can be shown. */
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

/** In another encoding the line of names has other bytes than it is counted by here, and the first row would lose some. */
function decoded(bytes: ArrayBuffer, isWhole: boolean): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes, { stream: !isWhole })
  } catch {
    throw new InputError(words.new.notUtf8)
  }
}

/**
 * The file with other names for its columns; an empty one leaves a column out. It tells its separator: a single name would
 * not, and the service would look for one in the rows.
 */
export function withColumns({ file, separator, headerBytes }: Table, names: readonly string[]): Blob {
  const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(separator)
  return new Blob([`sep=${separator}\n${header}\n`, file.slice(headerBytes)], { type: 'text/csv' })
}

/** The separator in the first line, outside of quotes. */
function separatorOf(text: string): string {
  for (const [found] of text.replace(/^[\ufeff\r\n ]+/, '').matchAll(/"[^"]*"|[,;\t]|[\r\n]/g)) {
    if (found === '\r' || found === '\n') break
    if (!found.startsWith('"')) return found
  }
  return ','
}

/** The first records from a place on (RFC 4180), and the place at which each ends; one that is cut off is left out. */
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
