// Reads a table of addresses, and refuses rows with more cells than columns.

import { type FieldProblem, invalidFields, MAX_PROBLEMS } from '../model/problem.ts'
import { readCsv } from '../tables/csv.ts'
import { type AddressRow, type NamedAddressTable, readAddresses } from './csv.ts'

/** Maximum characters of one row; `readAddresses` has already refused longer rows. */
const MAX_IN_ROW = 1_000_000

/**
 * Returns the addresses of a table, as `readAddresses` does. Throws `validation_failed` with the lines that have more
 * cells than the first line, because their content may be in the wrong column.
 */
export async function readAddressTable(csv: string, column?: string): Promise<NamedAddressTable> {
  const table = await readAddresses(csv, column)
  const { length } = table.columns
  if (table.rows.some((row) => hasMore(row, length))) throw invalidFields(await surplusCells(csv))
  return table
}

const hasMore = ({ cells }: AddressRow, columns: number): boolean => isSurplus(cells.slice(columns))

/** True if a surplus cell has content; spreadsheets fill rows with empty cells. */
const isSurplus = (cells: readonly string[]): boolean => cells.some((cell) => cell.trim() !== '')

/** Returns a problem for each of the first hundred lines with surplus cells. */
async function surplusCells(csv: string): Promise<readonly FieldProblem[]> {
  const problems: FieldProblem[] = []
  let names: number | undefined
  await readCsv(csv, MAX_IN_ROW, (cells, line) => {
    names ??= cells.length
    if (problems.length >= MAX_PROBLEMS || !isSurplus(cells.slice(names))) return
    const message = `Line ${line} has ${cells.length} cells, and the first one ${names}; put cells with a separator into quotes.`
    problems.push({ path: '', code: 'too_many_cells', message, line })
  })
  return problems
}
