// Threads for bulk work: the event loop comes first beside them, and the memory of what they did is given back.

import { setPriority } from 'node:os'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
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
  return collector()
}

/** Spaces of objects over some 128 KiB, which no collection moves. */
const LARGE_OBJECTS: ReadonlySet<string> = new Set(['large_object_space', 'new_large_object_space'])

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/**
 * Answers a function to be called behind each job of the calling thread: once large texts take so many bytes more, those
 * that jobs left behind are collected. V8 would let them gather to several times of what lives; of small objects it frees
 * most itself, at less cost.
 */
export function collectingBeyond(bytes: number): () => void {
  const collect = collector()
  const used = (): number =>
    getHeapSpaceStatistics().reduce(
      (sum, { space_name, space_used_size }) => (LARGE_OBJECTS.has(space_name) ? sum + space_used_size : sum),
      0,
    )
  let kept = used()
  return () => {
    if (used() - kept < bytes) return
    kept = Number.POSITIVE_INFINITY
    // After the result has gone.
    setImmediate(() => {
      collect()
      kept = used()
    })
  }
}
