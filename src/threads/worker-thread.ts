// A worker thread that gets one job at a time, and is ended if a job does not end by itself.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Transferable, Worker } from 'node:worker_threads'
import { inBatches } from './message-batching.ts'
import { startThread } from './thread.ts'
import type {
  Answer,
  JobAnswer,
  JobKinds,
  Order,
  ReturnedJob,
  SentOrder,
  ThreadStart,
} from './worker-jobs.ts'

/**
 * Size of the young generation in MiB: half as large as in the main thread, because objects of a job live until the end
 * of the job.
 */
const YOUNG_MB = 24

/**
 * Returns the CPU time of a thread in milliseconds. Returns infinity if the thread does not report within `ms`, because
 * the thread has ended or one operation has blocked the thread all the time.
 */
async function cpuMsOf(worker: Worker, ms: number): Promise<number> {
  const usage = worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1_000,
    () => Number.POSITIVE_INFINITY,
  )
  return Promise.race([usage, sleep(ms, Number.POSITIVE_INFINITY, { ref: false })])
}

/** The current job of a thread, and the callback for the result. */
interface GivenJob<Jobs extends JobKinds<Jobs>> {
  readonly order: Order<Jobs>
  readonly transferred: readonly Transferable[]
  readonly resolve: (answer: JobAnswer<Jobs> | ReturnedJob<Jobs>) => void
}

/** A worker thread with a program that is loaded once for all jobs. */
export class WorkerThread<Jobs extends JobKinds<Jobs>> {
  readonly #worker: Worker
  readonly #ready = Promise.withResolvers<void>()
  /** Number of jobs that the thread has begun, counted by the thread. */
  readonly #begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  /** Number of jobs sent to the thread. */
  #sent = 0
  #given: GivenJob<Jobs> | undefined
  #isReady = false
  /** Reason why the thread takes no more jobs. */
  #endedBy: string | undefined
  /** CPU time of the thread before the current job, in milliseconds. */
  #threadMs = 0

  /** @param program program that calls `serveJobs` */
  constructor(program: URL, heapMb: number) {
    const start: ThreadStart = { begun: this.#begun }
    this.#worker = startThread(program, { youngMb: YOUNG_MB, oldMb: heapMb }, undefined, start)
    this.#worker.unref()
    // Events are handled in the order of arrival, so that the end of the thread comes after the thread's answers.
    const inTurn = inBatches((act: () => void) => act())
    this.#worker.on('message', (answer: Answer<Jobs>) => inTurn(() => this.#hear(answer)))
    this.#worker.on('exit', () => inTurn(() => this.#die('its thread has ended')))
    // An error arrives on another channel than answers, possibly earlier; all answers have arrived when the thread
    // has exited.
    this.#worker.on('error', (error) => {
      this.#endedBy ??= String(error)
    })
  }

  /** True if the thread has ended and takes no more jobs. */
  get isDead(): boolean {
    return this.#endedBy !== undefined
  }

  /** Resolves when the thread can begin a job without delay, or has ended. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /**
   * Runs a job. Always resolves, even if the thread ends; resolves to the returned job if the thread was ready and
   * ended before beginning the job. Throws for a job that cannot be sent.
   */
  async run(
    order: Order<Jobs>,
    transferred: readonly Transferable[],
  ): Promise<JobAnswer<Jobs> | ReturnedJob<Jobs>> {
    if (this.#endedBy !== undefined) return this.#notBegun(this.#endedBy, order, transferred)
    this.#worker.postMessage({ ...order, transferred } satisfies SentOrder<Jobs>, transferred)
    this.#sent++
    // A pending job keeps the process alive.
    this.#worker.ref()
    return new Promise((resolve) => {
      this.#given = { order, transferred, resolve }
    })
  }

  /** Returns the CPU time of the current job in milliseconds, or infinity like `cpuMsOf`. */
  async cpuMs(ms: number): Promise<number> {
    return (await cpuMsOf(this.#worker, ms)) - this.#threadMs
  }

  async end(): Promise<void> {
    this.#die('it was ended')
    await this.#worker.terminate()
  }

  #hear(answer: Answer<Jobs>): void {
    this.#threadMs = answer.threadMs
    if (answer.kind === 'ready') {
      this.#isReady = true
      this.#ready.resolve()
    } else if (answer.kind === 'over') {
      this.#endedBy ??= answer.reason
      // The thread still finishes its current job.
      if (this.#given === undefined) void this.end()
    } else {
      if (answer.kind === 'returned') this.#endedBy ??= answer.reason
      this.#answer(answer)
    }
  }

  #die(why: string): void {
    this.#endedBy ??= why
    this.#ready.resolve()
    if (this.#given === undefined) return
    const { order, transferred } = this.#given
    const reason = this.#endedBy
    // Transferred buffers are lost with the thread.
    if (Atomics.load(this.#begun, 0) < this.#sent && transferred.length === 0)
      this.#answer(this.#notBegun(reason, order, transferred))
    else this.#answer({ kind: 'failed', reason, cpuMs: 0 })
  }

  /**
   * Returns the outcome of a job that was not begun. The job fails if the thread never started, because another thread
   * would not start either.
   */
  #notBegun(
    reason: string,
    order: Order<Jobs>,
    transferred: readonly Transferable[],
  ): JobAnswer<Jobs> | ReturnedJob<Jobs> {
    return this.#isReady
      ? { kind: 'returned', reason, order, transferred }
      : { kind: 'failed', reason, cpuMs: 0 }
  }

  #answer(answer: JobAnswer<Jobs> | ReturnedJob<Jobs>): void {
    const given = this.#given
    this.#given = undefined
    this.#worker.unref()
    given?.resolve(answer)
  }
}
