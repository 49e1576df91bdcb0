// Addresses from a CSV, and results as one.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { readCsv, withoutGuard } from '../lib/csv.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { Verification } from './verify.ts'

/** Addresses in one list. */
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

/**
 * The cells of the column named `email`, without empty ones. Throws `malformed_request` for what is no CSV,
 * `validation_failed` without that column, without addresses, or with more than 100,000.
 */
export async function readAddresses(csv: string): Promise<string[]> {
  const addresses: string[] = []
  let column: number | undefined
  try {
    await readCsv(csv, MAX_IN_ROW, (row) => {
      if (column === undefined) column = emailColumn(row)
      else if (row[column]?.trim()) addresses.push(withoutGuard((row[column] as string).trim()))
      if (addresses.length > MAX_LISTED) throw wrong('too_many', `It has more than ${MAX_LISTED} addresses.`)
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('malformed_request', `The body is not CSV: ${(error as Error).message.slice(0, 200)}`)
  }
  if (addresses.length === 0) throw wrong('too_few', 'It has no addresses: put them under a column email.')
  return addresses
}

function emailColumn(header: readonly string[]): number {
  const column = header.findIndex((name) => name.trim().toLowerCase() === 'email')
  if (column >= 0) return column
  throw wrong('required', 'The first line has no column named email.')
}

const wrong = (code: string, message: string): Problem => {
  const problem: FieldProblem = { path: 'email', code, message }
  return invalidFields([problem])
}

/** Results as a CSV with a line of names; what a spreadsheet would take for a formula is kept from being one. */
export function resultsAsCsv(results: AsyncIterable<object>): Readable {
  const writer = stringify({
    header: true,
    columns: [...COLUMNS],
    escape_formulas: true,
    cast: { boolean: String },
  })
  // A reader learns of an error when the stream breaks off.
  pipeline(Readable.from(results), writer).catch(() => {})
  return writer
}
