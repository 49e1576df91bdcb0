// When a deferred recipient is tried again.

/** Each wait varies by up to a tenth, so that what failed together does not come back together. */
const JITTER = 0.1

/**
 * The wait in milliseconds after attempt number `attempt` (from 1); undefined when the schedule is used up and the
 * recipient has expired. `random` is in [0, 1).
 */
export function nextWait(schedule: readonly number[], attempt: number, random: number): number | undefined {
  const wait = schedule[attempt - 1]
  return wait === undefined ? undefined : Math.round(wait * (1 - JITTER + 2 * JITTER * random))
}
