// Threads for bulk work, with a lower priority than the event loop, and with garbage collection after work.

import { setPriority } from 'node:os'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** Nice value of these threads: with a scarce CPU, the event loop gets about ten times as much of it. */
const NICE = 10

/**
 * Makes the calling worker thread one for bulk work. Returns a function that collects the garbage of finished work,
 * which takes a few milliseconds.
 */
export function becomeBulkThread(): () => void {
  // On Linux this is the priority of the calling thread alone, elsewhere of the process (setpriority(2), "BUGS").
  if (process.platform === 'linux' && !isMainThread) setPriority(0, NICE)
  return collector()
}

/** Heap spaces of objects over some 128 KiB, which no collection moves. */
const LARGE_OBJECTS: ReadonlySet<string> = new Set(['large_object_space', 'new_large_object_space'])

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/**
 * Returns a function to call after each job of the calling thread, which collects garbage when large texts take this
 * many more bytes. V8 alone would let the heap grow to several times the live objects; V8 frees most small objects
 * itself, at lower cost.
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
    // Collects after the result has been sent.
    setImmediate(() => {
      collect()
      kept = used()
    })
  }
}
