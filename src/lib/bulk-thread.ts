// Threads for bulk work, beside which the event loop comes first and the memory of what they did is given back at once.

import { setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** Nice value of these threads: where the CPU is scarce, the event loop gets about ten times as much of it. */
const NICE = 10

/**
 * Makes the calling worker thread one for bulk work; answers a function that gives back the memory of a piece of work
 * that has ended, which takes a few milliseconds.
 */
export function becomeBulkThread(): () => void {
  // On Linux this is the priority of the calling thread alone, elsewhere that of the process (setpriority(2), "BUGS").
  if (process.platform === 'linux' && !isMainThread) setPriority(0, NICE)
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
