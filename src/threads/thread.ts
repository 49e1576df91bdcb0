// Worker threads of this process, each with a heap of its own size.

import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

// The process is started with a limit for the young generation of the event loop (`bin/node`). V8 would give the same to
// every thread that is made later, whatever `resourceLimits` says; without it they have their own.
setFlagsFromString('--max-semi-space-size=0')

/**
 * Time after which a thread that nobody has had work for is ended, in milliseconds: it holds some 15 MiB, and another one
 * starts in a tenth of a second.
 */
export const IDLE_THREAD_MS = 60_000

/** Limits of a thread's heap. */
export interface ThreadHeap {
  /** The young generation, of which V8 keeps up to two thirds in hand, in MiB: small where all garbage of a step is freed at once. */
  readonly youngMb: number
  /** The old generation, in MiB; the thread ends when it needs more. V8's own limit unless it is given. */
  readonly oldMb?: number
}

/**
 * Starts a worker thread.
 *
 * @param name by which the system shows it among the threads
 * @param data that the thread starts with, as `workerData`
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
