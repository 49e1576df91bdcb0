// A bulk in the form that the caller parsed, and the conversion of each row to the stored form.

import { hash } from 'node:crypto'
import { isAddress, parseAddress } from '../model/address.ts'
import { BULK_LIMITS, type BulkMessage, type BulkRow } from '../model/bulk.ts'
import { type FieldProblem, invalidFields, type Problem } from '../model/problem.ts'
import type { ReadRow } from '../store/bulk/bulks.ts'
import { legalText } from '../store/database/dialect.ts'

/** A row as parsed by the caller; an invalid row has problems instead of data. */
export interface GivenRow {
  /** Line of the file, from 1. */
  readonly line: number
  readonly row?: BulkRow
  /** The address of the row, if found, which identifies the row. */
  readonly to: string
  readonly problems?: readonly FieldProblem[]
}

/** The message and the rows of a bulk. */
export interface GivenContent {
  readonly message: BulkMessage
  /** Problems of the message's shape, which are reported together with all other problems. */
  readonly shapeProblems: readonly FieldProblem[]
  readonly rows: AsyncIterable<GivenRow>
}

/** Returns the row to store, which is refused if it has problems or no address, or equals an earlier row. */
export function readRow({ line, row, to, problems = [] }: GivenRow, seen: Set<string>): ReadRow {
  const refuse = (found: readonly FieldProblem[], email = to): ReadRow => ({
    ...{ line, email: legalText(email).slice(0, MAX_SHOWN), data: null },
    refusal: JSON.stringify(found),
  })
  if (row === undefined || problems.length > 0) return refuse(problems)
  const address = parseAddress(row.to.email)
  if (!isAddress(address)) {
    const message = `This is not an email address: it ${address.problem}.`
    return refuse([{ path: 'to', code: 'invalid_email', message }])
  }
  const { email } = address
  const data = JSON.stringify(row)
  const key = hash('sha256', `${email} ${data}`, 'base64')
  if (seen.has(key)) {
    const message = 'An earlier line is identical; the message is sent once.'
    return refuse([{ path: '', code: 'duplicate', message }], email)
  }
  seen.add(key)
  return { line, email, data, refusal: null }
}

/** Maximum number of characters of an invalid address that are shown. */
const MAX_SHOWN = 320

/** Returns the refusal of a bulk with too many rows. */
export const tooManyRows = (): Problem => wrong('too_many', `A bulk has at most ${BULK_LIMITS.rows} rows.`)

/** Returns the refusal of a bulk without rows. */
export const noRows = (): Problem =>
  wrong('too_few', 'The list has no rows; put one line for each recipient.')

const wrong = (code: string, message: string): Problem => invalidFields([{ path: '', code, message }])
