// A table of addresses as it comes, of which no cell is lost.

import { type FieldProblem, invalidFields, MAX_PROBLEMS } from '../model/problem.ts'
import { readCsv } from '../tables/csv.ts'
import { type AddressRow, type AddressTable, readAddresses } from './csv.ts'

/** Characters of one row: the reader of the addresses has refused longer ones. */
const MAX_IN_ROW = 1_000_000

/**
 * The addresses of a table, as `readAddresses` finds them. Throws `validation_failed` naming the lines that have more
 * cells than the first: what they hold may stand in another column than its own.
 */
export async function readAddressTable(csv: string, column?: string): Promise<AddressTable> {
  const table = await readAddresses(csv, column)
  const { length } = table.columns
  if (table.rows.some((row) => hasMore(row, length))) throw invalidFields(await surplusCells(csv))
  return table
}

const hasMore = ({ cells }: AddressRow, columns: number): boolean => isSurplus(cells.slice(columns))

/** Empty ones are what a spreadsheet fills rows with. */
const isSurplus = (cells: readonly string[]): boolean => cells.some((cell) => cell.trim() !== '')

/** A problem of each line with surplus cells, of the first hundred of them. */
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
