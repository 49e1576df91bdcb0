// The pool of worker threads for template jobs: fair among accounts, and without delays of other jobs by long jobs.

import { availableParallelism } from 'node:os'
import { CONTENT_BYTES } from '../lib/content-memory.ts'
import { Problem } from '../model/problem.ts'
import type { JobKinds } from '../threads/worker-jobs.ts'
import { FairThreads, type JobTimes, type WorkFor } from '../threads/worker-pool.ts'
import { CannotConvert } from './html-conversion.ts'
import type { Jobs } from './jobs.ts'

export type { WorkFor } from '../threads/worker-pool.ts'

/** Runs template jobs; a pool that runs further kinds of jobs is one as well. */
export interface TemplateThreads {
  run<Kind extends keyof Jobs>(
    workFor: WorkFor,
    kind: Kind,
    job: Jobs[Kind]['job'],
    weight: number,
  ): Promise<Jobs[Kind]['result']>
}

/** Time limits of jobs in milliseconds; a job for real mail takes under 10 ms. */
const TIMES: JobTimes = { firstSlice: 200, long: 3_000 }
/**
 * Maximum total weight of waiting jobs in characters, of which one account may use a quarter, and the weight that is
 * added to each job.
 */
const MAX_WAITING = CONTENT_BYTES.template_texts()
const JOB_WEIGHT = 40_000
/** Maximum heap of a thread; a message has at most a few megabytes. */
const HEAP_MB = 128

/**
 * Runs template jobs. `run` takes the number of characters of the texts as the weight of a job. The result of `run`
 * rejects with `CannotConvert` if the job fails or takes too long. The result rejects with `Problem` `unavailable` if
 * too many jobs are waiting (in total or for this account), if the client has disconnected, or if the node stops.
 */
export class WorkerPool<All extends Jobs & JobKinds<All> = Jobs> extends FairThreads<All> {
  readonly name = 'template workers'

  /** @param program program of the threads, which may run further kinds of jobs */
  constructor(times: JobTimes = TIMES, program: URL = new URL('./worker.ts', import.meta.url)) {
    super({
      program,
      heapMb: HEAP_MB,
      maxQuick: Math.max(1, Math.min(4, availableParallelism() - 1)),
      ...{ times, maxWaiting: MAX_WAITING, jobWeight: JOB_WEIGHT },
      failed: (reason) => new CannotConvert(reason),
      refused: {
        full: () =>
          new Problem('unavailable', 'Too many templates are being rendered at once; please try again.', {
            retryAfter: 1,
          }),
        gone: () => new Problem('unavailable', 'The client has gone.'),
      },
      stopped: () =>
        new Problem('unavailable', 'This node is stopping; please try again.', { retryAfter: 1 }),
    })
  }
}
