// The program of a worker thread: does one job after the other and tells the CPU time that each took.

import { parentPort, type Transferable } from 'node:worker_threads'

/** The kinds of jobs that a thread does, with what each takes and gives. All of it can be sent to a thread. */
export type JobKinds<Jobs> = {
  readonly [Kind in keyof Jobs]: { readonly job: unknown; readonly result: unknown }
}
export type JobOf<Jobs extends JobKinds<Jobs>> = Jobs[keyof Jobs]['job']
export type ResultOf<Jobs extends JobKinds<Jobs>> = Jobs[keyof Jobs]['result']

/** A job as it is sent to a thread. */
export interface Order<Jobs extends JobKinds<Jobs>> {
  readonly kind: keyof Jobs
  readonly job: JobOf<Jobs>
}

/** Result of a job, with the CPU time that it took, in milliseconds. */
export type JobAnswer<Jobs extends JobKinds<Jobs>> =
  | { readonly kind: 'done'; readonly result: ResultOf<Jobs>; readonly cpuMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly cpuMs: number }

/** Messages of a thread: one when it is ready, then an answer to each job; with its CPU time so far, in milliseconds. */
export type Answer<Jobs extends JobKinds<Jobs>> = ({ readonly kind: 'ready' } | JobAnswer<Jobs>) & {
  readonly threadMs: number
}

/**
 * Does the jobs that are sent to this thread, one at a time.
 *
 * @param run does one; what it throws is the reason why the job failed
 * @param transferred the buffers of a result that go back without being copied
 */
export function serveJobs<Jobs extends JobKinds<Jobs>>(
  run: (kind: keyof Jobs, job: JobOf<Jobs>) => ResultOf<Jobs> | Promise<ResultOf<Jobs>>,
  transferred: (result: ResultOf<Jobs>) => readonly Transferable[] = () => [],
): void {
  const answer = (message: Answer<Jobs>, buffers: readonly Transferable[] = []): void =>
    parentPort?.postMessage(message, [...buffers])
  parentPort?.on('message', async ({ kind, job }: Order<Jobs>) => {
    const before = threadCpuMs()
    let outcome: { readonly result: ResultOf<Jobs> } | { readonly reason: string }
    try {
      outcome = { result: await run(kind, job) }
    } catch (error) {
      outcome = { reason: String(error) }
    }
    const threadMs = threadCpuMs()
    const cpuMs = threadMs - before
    if ('reason' in outcome) answer({ kind: 'failed', ...outcome, cpuMs, threadMs })
    else answer({ kind: 'done', ...outcome, cpuMs, threadMs }, transferred(outcome.result))
  })
  answer({ kind: 'ready', threadMs: threadCpuMs() })
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
