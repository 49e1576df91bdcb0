// Worker threads of this process, each with its own heap limits.

import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

// The process starts with a limit for the young generation of the event loop (`bin/node`). V8 would apply the same
// limit to every later thread, regardless of `resourceLimits`; each thread has its own limit after this reset.
setFlagsFromString('--max-semi-space-size=0')

/**
 * Time after which an idle thread ends, in milliseconds: an idle thread holds about 15 MiB, and a new thread starts in
 * a tenth of a second.
 */
export const IDLE_THREAD_MS = 60_000

/** Heap limits of a thread. */
export interface ThreadHeap {
  /**
   * Maximum size of the young generation in MiB, of which V8 keeps up to two thirds reserved; small if all garbage of a
   * step is freed at once.
   */
  readonly youngMb: number
  /** Maximum size of the old generation in MiB; a thread that needs more memory ends. Default: the limit of V8. */
  readonly oldMb?: number
}

/**
 * Starts a worker thread.
 * @param name name of the thread in system tools
 * @param data initial data, as `workerData`
 */
export function startThread(
  program: URL,
  { youngMb, oldMb }: ThreadHeap,
  name?: string,
  data?: unknown,
): Worker {
  return new Worker(program, {
    workerData: data,
    ...(name !== undefined && { name }),
    resourceLimits: {
      maxYoungGenerationSizeMb: youngMb,
      ...(oldMb !== undefined && { maxOldGenerationSizeMb: oldMb }),
    },
  })
}
