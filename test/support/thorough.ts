// The mark of a test that `npm test` leaves out and `npm run test:thorough` runs, because it costs much.

/** Tag by which the runner finds marked tests. */
export const THOROUGH = 'thorough'

/** A reason shorter than this explains nothing. */
const MIN_REASON = 12

/**
 * Returns options of a test or a suite that `npm test` leaves out. A file that is run by its name runs its marked tests
 * as well. A whole file is marked by a line `// thorough: why` at its top, which the runner reads without loading it.
 *
 * @param why what the test costs, and which tests of `npm test` cover part of the same behaviour
 * @throws Error for a mark without a reason
 */
export function thorough(why: string): { readonly tags: string[] } {
  if (why.trim().length < MIN_REASON) throw new Error('a test marked as thorough needs a reason')
  return { tags: [THOROUGH] }
}
