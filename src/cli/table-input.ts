// Reads a CSV table from standard input, with error messages for the command line instead of the API.

import { API_REMEDIES } from '../model/address-column.ts'
import { Problem } from '../model/problem.ts'
import type { Context } from './command.ts'

/**
 * Passes the table on standard input to `read`. The error messages of `read` name parameters of the API, which uses the
 * same readers; this function removes the parameters from the messages.
 */
export async function readTable<T>(context: Context, read: (csv: string) => Promise<T>): Promise<T> {
  const csv = await context.readInput()
  try {
    return await read(csv)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const errors = error.errors.map((one) => ({ ...one, message: inOurWords(one.message) }))
    throw new Problem(error.code, inOurWords(error.message).replace(/^email: /, 'Standard input: '), {
      errors,
    })
  }
}

const inOurWords = (message: string): string =>
  API_REMEDIES.reduce((text, remedy) => text.replace(remedy, ''), message).replace(
    /^The body is not CSV/,
    'Standard input is not CSV',
  )
