// A pool of worker threads that is fair to accounts, and in which long jobs do not delay other jobs.

import type { Transferable } from 'node:worker_threads'
import type { Part } from '../lib/lifecycle.ts'
import { FairQueue } from './fair-queue.ts'
import { IDLE_THREAD_MS } from './thread.ts'
import type { JobAnswer, JobKinds, Order, ResultOf, ReturnedJob } from './worker-jobs.ts'
import { WorkerThread } from './worker-thread.ts'

/** The account for which a job runs, and conditions of the job. */
export interface WorkFor {
  readonly accountId: string
  /** Returns true if the result of the job is no longer awaited. */
  readonly isGone?: (() => boolean) | undefined
  /**
   * True if the job may wait in the queue, regardless of the number of waiting jobs of the account; intended for few
   * jobs at a time, such as batches.
   */
  readonly waits?: boolean
  /**
   * Called when the job is done, before another job begins; the job keeps its place among the running jobs until
   * `release` is called. Limits the number of results in use.
   */
  readonly keepPlace?: (release: () => void) => void
}

/** Limits of jobs in milliseconds of CPU time, so that a job does not fail because the machine is busy. */
export interface JobTimes {
  /** Limit of the first slice, after which a job continues as the long job. */
  readonly firstSlice: number
  /** Total limit of the long job. */
  readonly long: number
}

/** Factor by which the wall-clock limit exceeds the CPU limit; the wall-clock limit ends jobs that wait forever. */
const STRETCH = 20
const MIN_CHECK_MS = 10

/** Program and limits of a pool. */
export interface FairThreadsOptions {
  /** Program of the threads, which calls `serveJobs`. */
  readonly program: URL
  /** Heap size of each thread in MiB; buffers are outside the heap. */
  readonly heapMb: number
  /** Time without a job after which a thread ends, in milliseconds; default `IDLE_THREAD_MS`. */
  readonly idleMs?: number
  /** Maximum number of threads for jobs in their first slice; one more thread runs the long job. */
  readonly maxQuick: number
  readonly times: JobTimes
  /** Maximum total weight of waiting jobs, of which one account may have a quarter, and the base weight of a job. */
  readonly maxWaiting: number
  readonly jobWeight: number
  /** Returns the error for a job that failed or took too long. */
  readonly failed: (reason: string) => Error
  /** Functions that return the error of a job that did not begin. */
  readonly refused: { readonly full: () => Error; readonly gone: () => Error }
  /**
   * Returns the error for a job that is dropped because the pool stops; the error does not mean that the job has
   * failed.
   */
  readonly stopped: () => Error
}

interface Piece<Jobs extends JobKinds<Jobs>> {
  readonly for: WorkFor
  readonly order: Order<Jobs>
  readonly transferred: readonly Transferable[]
  readonly weight: number
  /** True if a thread has returned the job without beginning it. */
  readonly isReturned?: boolean
  readonly resolve: (result: ResultOf<Jobs>) => void
  readonly reject: (error: Error) => void
}

interface Running<Jobs extends JobKinds<Jobs>> {
  readonly piece: Piece<Jobs>
  readonly thread: WorkerThread<Jobs>
  readonly startedAt: number
  isLong: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * Runs jobs in threads that start on demand. An account has one running job at a time, and the account with the least
 * CPU time is next. A job that exceeds its first slice continues as the long job, and a new thread replaces its thread.
 * If another long job is running, the job is interrupted instead, and restarted after the other long job; a job with
 * transferred buffers is not restarted. A job runs in a new thread if work left behind by another job ended its thread
 * before the job began.
 */
export abstract class FairThreads<Jobs extends JobKinds<Jobs>> implements Part {
  abstract readonly name: string
  readonly #options: FairThreadsOptions
  readonly #waiting: FairQueue<Piece<Jobs>>
  readonly #cutOff: FairQueue<Piece<Jobs>>
  readonly #running = new Set<Running<Jobs>>()
  /** Accounts with a running or interrupted job. */
  readonly #busy = new Set<string>()
  /** Number of jobs that are done and keep their places. */
  #kept = 0
  /** Idle threads, each with the timer that ends the thread. */
  #idle: { readonly thread: WorkerThread<Jobs>; readonly timer: NodeJS.Timeout }[] = []
  #isStopped = false

  constructor(options: FairThreadsOptions) {
    this.#options = options
    this.#waiting = new FairQueue(options.maxWaiting)
    this.#cutOff = new FairQueue(options.maxWaiting)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const left = [...this.#running]
    for (const { timer } of left) clearTimeout(timer)
    this.#running.clear()
    const pieces = [...left.map(({ piece }) => piece), ...this.#waiting.drain(), ...this.#cutOff.drain()]
    for (const piece of pieces) piece.reject(this.#options.stopped())
    for (const { timer } of this.#idle) clearTimeout(timer)
    await Promise.all([...left, ...this.#idle].map(({ thread }) => thread.end()))
  }

  /**
   * Runs a job. Rejects with the errors that the options define.
   * @param weight weight of the job while it waits
   * @param transferred buffers of the job that are transferred without a copy
   */
  run<Kind extends keyof Jobs>(
    workFor: WorkFor,
    kind: Kind,
    job: Jobs[Kind]['job'],
    weight: number,
    transferred: readonly Transferable[] = [],
  ): Promise<Jobs[Kind]['result']> {
    return new Promise((resolve, reject) => {
      const piece: Piece<Jobs> = {
        for: workFor,
        order: { kind, job },
        transferred,
        weight: workFor.waits ? 0 : weight + this.#options.jobWeight,
        resolve,
        reject,
      }
      if (this.#isStopped) return reject(this.#options.stopped())
      if (!this.#add(this.#waiting, piece)) return reject(this.#options.refused.full())
      this.#dispatch()
    })
  }

  #add(queue: FairQueue<Piece<Jobs>>, piece: Piece<Jobs>): boolean {
    const { accountId } = piece.for
    if (queue.add(accountId, piece, piece.weight)) return true
    for (const gone of queue.drop(accountId, isGone)) gone.reject(this.#options.refused.gone())
    return queue.add(accountId, piece, piece.weight)
  }

  #dispatch(): void {
    for (;;) {
      const hasLong = [...this.#running].some(({ isLong }) => isLong)
      const quick = this.#running.size - (hasLong ? 1 : 0) + this.#kept
      const cutOff = hasLong ? undefined : this.#cutOff.next()
      const first =
        cutOff === undefined && quick < this.#options.maxQuick
          ? this.#waiting.next((owner) => this.#busy.has(owner))
          : undefined
      const { job: piece } = cutOff ?? first ?? {}
      if (piece === undefined) return
      if (!isGone(piece)) this.#begin(piece, cutOff !== undefined)
      else {
        if (cutOff !== undefined) this.#busy.delete(piece.for.accountId)
        piece.reject(this.#options.refused.gone())
      }
    }
  }

  #begin(piece: Piece<Jobs>, isLong: boolean): void {
    const { program, heapMb } = this.#options
    const idle = piece.isReturned ? undefined : this.#takeIdle()
    const thread = idle ?? new WorkerThread<Jobs>(program, heapMb)
    const running: Running<Jobs> = { piece, thread, startedAt: performance.now(), isLong, timer: undefined }
    this.#running.add(running)
    this.#busy.add(piece.for.accountId)
    void this.#run(running)
  }

  /** Takes an idle thread; skips threads that have ended because of work left behind by a job. */
  #takeIdle(): WorkerThread<Jobs> | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (!idle.thread.isDead) return idle.thread
    }
    return undefined
  }

  async #run(running: Running<Jobs>): Promise<void> {
    const { thread, piece } = running
    await thread.ready
    if (this.#isStopped) return
    this.#setTimer(running)
    let answer: JobAnswer<Jobs> | ReturnedJob<Jobs>
    try {
      answer = await thread.run(piece.order, piece.transferred)
    } catch {
      answer = { kind: 'failed', reason: 'it cannot be sent to a thread', cpuMs: 0 }
    }
    // The job was interrupted and waits to be restarted.
    if (!this.#running.has(running)) return
    if (answer.kind !== 'returned') this.#end(running, answer)
    else if (piece.isReturned) this.#end(running, { kind: 'failed', reason: answer.reason, cpuMs: 0 })
    else this.#beginAgain(running, answer)
  }

  /** Runs a returned job in a new thread, where no other job has left work behind. */
  #beginAgain(running: Running<Jobs>, { order, transferred }: ReturnedJob<Jobs>): void {
    const { piece, thread, timer, isLong } = running
    clearTimeout(timer)
    this.#running.delete(running)
    void thread.end()
    this.#begin({ ...piece, order, transferred, isReturned: true }, isLong)
  }

  #setTimer(running: Running<Jobs>, usedMs = 0): void {
    const ms = Math.max(MIN_CHECK_MS, this.#limitOf(running) - usedMs)
    running.timer = setTimeout(() => void this.#check(running), ms)
  }

  #limitOf({ isLong }: Running<Jobs>): number {
    const { firstSlice, long } = this.#options.times
    return isLong ? long : firstSlice
  }

  /** Checks whether a job has exceeded its time limit. */
  async #check(running: Running<Jobs>): Promise<void> {
    const limit = this.#limitOf(running)
    const cpuMs = await running.thread.cpuMs(limit)
    // The job ended while its CPU time was being measured.
    if (!this.#running.has(running)) return
    const waitedMs = performance.now() - running.startedAt
    if (cpuMs >= limit || waitedMs >= limit * STRETCH || isGone(running.piece)) this.#timeIsUp(running, cpuMs)
    else this.#setTimer(running, cpuMs)
  }

  #timeIsUp(running: Running<Jobs>, used: number): void {
    const { piece, thread } = running
    const cpuMs = Math.min(used, performance.now() - running.startedAt)
    if (running.isLong || isGone(piece)) {
      this.#end(running, { kind: 'failed', reason: 'it takes too long', cpuMs })
      return
    }
    if (![...this.#running].some(({ isLong }) => isLong)) {
      running.isLong = true
      this.#setTimer(running, cpuMs)
    } else {
      this.#running.delete(running)
      this.#charge(piece, cpuMs)
      void thread.end()
      if (!this.#add(this.#cutOff, piece)) {
        this.#busy.delete(piece.for.accountId)
        piece.reject(this.#options.refused.full())
      }
    }
    this.#dispatch()
  }

  #end(running: Running<Jobs>, answer: JobAnswer<Jobs>): void {
    const { piece, thread, timer } = running
    clearTimeout(timer)
    this.#running.delete(running)
    this.#busy.delete(piece.for.accountId)
    this.#charge(piece, answer.cpuMs)
    if (answer.kind === 'done' && !thread.isDead) this.#rest(thread)
    // A failed job may have left work behind in the thread.
    else void thread.end()
    if (answer.kind === 'done') {
      this.#keepPlace(piece)
      piece.resolve(answer.result)
    } else piece.reject(this.#options.failed(answer.reason))
    this.#dispatch()
  }

  #keepPlace({ for: { keepPlace } }: Piece<Jobs>): void {
    if (keepPlace === undefined) return
    this.#kept++
    keepPlace(() => {
      this.#kept--
      this.#dispatch()
    })
  }

  #rest(thread: WorkerThread<Jobs>): void {
    const end = (): void => {
      this.#idle = this.#idle.filter((one) => one.thread !== thread)
      void thread.end()
    }
    const timer = setTimeout(end, this.#options.idleMs ?? IDLE_THREAD_MS).unref()
    this.#idle.push({ thread, timer })
  }

  #charge({ for: { accountId } }: Piece<Jobs>, ms: number): void {
    this.#waiting.used(accountId, ms)
    this.#cutOff.used(accountId, ms)
  }
}

const isGone = (piece: { readonly for: WorkFor }): boolean => piece.for.isGone?.() === true
