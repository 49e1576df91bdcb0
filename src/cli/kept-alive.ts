// Keeps a process running for as long as its work goes on, whatever the work waits for.

/** The longest interval that Node has, in milliseconds. */
const LONGEST_MS = 2_147_483_647

/**
 * Does `work` and keeps the event loop alive until it has ended. Pauses, time limits and idle threads throughout the
 * program are unreferenced, so that none of them delays an end; without this the process would end with code 13 as soon
 * as nothing but such a handle could settle what it awaits. The entry point of a process holds it, once for all.
 */
export async function keptAlive<T>(work: () => Promise<T>): Promise<T> {
  const held = setInterval(() => {}, LONGEST_MS)
  try {
    return await work()
  } finally {
    clearInterval(held)
  }
}
