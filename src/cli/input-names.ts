// Names the inputs of a command in problems that otherwise name fields of the API.

import { invalidFields, Problem } from '../model/problem.ts'

/**
 * Runs `work`; the fields of an invalid request are reported under the names of the inputs of the command.
 * @param names input names of fields of the API, such as `confirm` for `domain`
 */
export async function withInputNames<T>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors.some(({ path }) => path in names)) throw error
    throw invalidFields(error.errors.map((one) => ({ ...one, path: names[one.path] ?? one.path })))
  }
}
