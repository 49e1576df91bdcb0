// One worker thread: started when it is made, given one job at a time, and ended when a job does not end by itself.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Transferable, Worker } from 'node:worker_threads'
import { startThread } from './thread.ts'
import { inShortTurns } from './thread-answers.ts'
import type { Answer, JobAnswer, JobKinds, Order } from './worker-jobs.ts'

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

/** A thread with everything loaded that jobs need. */
export class WorkerThread<Jobs extends JobKinds<Jobs>> {
  readonly #worker: Worker
  readonly #ready = Promise.withResolvers<void>()
  #answered: ((answer: JobAnswer<Jobs>) => void) | undefined
  /** CPU time of the thread before the present job, in milliseconds. */
  #threadMs = 0
  /** The thread was ended, or came to its end: it takes no more jobs. */
  isDead = false

  /** @param program calls `serveJobs` */
  constructor(program: URL, heapMb: number) {
    this.#worker = startThread(program, { youngMb: YOUNG_MB, oldMb: heapMb })
    this.#worker.unref()
    const hear = (answer: Answer<Jobs>): void => {
      this.#threadMs = answer.threadMs
      if (answer.kind === 'ready') this.#ready.resolve()
      else this.#answer(answer)
    }
    this.#worker.on('message', inShortTurns(hear))
    this.#worker.on('error', (error) => this.#die(String(error)))
    this.#worker.on('exit', () => this.#die('its thread has ended'))
  }

  /** Resolves when jobs begin at once, or never will. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Does a job. Resolves in any case, also when the thread ends. Throws for a job that cannot be sent. */
  run(order: Order<Jobs>, transferred: readonly Transferable[]): Promise<JobAnswer<Jobs>> {
    this.#worker.postMessage(order, transferred)
    // What is awaited keeps the process from ending.
    this.#worker.ref()
    return new Promise((resolve) => {
      this.#answered = resolve
      if (this.isDead) this.#die('its thread has ended')
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

  #die(reason: string): void {
    this.isDead = true
    this.#ready.resolve()
    this.#answer({ kind: 'failed', reason, cpuMs: 0 })
  }

  #answer(answer: JobAnswer<Jobs>): void {
    const answered = this.#answered
    this.#answered = undefined
    this.#worker.unref()
    answered?.(answer)
  }
}
