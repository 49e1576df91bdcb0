// Reads suppressions from the CSV exports of other services, and writes CSV that can be read again.

import type { Readable } from 'node:stream'
import { addressColumn } from '../model/address-column.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { MAX_SUPPRESSIONS } from '../model/suppression.ts'
import type { Suppression } from '../store/workspace/suppressions.ts'
import { readCsv, withoutGuard, writeCsv } from '../tables/csv.ts'
import type { SuppressionInput } from './suppression-list.ts'

const MAX_IN_ROW = 100_000
const COLUMNS = ['email', 'stream', 'reason', 'origin', 'created_at'] as const

/**
 * Returns the rows of a CSV with an address column, and with the columns `stream` and `reason` if present. The address
 * column has the name `email`, a similar name or the name in `column`. Rows of a CSV without a header are read from the
 * column of the first address. Throws `malformed_request` for invalid CSV. Throws `validation_failed` for a CSV without
 * an address column, without rows, or with more than 100,000 rows.
 */
export async function readSuppressions(csv: string, column?: string): Promise<SuppressionInput[]> {
  const inputs: SuppressionInput[] = []
  let columns: Columns | undefined
  const take = (row: readonly string[], of: Columns, line: number): void => {
    if (row[of.email]?.trim()) inputs.push({ ...inputOf(row, of), line })
    if (inputs.length > MAX_SUPPRESSIONS) {
      throw wrong('too_many', `The table has more than ${MAX_SUPPRESSIONS} addresses.`)
    }
  }
  try {
    await readCsv(csv, MAX_IN_ROW, (row, line) => {
      if (columns !== undefined) return take(row, columns, line)
      columns = columnsOf(row, column)
      if (!columns.isHeader) take(row, columns, line)
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('malformed_request', `The body is not CSV: ${(error as Error).message.slice(0, 200)}`)
  }
  if (inputs.length === 0)
    throw wrong('too_few', 'The table has no addresses; put the addresses into a column named email.')
  return inputs
}

/** Indexes of the columns; -1 for a missing column. */
interface Columns {
  readonly email: number
  readonly stream: number
  readonly reason: number
  readonly isHeader: boolean
}

function columnsOf(firstRow: readonly string[], column: string | undefined): Columns {
  const { at: email, isHeader } = addressColumn(firstRow, column)
  const names = isHeader ? firstRow.map((name) => name.trim().toLowerCase()) : []
  for (const name of ['stream', 'reason']) {
    if (names.indexOf(name) === names.lastIndexOf(name)) continue
    throw wrong('duplicate_column', `There are two columns "${name}"; keep one.`)
  }
  return { email, stream: names.indexOf('stream'), reason: names.indexOf('reason'), isHeader }
}

function inputOf(row: readonly string[], columns: Columns): SuppressionInput {
  const cell = (column: number): string | undefined => row[column]?.trim() || undefined
  return {
    email: withoutGuard(cell(columns.email) ?? ''),
    stream: cell(columns.stream),
    reason: cell(columns.reason),
  }
}

const wrong = (code: string, message: string): Problem => invalidFields([{ path: 'email', code, message }])

export const suppressionsAsCsv = (suppressions: AsyncIterable<Suppression>): Readable =>
  writeCsv([...COLUMNS], shown(suppressions))

async function* shown(suppressions: AsyncIterable<Suppression>): AsyncGenerator<object> {
  for await (const one of suppressions) yield suppressionView(one)
}

/** Returns a suppression in the form that the API returns. */
export const suppressionView = ({ id, email, stream, reason, message_id, created_at }: Suppression) => ({
  suppression_id: id,
  email,
  stream,
  reason,
  origin: message_id === null ? ('customer' as const) : ('recipient' as const),
  message_id,
  created_at: new Date(created_at).toISOString(),
})
