// Keeps a process alive until its work has ended, even if the work waits only for unreferenced handles.

/** Maximum timer interval that Node.js supports, in milliseconds. */
const LONGEST_MS = 2_147_483_647

/**
 * Runs `work` and keeps the event loop alive until `work` has settled. Pauses, timeouts and idle threads throughout the
 * program are unreferenced, so that none of these handles delays the end of the process. Without this call, the process
 * would exit with code 13 as soon as its promises wait only for unreferenced handles. The entry point of a process
 * calls this function once.
 */
export async function keptAlive<T>(work: () => Promise<T>): Promise<T> {
  const held = setInterval(() => {}, LONGEST_MS)
  try {
    return await work()
  } finally {
    clearInterval(held)
  }
}
