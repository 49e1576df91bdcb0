// Finds the address column of a table, by its name or by an address in the first row.

import { doubleEmailColumn, emailColumn } from '../tables/csv.ts'
import { isAddress, parseAddress } from './address.ts'
import { type FieldProblem, invalidFields } from './problem.ts'

/** Maximum number of column names offered as choices. */
const MAX_CHOICES = 500

/** Remedies that only the API offers, where a query parameter can name the column. */
const NAME_IT = ', or name it with ?column='
const NAME_ONE = ', or name the one to take with ?column='
export const API_REMEDIES: readonly string[] = [NAME_IT, NAME_ONE]

export interface AddressColumn {
  /** Index of the column. */
  readonly at: number
  /** False if the first row contains an address instead of column names. */
  readonly isHeader: boolean
}

/**
 * Returns the address column: the column that `wanted` names, a column with a usual name (`email`, `E-Mail`, `Email
 * address` …), or the column of the first address if the first row is no header. Throws `validation_failed` with the
 * possible names if there is no such column or more than one.
 */
export function addressColumn(firstRow: readonly string[], wanted?: string): AddressColumn {
  const names = firstRow.map((name) => name.trim())
  const named = emailColumn(names, wanted)
  if (named >= 0) {
    const problem = doubleAddressColumn(names, named, wanted)
    if (problem !== undefined) throw invalidFields([{ ...problem, path: 'email' }])
    return { at: named, isHeader: true }
  }
  const at = wanted === undefined ? names.findIndex((name) => isAddress(parseAddress(name))) : -1
  if (at >= 0) return { at, isHeader: false }
  const choices = [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_CHOICES)
  const found = choices.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 40)))
  const name = wanted ?? 'email'
  const message = `The first line has no column named ${name}; it has ${found.join(', ')}. Call the column of the addresses email${NAME_IT}.`
  throw invalidFields([{ path: 'email', code: 'required', message, choices }])
}

/** Returns the problem of a table with two possible address columns, one of which would be ignored silently. */
export function doubleAddressColumn(
  names: readonly string[],
  at: number,
  wanted?: string,
): Omit<FieldProblem, 'path'> | undefined {
  const [first, second] = doubleEmailColumn(names, at, wanted)?.map((name) => name.slice(0, 40)) ?? []
  if (first === undefined || second === undefined) return undefined
  const code = 'duplicate_column'
  if (first.toLowerCase() === second.toLowerCase()) {
    return { code, message: `There are two columns "${first}"; keep one.` }
  }
  const message = `There are two columns of addresses, "${first}" and "${second}"; keep one${NAME_ONE}.`
  return { code, message, choices: [first, second] }
}
