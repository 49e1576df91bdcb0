// Checks a bulk before the bulk is sent: the message, each row, and the variables that rows lack.

import { BULK_LIMITS } from '../model/bulk.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { Sender } from '../submission/authorize.ts'
import { lackOf, type TemplateVariable } from '../templates/variables.ts'
import type { BulkContents } from './bulk-content.ts'
import { type GivenContent, noRows, readRow, tooManyRows } from './given-bulk.ts'

/** Rows with the same fault. */
interface FaultyRows {
  /** Number of these rows. */
  rows: number
  /** Line of the first of these rows; null if there are none. */
  line: number | null
}

/** Result of the check of a bulk. */
export interface BulkCheck {
  /** Number of rows. */
  readonly total: number
  /** Number of rows that would be refused, including rows that lack a required variable. */
  readonly refused: number
  /** The most frequent reasons for refusals, other than a missing variable. */
  readonly refusals: readonly (FaultyRows & { readonly reason: string })[]
  /** The variables of the content, with the rows that lack them; refused rows of `refusals` are not counted. */
  readonly variables: readonly (FaultyRows & TemplateVariable)[]
}

/** Maximum number of different reasons that are counted, because a reason may quote the row. */
const MAX_COUNTED = 1_000
/** Maximum number of reasons that are returned. */
const MAX_REASONS = 10

/**
 * Checks the message of a bulk, and reads all of its rows as if they were sent. A row is not rendered, so a value that
 * the template cannot print is found only when the bulk is sent. Throws `Problem` for a message that may not be sent,
 * for a file without rows, and for a file with too many rows.
 */
export async function checkBulk(
  contents: BulkContents,
  sender: Sender,
  id: string,
  { message, shapeProblems, rows }: GivenContent,
): Promise<BulkCheck> {
  await contents.prepare(sender, id, message, shapeProblems)
  const found = message.literal === undefined ? await contents.variablesOf(sender, id, message) : []
  const variables = found.map((variable) => ({
    counted: { ...variable, ...noneYet() },
    isLacking: lackOf(variable),
  }))
  const refusals = new Map<string, FaultyRows>()
  const seen = new Set<string>()
  let total = 0
  let refused = 0
  for await (const given of rows) {
    if (++total > BULK_LIMITS.rows) throw tooManyRows()
    const { refusal, line } = readRow(given, seen)
    if (refusal !== null) {
      refused++
      const reason = reasonOf(JSON.parse(refusal))
      const same = refusals.get(reason) ?? noneYet()
      if (refusals.size < MAX_COUNTED || same.rows > 0) refusals.set(reason, withRow(same, line))
      continue
    }
    const model = { ...message.template_model, ...given.row?.template_model }
    const lacking = variables.filter(({ isLacking }) => isLacking(model))
    for (const { counted } of lacking) withRow(counted, line)
    if (lacking.some(({ counted }) => counted.required)) refused++
  }
  if (total === 0) throw noRows()
  return {
    ...{ total, refused },
    refusals: mostFrequent(refusals),
    variables: variables.map(({ counted }) => counted),
  }
}

const noneYet = (): FaultyRows => ({ rows: 0, line: null })

/** Counts a row among rows with the same fault. */
function withRow(same: FaultyRows, line: number): FaultyRows {
  same.rows++
  same.line ??= line
  return same
}

const reasonOf = (problems: readonly FieldProblem[]): string =>
  problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')

const mostFrequent = (refusals: ReadonlyMap<string, FaultyRows>): BulkCheck['refusals'] =>
  [...refusals]
    .map(([reason, faulty]) => ({ reason, ...faulty }))
    .toSorted((one, other) => other.rows - one.rows)
    .slice(0, MAX_REASONS)
