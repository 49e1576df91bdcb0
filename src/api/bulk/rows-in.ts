// Reads the rows of a bulk request one by one, from JSON lines or CSV.

import type { GivenRow } from '../../bulk/given-bulk.ts'
import { readJsonBody } from '../../http/json-body.ts'
import { requestProblemsOf } from '../../http/shape.ts'
import { doubleAddressColumn } from '../../model/address-column.ts'
import { BULK_LIMITS, type BulkRow } from '../../model/bulk.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { csvRows, emailColumn, MAX_COLUMNS, withoutGuard } from '../../tables/csv.ts'
import { Pacer } from '../../threads/pacer.ts'
import { BulkRowBody } from '../contract/bulk.ts'

/** Line of a body of JSON lines. */
export interface Line {
  /** Number of the line, counted from 1. */
  readonly number: number
  readonly bytes: Buffer
}

const LF = 0x0a
const BOM = Buffer.from('\ufeff')

/** Yields all non-empty lines, with any usual line ending, and removes a byte order mark. */
export function* linesOf(bytes: Buffer): Generator<Line> {
  let start = bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
  for (let number = 1; start < bytes.length; number++) {
    const end = bytes.indexOf(LF, start)
    const line = bytes.subarray(start, end < 0 ? bytes.length : end)
    start = end < 0 ? bytes.length : end + 1
    if (!isBlank(line)) yield { number, bytes: line }
  }
}

const isBlank = (line: Buffer): boolean => line.every((byte) => byte <= 0x20)

const wrong = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

/** Pacer that pauses between rows, so that other requests get turns of the event loop. */
const pacer = new Pacer()

/** Yields the rows after the first line, which contains the message. An invalid row contains its problems. */
export async function* rowsOfLines(lines: Iterable<Line>): AsyncGenerator<GivenRow> {
  for (const line of lines) {
    await pacer.turn()
    yield rowOfLine(line)
  }
}

function rowOfLine({ number: line, bytes }: Line): GivenRow {
  if (bytes.length > BULK_LIMITS.rowBytes) {
    const message = `A line has at most ${BULK_LIMITS.rowBytes} bytes.`
    return { line, to: '', problems: [wrong('', 'too_long', message)] }
  }
  try {
    const { value, fieldNameProblems } = readJsonBody(bytes, { takesArray: false })
    const problems = [...(fieldNameProblems ?? []), ...requestProblemsOf(BulkRowBody, value)]
    const { to, ...rest } = value as { readonly to?: string | BulkRow['to'] } & Omit<BulkRow, 'to'>
    const mailbox = typeof to === 'string' ? { email: to } : to
    const shown = typeof mailbox?.email === 'string' ? mailbox.email : ''
    if (problems.length > 0 || mailbox === undefined) return { line, to: shown, problems }
    return { line, to: shown, row: { to: mailbox, ...rest } }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const message = error.message.replace(/^The body/, 'The line')
    return { line, to: '', problems: [wrong('', 'malformed', message)] }
  }
}

/** Maximum number of characters in one row of a CSV; a longer row indicates an unclosed quote. */
const MAX_IN_ROW = 1_000_000
/** Maximum number of nested names in a column name. Each nested name creates an object in each row. */
const MAX_NAMES = 10

/**
 * Yields the rows of a CSV with a header line. One column contains the addresses, `to_name` contains display names, and
 * `metadata.…` contains metadata. All other columns, and the column of addresses, are variables; `order.number` is a
 * field of `order`. Empty cells are left out. Throws `malformed_request` for invalid CSV, and `validation_failed` for
 * invalid names.
 */
export async function* rowsOfCsv(csv: string, column: string | undefined): AsyncGenerator<GivenRow> {
  let columns: Columns | undefined
  try {
    for await (const { line, cells } of csvRows(csv, MAX_IN_ROW)) {
      await pacer.turn()
      if (columns === undefined) columns = columnsOf(cells, column)
      else yield rowOfCells(line, cells, columns)
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('malformed_request', `The body is not CSV: ${(error as Error).message.slice(0, 200)}`)
  }
}

interface Columns {
  readonly to: number
  /** Name of the variable with the address; undefined if the name of the column cannot be a variable. */
  readonly addressVariable: string | undefined
  /** Path of field names in a row for each cell; undefined for a cell that is dropped. */
  readonly paths: readonly (readonly string[] | undefined)[]
}

function columnsOf(header: readonly string[], column: string | undefined): Columns {
  const names = header.map((name) => name.trim())
  const shown = names.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 40)))
  const to = emailColumn(names, column)
  if (to < 0) {
    const name = column ?? 'email'
    const message = `The first line has no column named ${name.slice(0, 100)}; its columns are ${shown.join(', ')}. Name the column of the addresses with ?column=.`
    throw invalidFields([wrong('column', 'required', message)])
  }
  const double = doubleAddressColumn(names, to, column)
  if (double !== undefined) throw invalidFields([{ ...double, path: 'column' }])
  if (names.length > MAX_COLUMNS) {
    throw invalidFields([wrong('', 'too_many', `A CSV has at most ${MAX_COLUMNS} columns.`)])
  }
  const paths = names.map((name, index) => (index === to || name === '' ? undefined : pathOf(name)))
  const problems = depthProblems(paths) ?? pathProblems(paths)
  if (problems.length > 0) throw invalidFields(problems)
  return { to, paths, addressVariable: addressVariable(names[to] ?? '', paths) }
}

/**
 * Returns the name of the address column if the name is a plain word and no other column sets the variable with this
 * name.
 */
function addressVariable(name: string, paths: Columns['paths']): string | undefined {
  const isTaken = paths.some((path) => path?.[0] === 'template_model' && path[1] === name)
  return isTaken || !/^\p{L}[\p{L}\p{N}_-]*$/u.test(name) ? undefined : name
}

function pathOf(name: string): string[] {
  if (name.toLowerCase() === 'to_name') return ['to', 'name']
  if (name.startsWith('metadata.')) return ['metadata', name.slice('metadata.'.length)]
  return ['template_model', ...name.split('.')]
}

/** Returns a problem for each column name with too many nested fields; undefined if there are none. */
function depthProblems(paths: readonly (readonly string[] | undefined)[]): FieldProblem[] | undefined {
  const deep = paths.filter((path) => path !== undefined && path.length > 1 + MAX_NAMES)
  if (deep.length === 0) return undefined
  const message = `A name has at most ${MAX_NAMES} parts, separated by dots.`
  return deep.map((path = []) => wrong(path.slice(1, 1 + MAX_NAMES).join('.'), 'invalid_path', message))
}

/** Returns a problem for each column name that occurs twice, or stands for both a value and an object. */
function pathProblems(paths: readonly (readonly string[] | undefined)[]): FieldProblem[] {
  const seen = new Set<string>()
  const inner = new Set<string>()
  const named = paths.filter((path) => path !== undefined)
  for (const path of named) {
    for (let length = 1; length < path.length; length++) inner.add(JSON.stringify(path.slice(0, length)))
  }
  return named.flatMap((path) => {
    const key = JSON.stringify(path)
    const name = path.slice(1).join('.')
    if (inner.has(key)) {
      return [wrong(name, 'conflict', `Another column is a field of "${name}"; rename one of them.`)]
    }
    if (path.some((part) => part === '')) {
      return [wrong(name, 'invalid_path', 'Give a name such as order.number: parts separated by dots.')]
    }
    if (seen.has(key)) return [wrong(name, 'duplicate_column', `There are two columns "${name}"; keep one.`)]
    seen.add(key)
    return []
  })
}

function rowOfCells(line: number, cells: readonly string[], columns: Columns): GivenRow {
  const { to, paths, addressVariable: variable } = columns
  const email = withoutGuard((cells[to] ?? '').trim())
  if (cells.length > paths.length && cells.slice(paths.length).some((cell) => cell.trim() !== '')) {
    const message = `The row has ${cells.length} cells, but the first line has ${paths.length} names; quote cells that contain a separator.`
    return { line, to: email, problems: [wrong('', 'too_many_cells', message)] }
  }
  if (email === '') return { line, to: '', problems: [wrong('to', 'required', 'The row has no address.')] }
  const row = emptyObject()
  put(row, ['to', 'email'], email)
  if (variable !== undefined) put(row, ['template_model', variable], email)
  for (const [index, path] of paths.entries()) {
    const cell = cells[index] ?? ''
    if (path !== undefined && cell !== '') put(row, path, withoutGuard(cell))
  }
  const text = JSON.stringify(row)
  if (Buffer.byteLength(text) > BULK_LIMITS.rowBytes) {
    const message = `A row has at most ${BULK_LIMITS.rowBytes} bytes.`
    return { line, to: email, problems: [wrong('', 'too_long', message)] }
  }
  const given: BulkRow = JSON.parse(text)
  return { line, to: email, row: given, problems: requestProblemsOf(BulkRowBody, given) }
}

type Values = { [name: string]: string | Values }

/** Returns an object without a prototype, so that any name can be a property. */
const emptyObject = (): Values => Object.create(null)

function put(into: Values, [name = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) into[name] = value
  else {
    const inner = into[name]
    const next = typeof inner === 'object' ? inner : emptyObject()
    into[name] = next
    put(next, rest, value)
  }
}
