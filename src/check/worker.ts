// The program of the worker threads of a node that checks messages: template jobs and checks.

import { loadConversion } from '../templates/html-conversion.ts'
import { JobRunner, type Jobs } from '../templates/jobs.ts'
import { collectingBeyond } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import type { CheckJobs } from './jobs.ts'

/** Garbage that triggers a collection, in bytes: rendering a megabyte leaves several megabytes of garbage. */
const MAX_GARBAGE = 8 * 1024 * 1024

const runner = new JobRunner(await loadConversion())
const collectGarbage = collectingBeyond(MAX_GARBAGE)

serveJobs<Jobs & CheckJobs>(
  async (kind, job) => {
    if (kind !== 'checkMail' && kind !== 'checkRaw') return runner.run(kind, job as Jobs[keyof Jobs]['job'])
    // A node without checks loads neither the rules nor the table of mail programs.
    const { runCheck } = await import('./jobs.ts')
    return runCheck(kind, job as CheckJobs[keyof CheckJobs]['job'])
  },
  () => {
    collectGarbage()
    return []
  },
)
