// Marks expensive tests, which `npm test` skips and `npm run test:thorough` runs.

/** Tag by which the test runner finds marked tests. */
export const THOROUGH = 'thorough'

/** Minimum length of a reason; a shorter reason explains nothing. */
const MIN_REASON = 12

/**
 * Returns options for a test or a suite that `npm test` skips. A test file that is run by name also runs its marked
 * tests. A line `// thorough: why` at the top of a file marks the whole file; the runner reads this line without
 * loading the file.
 * @param why cost of the test, and the tests of `npm test` that cover a part of the same behaviour
 * @throws Error for a mark without a reason
 */
export function thorough(why: string): { readonly tags: string[] } {
  if (why.trim().length < MIN_REASON) throw new Error('a test marked as thorough needs a reason')
  return { tags: [THOROUGH] }
}
