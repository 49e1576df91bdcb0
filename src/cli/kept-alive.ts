// Keeps a process alive until its work has ended, whatever the work waits for.

/** The longest interval that Node supports, in milliseconds. */
const LONGEST_MS = 2_147_483_647

/**
 * Runs `work` and keeps the event loop alive until it has ended. Pauses, timeouts and idle threads throughout the
 * program are unreferenced, so that none of them delays an end; without this call the process would end with code 13
 * as soon as only such a handle could settle its promises. Called once, by the entry point of a process.
 */
export async function keptAlive<T>(work: () => Promise<T>): Promise<T> {
  const held = setInterval(() => {}, LONGEST_MS)
  try {
    return await work()
  } finally {
    clearInterval(held)
  }
}
