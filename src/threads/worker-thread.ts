// One worker thread: started when it is made, given one job at a time, and ended when a job does not end by itself.

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

/** What a job works with is kept until its end: half of what the event loop has. */
const YOUNG_MB = 24

/**
 * The CPU time of a thread so far, in milliseconds; infinite when it does not tell within `ms`: then it has ended, or one
 * operation has kept it busy all the time.
 */
export async function cpuMsOf(worker: Worker, ms: number): Promise<number> {
  const told = worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1_000,
    () => Number.POSITIVE_INFINITY,
  )
  return Promise.race([told, sleep(ms, Number.POSITIVE_INFINITY, { ref: false })])
}

/** The job that a thread has, and who waits for it. */
interface GivenJob<Jobs extends JobKinds<Jobs>> {
  readonly order: Order<Jobs>
  readonly transferred: readonly Transferable[]
  readonly resolve: (answer: JobAnswer<Jobs> | ReturnedJob<Jobs>) => void
}

/** A thread with everything loaded that jobs need. */
export class WorkerThread<Jobs extends JobKinds<Jobs>> {
  readonly #worker: Worker
  readonly #ready = Promise.withResolvers<void>()
  /** How many jobs the thread has begun, as it counts itself. */
  readonly #begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  /** How many jobs were sent to it. */
  #sent = 0
  #given: GivenJob<Jobs> | undefined
  #isReady = false
  /** Why it takes no more jobs. */
  #endedBy: string | undefined
  /** CPU time of the thread before the present job, in milliseconds. */
  #threadMs = 0

  /** @param program calls `serveJobs` */
  constructor(program: URL, heapMb: number) {
    const start: ThreadStart = { begun: this.#begun }
    this.#worker = startThread(program, { youngMb: YOUNG_MB, oldMb: heapMb }, undefined, start)
    this.#worker.unref()
    // In the order in which they come: the end of the thread comes behind its answers.
    const inTurn = inBatches((act: () => void) => act())
    this.#worker.on('message', (answer: Answer<Jobs>) => inTurn(() => this.#hear(answer)))
    this.#worker.on('exit', () => inTurn(() => this.#die('its thread has ended')))
    // An error comes by another way than answers, and may be ahead of one; none is left when the thread has ended.
    this.#worker.on('error', (error) => {
      this.#endedBy ??= String(error)
    })
  }

  /** The thread was ended, or came to its end: it takes no more jobs. */
  get isDead(): boolean {
    return this.#endedBy !== undefined
  }

  /** Resolves when jobs begin at once, or never will. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /**
   * Does a job. Resolves in any case, also when the thread ends: with the job itself if the thread was ready and has come
   * to its end before it began the job. Throws for a job that cannot be sent.
   */
  async run(
    order: Order<Jobs>,
    transferred: readonly Transferable[],
  ): Promise<JobAnswer<Jobs> | ReturnedJob<Jobs>> {
    if (this.#endedBy !== undefined) return this.#notBegun(this.#endedBy, order, transferred)
    this.#worker.postMessage({ ...order, transferred } satisfies SentOrder<Jobs>, transferred)
    this.#sent++
    // What is awaited keeps the process from ending.
    this.#worker.ref()
    return new Promise((resolve) => {
      this.#given = { order, transferred, resolve }
    })
  }

  /** The CPU time of the present job so far, as `cpuMsOf` tells it. */
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
      // The thread answers the job that it has, or was sent meanwhile.
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
    // Buffers that went over have gone with the thread.
    if (Atomics.load(this.#begun, 0) < this.#sent && transferred.length === 0)
      this.#answer(this.#notBegun(reason, order, transferred))
    else this.#answer({ kind: 'failed', reason, cpuMs: 0 })
  }

  /** A thread that cannot start would not do it the next time either. */
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
