// The program of a worker thread: runs one job after another and reports the CPU time of each job.

import { AsyncLocalStorage } from 'node:async_hooks'
import { parentPort, type Transferable, workerData } from 'node:worker_threads'

/** The kinds of jobs of a thread; all arguments and results must be sendable between threads. */
export type JobKinds<Jobs> = {
  readonly [Kind in keyof Jobs]: { readonly job: unknown; readonly result: unknown }
}
export type JobOf<Jobs extends JobKinds<Jobs>> = Jobs[keyof Jobs]['job']
export type ResultOf<Jobs extends JobKinds<Jobs>> = Jobs[keyof Jobs]['result']

/** A job in the form sent to a thread. */
export interface Order<Jobs extends JobKinds<Jobs>> {
  readonly kind: keyof Jobs
  readonly job: JobOf<Jobs>
}

/** Result of a job, with the CPU time of the job in milliseconds. */
export type JobAnswer<Jobs extends JobKinds<Jobs>> =
  | { readonly kind: 'done'; readonly result: ResultOf<Jobs>; readonly cpuMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly cpuMs: number }

/** A job that a thread returned because the thread ended before beginning the job; another thread may run the job. */
export interface ReturnedJob<Jobs extends JobKinds<Jobs>> {
  readonly kind: 'returned'
  readonly reason: string
  readonly order: Order<Jobs>
  readonly transferred: readonly Transferable[]
}

/** A job sent to a thread, with the buffers that are transferred with the job. */
export interface SentOrder<Jobs extends JobKinds<Jobs>> extends Order<Jobs> {
  readonly transferred: readonly Transferable[]
}

/** Initial data of a thread. */
export interface ThreadStart {
  /** Number of jobs that the thread has begun; readable after the end of the thread. */
  readonly begun: Int32Array<SharedArrayBuffer>
}

/**
 * Messages from a thread: a message when the thread is ready, an answer for each job, and a message about a failure
 * that no running job has caused, after which the thread begins no more jobs. Each message contains the CPU time of the
 * thread so far, in milliseconds.
 */
export type Answer<Jobs extends JobKinds<Jobs>> = (
  | { readonly kind: 'ready' }
  | { readonly kind: 'over'; readonly reason: string }
  | JobAnswer<Jobs>
  | ReturnedJob<Jobs>
) & { readonly threadMs: number }

type Outcome<Jobs extends JobKinds<Jobs>> = { readonly result: ResultOf<Jobs> } | { readonly reason: string }

/** Number of the job that started the current work, to which later failures are attributed. */
const cause = new AsyncLocalStorage<number>()

/**
 * Runs the jobs sent to this thread, one at a time. An uncaught error fails the job that caused the error. If the job
 * that caused the error has already ended, the current job continues to its end, and later jobs are returned.
 * @param run runs one job; a thrown error is the reason of the failure
 * @param transferred returns the buffers of a result that are transferred without a copy
 */
export function serveJobs<Jobs extends JobKinds<Jobs>>(
  run: (kind: keyof Jobs, job: JobOf<Jobs>) => ResultOf<Jobs> | Promise<ResultOf<Jobs>>,
  transferred: (result: ResultOf<Jobs>) => readonly Transferable[] = () => [],
): void {
  const { begun } = workerData as ThreadStart
  const answer = (
    message: Answer<Jobs> extends infer One ? (One extends unknown ? Omit<One, 'threadMs'> : never) : never,
    buffers: readonly Transferable[] = [],
  ): void => parentPort?.postMessage({ ...message, threadMs: threadCpuMs() }, [...buffers])
  let endedBy: string | undefined
  let underWay: { readonly job: number; readonly before: number } | undefined

  const end = (job: number, outcome: Outcome<Jobs>): void => {
    if (underWay?.job !== job) return
    const cpuMs = threadCpuMs() - underWay.before
    if ('result' in outcome) answer({ kind: 'done', ...outcome, cpuMs }, transferred(outcome.result))
    else answer({ kind: 'failed', ...outcome, cpuMs })
    underWay = undefined
  }

  const begin = async (job: number, order: Order<Jobs>): Promise<void> => {
    try {
      end(job, { result: await run(order.kind, order.job) })
    } catch (error) {
      end(job, { reason: String(error) })
    }
  }

  process.on('uncaughtException', (error) => {
    const reason = String(error)
    endedBy ??= reason
    const { job } = underWay ?? {}
    if (job !== undefined && job === (cause.getStore() ?? job)) end(job, { reason })
    else answer({ kind: 'over', reason })
  })
  parentPort?.on('message', ({ transferred, ...order }: SentOrder<Jobs>) => {
    if (endedBy !== undefined) {
      answer({ kind: 'returned', reason: endedBy, order, transferred }, transferred)
      return
    }
    const job = Atomics.add(begun, 0, 1) + 1
    underWay = { job, before: threadCpuMs() }
    void cause.run(job, begin, job, order)
  })
  answer({ kind: 'ready' })
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
