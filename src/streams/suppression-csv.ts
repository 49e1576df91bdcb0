// Suppressions as CSV: read from what other services export, and written so that it can be read again.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { stringify } from 'csv-stringify'
import { invalidFields, Problem } from '../model/problem.ts'
import { MOST_SUPPRESSIONS } from '../model/suppression.ts'
import type { Suppression } from '../store/suppressions.ts'
import type { SuppressionInput } from './suppressing.ts'

const SLICE = 64 * 1024
const COLUMNS = ['email', 'stream', 'reason', 'origin', 'created_at'] as const

/**
 * The rows of a CSV with a column `email`, and `stream` and `reason` where there are such. Throws `malformed_request`
 * for what is no CSV, `validation_failed` without that column, without rows, or with more than 100,000.
 */
export async function readSuppressions(csv: string): Promise<SuppressionInput[]> {
  const parser = parse({
    bom: true,
    delimiter: [',', ';', '\t'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 100_000,
  })
  const inputs: SuppressionInput[] = []
  let columns: ReturnType<typeof columnsOf> | undefined
  try {
    await pipeline(Readable.from(slices(csv)), parser, async (rows: AsyncIterable<string[]>) => {
      for await (const row of rows) {
        if (columns === undefined) columns = columnsOf(row)
        else if (row[columns.email]?.trim()) inputs.push(inputOf(row, columns))
        if (inputs.length > MOST_SUPPRESSIONS) {
          throw wrong('too_many', `It has more than ${MOST_SUPPRESSIONS} addresses.`)
        }
      }
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('malformed_request', `The body is not CSV: ${(error as Error).message.slice(0, 200)}`)
  }
  if (inputs.length === 0) throw wrong('too_few', 'It has no addresses: put them under a column email.')
  return inputs
}

/** A piece at a time, so that other requests are served in between. */
function* slices(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += SLICE) yield text.slice(from, from + SLICE)
}

function columnsOf(header: readonly string[]) {
  const names = header.map((name) => name.trim().toLowerCase())
  const email = names.indexOf('email')
  if (email < 0) throw wrong('required', 'Its first line names no column email.')
  return { email, stream: names.indexOf('stream'), reason: names.indexOf('reason') }
}

function inputOf(row: readonly string[], columns: ReturnType<typeof columnsOf>): SuppressionInput {
  const cell = (column: number): string | undefined => row[column]?.trim() || undefined
  return {
    // What kept a spreadsheet from taking it for a formula.
    email: (cell(columns.email) ?? '').replace(/^'(?=[=+\-@])/, ''),
    stream: cell(columns.stream),
    reason: cell(columns.reason),
  }
}

const wrong = (code: string, message: string): Problem => invalidFields([{ path: 'email', code, message }])

/** A CSV with a line of names; what a spreadsheet would take for a formula is kept from being one. */
export function suppressionsAsCsv(suppressions: AsyncIterable<Suppression>): Readable {
  const writer = stringify({ header: true, columns: [...COLUMNS], escape_formulas: true })
  // Whoever reads it hears of an error by the stream's breaking off.
  pipeline(Readable.from(shown(suppressions)), writer).catch(() => {})
  return writer
}

async function* shown(suppressions: AsyncIterable<Suppression>): AsyncGenerator<object> {
  for await (const one of suppressions) yield suppressionView(one)
}

/** A suppression as it is shown. */
export const suppressionView = ({ email, stream, reason, message_id, created_at }: Suppression) => ({
  email,
  stream,
  reason,
  origin: message_id === null ? ('customer' as const) : ('recipient' as const),
  message_id,
  created_at: new Date(created_at).toISOString(),
})
