// The schedule of attempts for a deferred recipient.

/** Each wait varies by up to a tenth, so that recipients that failed together are not attempted together again. */
const JITTER = 0.1
/** Time that an absent node, or a site without a slot, may cost. */
const SPARE_MS = 3_600_000

/**
 * Returns the wait in milliseconds after attempt number `attempt` (from 1); undefined when the schedule is used up
 * and the recipient has expired. `random` is in [0, 1).
 */
export function nextWait(schedule: readonly number[], attempt: number, random: number): number | undefined {
  const wait = schedule[attempt - 1]
  return wait === undefined ? undefined : Math.round(wait * (1 - JITTER + 2 * JITTER * random))
}

/**
 * Returns the time in milliseconds after which a recipient fails for any cause of delay: the schedule plus a margin.
 */
export const expiryOf = (schedule: readonly number[]): number =>
  Math.round(schedule.reduce((sum, wait) => sum + wait, 0) * (1 + JITTER)) + SPARE_MS

/** Returns the longest time in milliseconds between two attempts, plus a margin. */
export const longestWaitOf = (schedule: readonly number[]): number =>
  Math.round(Math.max(...schedule) * (1 + JITTER)) + SPARE_MS
