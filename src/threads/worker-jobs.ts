// The program of a worker thread: does one job after the other and tells the CPU time that each took.

import { AsyncLocalStorage } from 'node:async_hooks'
import { parentPort, type Transferable, workerData } from 'node:worker_threads'

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

/** A job that its thread has not begun, since that came to its end before; another thread may do it. */
export interface ReturnedJob<Jobs extends JobKinds<Jobs>> {
  readonly kind: 'returned'
  readonly reason: string
  readonly order: Order<Jobs>
  readonly transferred: readonly Transferable[]
}

/** What is sent to a thread: a job, and its buffers that go over without being copied. */
export interface SentOrder<Jobs extends JobKinds<Jobs>> extends Order<Jobs> {
  readonly transferred: readonly Transferable[]
}

/** What a thread starts with. */
export interface ThreadStart {
  /** How many jobs the thread has begun so far; readable when it has ended, too. */
  readonly begun: Int32Array<SharedArrayBuffer>
}

/**
 * Messages of a thread: one when it is ready, then an answer to each job, and one when something has failed that no job
 * under way has caused, whereupon the thread begins no more jobs; with its CPU time so far, in milliseconds.
 */
export type Answer<Jobs extends JobKinds<Jobs>> = (
  | { readonly kind: 'ready' }
  | { readonly kind: 'over'; readonly reason: string }
  | JobAnswer<Jobs>
  | ReturnedJob<Jobs>
) & { readonly threadMs: number }

type Outcome<Jobs extends JobKinds<Jobs>> = { readonly result: ResultOf<Jobs> } | { readonly reason: string }

/** Tells by which job something was set off that fails later: the number of that job. */
const cause = new AsyncLocalStorage<number>()

/**
 * Does the jobs that are sent to this thread, one at a time. An error that nothing catches fails the job that caused it;
 * when that one has been answered, the job under way goes on to its end, and jobs that come later are returned.
 *
 * @param run does one; what it throws is the reason why the job failed
 * @param transferred the buffers of a result that go back without being copied
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
