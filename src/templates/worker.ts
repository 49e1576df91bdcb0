// The program of the worker threads for templates.

import { collectingBeyond } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { loadConversion } from './html-conversion.ts'
import { JobRunner, type Jobs } from './jobs.ts'

/** Garbage that triggers a collection, in bytes: rendering a megabyte leaves several megabytes of garbage. */
const MAX_GARBAGE = 8 * 1024 * 1024

const runner = new JobRunner(await loadConversion())
const collectGarbage = collectingBeyond(MAX_GARBAGE)

serveJobs<Jobs>(
  (kind, job) => runner.run(kind, job),
  () => {
    collectGarbage()
    return []
  },
)
