// The retry schedule of a deferred recipient.

/**
 * Maximum random variation of a wait, as a fraction, so that recipients deferred together are not retried together.
 */
const JITTER = 0.1
/** Additional time in milliseconds for delays caused by an absent node or by a site without a free slot. */
const SPARE_MS = 3_600_000

/**
 * Returns the wait in milliseconds after an attempt; undefined if the schedule has no further attempt, so that the
 * recipient has expired.
 *
 * @param attempt number of the attempt, from 1
 * @param random random number in [0, 1)
 */
export function nextWait(schedule: readonly number[], attempt: number, random: number): number | undefined {
  const wait = schedule[attempt - 1]
  return wait === undefined ? undefined : Math.round(wait * (1 - JITTER + 2 * JITTER * random))
}

/**
 * Returns the time in milliseconds after which a recipient fails, whatever caused the delay: the total of the schedule
 * plus a margin.
 */
export const expiryOf = (schedule: readonly number[]): number =>
  Math.round(schedule.reduce((sum, wait) => sum + wait, 0) * (1 + JITTER)) + SPARE_MS

/** Returns the maximum time in milliseconds between two attempts, plus a margin. */
export const longestWaitOf = (schedule: readonly number[]): number =>
  Math.round(Math.max(...schedule) * (1 + JITTER)) + SPARE_MS
