// Confirmation of a deletion that cannot be undone: the caller repeats the name of the object.

import { invalidFields } from './problem.ts'

/**
 * Throws `validation_failed` unless the caller has repeated the name of the object that is to be deleted. Letter case
 * and white space around the name do not count.
 *
 * @param what word for the object, such as `domain`
 * @param names spellings of the name, such as a domain name in A-labels and in U-labels; the problem shows the first
 */
export function requireConfirmed(
  given: string | undefined,
  what: string,
  names: readonly [string, ...string[]],
): void {
  const typed = given?.trim().toLowerCase()
  if (names.some((name) => name.trim().toLowerCase() === typed)) return
  const [name] = names
  throw invalidFields([
    given === undefined
      ? {
          path: 'confirm',
          code: 'required',
          message: `Confirm the deletion of the ${what} with ?confirm=${encodeURIComponent(name)}.`,
        }
      : {
          path: 'confirm',
          code: 'not_confirmed',
          message: `Repeat the name of the ${what}, ${name}, to delete it.`,
        },
  ])
}
