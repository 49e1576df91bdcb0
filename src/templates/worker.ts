// The program of the worker threads for templates.

import { serveJobs } from '../lib/worker-jobs.ts'
import { loadConversion } from './html-conversion.ts'
import { JobRunner, type Jobs } from './jobs.ts'

const runner = new JobRunner(await loadConversion())
serveJobs<Jobs>((kind, job) => runner.run(kind, job))
