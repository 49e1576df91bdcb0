// Threads for bulk work, with a lower priority than the event loop and with garbage collection after work.

import { setPriority } from 'node:os'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/**
 * Nice value of bulk threads: the event loop gets about ten times as much CPU time as a bulk thread when CPU time is
 * scarce.
 */
const NICE = 10

/**
 * Makes the calling worker thread a bulk thread. Returns a function that collects the garbage of finished work in a few
 * milliseconds.
 */
export function becomeBulkThread(): () => void {
  // `setPriority` changes only the calling thread on Linux, and the whole process elsewhere (setpriority(2), "BUGS").
  if (process.platform === 'linux' && !isMainThread) setPriority(0, NICE)
  return collector()
}

/** Heap spaces of objects larger than about 128 KiB, which garbage collection does not move. */
const LARGE_OBJECTS: ReadonlySet<string> = new Set(['large_object_space', 'new_large_object_space'])

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/**
 * Returns a function that the calling thread must call after each job. The function collects garbage if large objects
 * take at least `bytes` more bytes than after the last collection. V8 alone would let the heap grow to several times
 * the size of the live objects. V8 itself frees most small objects at lower cost.
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
    // The collection runs after the result has been sent.
    setImmediate(() => {
      collect()
      kept = used()
    })
  }
}
