// Reads large JSON bodies in a thread, one after the other and fairly by account, so that the event loop goes on.

import type { Worker } from 'node:worker_threads'
import { Problem, type ProblemCode } from '../model/problem.ts'
import { FairQueue } from '../threads/fair-queue.ts'
import { inBatches } from '../threads/message-batching.ts'
import { IDLE_THREAD_MS, startThread } from '../threads/thread.ts'
import { cpuMsOf } from '../threads/worker-thread.ts'
import type { BodyMemory } from './body-upload.ts'
import type { Expected, JsonBody } from './json-body.ts'
import { unpackModelNumbers } from './template-numbers.ts'

/**
 * Bodies that were read and are being worked on: more would fill the memory with what waits for the store. Their texts
 * are on the heap of the event loop beside their bytes, and stay there for a while as garbage.
 */
const MAX_OPENED = 1
/** CPU time for one, in milliseconds: what takes longer was made to be slow. On a busy machine it takes as long as it takes. */
const MAX_CPU_MS = 10_000
/** Until a thread that does nothing is given up. */
const MAX_WAIT_MS = 10 * MAX_CPU_MS
/** The bodies are within the memory of all bodies already; what waits is bounded by that. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER
/** For a body of 50 MiB as text and as values. */
const THREAD_HEAP = { youngMb: 24, oldMb: 512 }

/** A large body that was read, with its bytes. */
export interface ReadBody extends JsonBody {
  readonly octets: Buffer
}

/**
 * Messages to the thread; the parts of an array come one by one, each when it is asked for. `isPacked`: there are written
 * numbers to unpack.
 */
export type Question =
  | { readonly octets: Uint8Array<ArrayBuffer>; readonly expected: Expected }
  | { readonly next: true }
export type Answer =
  | { readonly part: readonly unknown[]; readonly isPacked: boolean }
  | { readonly body: JsonBody; readonly octets: Uint8Array<ArrayBuffer>; readonly isPacked: boolean }
  | { readonly problem: Pick<Problem, 'code' | 'message' | 'errors'> }

interface Job {
  readonly octets: Buffer
  readonly expected: Expected
  readonly held: BodyMemory
  readonly resolve: (body: ReadBody) => void
  readonly reject: (error: Error) => void
}

/** The thread starts with a large body, and ends when there was none for a while. */
export class BodyReader {
  readonly #idleMs: number
  readonly #waiting = new FairQueue<Job>(MAX_WAITING)
  #worker: Worker | undefined
  #current: { readonly owner: string; readonly job: Job; readonly startedAt: number } | undefined
  #parts: unknown[] = []
  #opened = 0
  #deadline: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined

  /** @param idleMs time without a body after which the thread ends, in milliseconds */
  constructor(idleMs = IDLE_THREAD_MS) {
    this.#idleMs = idleMs
  }

  /** Reads bytes without another user; what it answers has them again. Throws `Problem` for what cannot be read. */
  read(octets: Buffer, expected: Expected, held: BodyMemory): Promise<ReadBody> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(held.owner, { octets, expected, held, resolve, reject }, 1)
      this.#next()
    })
  }

  async stop(): Promise<void> {
    const left = [this.#current?.job, ...this.#waiting.drain()]
    this.#current = undefined
    clearTimeout(this.#deadline)
    clearTimeout(this.#idle)
    for (const job of left) job?.reject(new Problem('unavailable', 'The node is shutting down; try again.'))
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #next(): void {
    while (this.#current === undefined && this.#opened < MAX_OPENED) {
      const next = this.#waiting.next()
      if (next === undefined) return
      const { job } = next
      // The client has gone.
      if (job.held.released) job.reject(new Problem('malformed_request', 'The client closed the connection.'))
      else this.#begin(next)
    }
  }

  #begin(next: { readonly owner: string; readonly job: Job }): void {
    this.#current = { ...next, startedAt: performance.now() }
    clearTimeout(this.#idle)
    this.#worker ??= this.#startWorker()
    void this.#watch(this.#worker, next.job)
    const { octets, expected } = next.job
    const own = new Uint8Array(octets.buffer as ArrayBuffer, octets.byteOffset, octets.length)
    // A buffer of its own goes over without being copied.
    const transfer = own.length === own.buffer.byteLength ? [own.buffer] : []
    this.#worker.postMessage({ octets: own, expected } satisfies Question, transfer)
  }

  /** Ends the thread when it has used up its time for a body. */
  async #watch(worker: Worker, job: Job): Promise<void> {
    const before = await cpuMsOf(worker, MAX_CPU_MS)
    const since = Number.isFinite(before) ? before : 0
    const look = async (): Promise<void> => {
      const used = (await cpuMsOf(worker, MAX_CPU_MS)) - since
      if (this.#current?.job !== job) return
      const waited = performance.now() - this.#current.startedAt
      if (used >= MAX_CPU_MS || waited >= MAX_WAIT_MS) this.#fail('it takes too long')
      else this.#deadline = setTimeout(look, MAX_CPU_MS - used)
    }
    if (this.#current?.job === job) this.#deadline = setTimeout(look, MAX_CPU_MS)
  }

  #startWorker(): Worker {
    const worker = startThread(new URL('./body-thread.ts', import.meta.url), THREAD_HEAP)
    worker.unref()
    const hear = (answer: Answer): void => {
      if (worker === this.#worker) this.#onAnswer(worker, answer)
    }
    worker.on('message', inBatches(hear))
    worker.on('error', (error) => worker === this.#worker && this.#fail(String(error)))
    return worker
  }

  #onAnswer(worker: Worker, answer: Answer): void {
    if ('part' in answer) {
      if (answer.isPacked) unpackModelNumbers(answer.part)
      for (const one of answer.part) this.#parts.push(one)
      worker.postMessage({ next: true } satisfies Question)
    } else if ('problem' in answer) {
      const { code, message, errors } = answer.problem
      this.#end((job) => job.reject(new Problem(code as ProblemCode, message, { errors })))
    } else {
      const { octets, body, isPacked } = answer
      if (isPacked) unpackModelNumbers(body.value)
      const { utf8 } = body
      const read: ReadBody = {
        ...body,
        ...(utf8 === undefined ? {} : { utf8: Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length) }),
        octets: Buffer.from(octets.buffer, octets.byteOffset, octets.length),
        value: Array.isArray(body.value) ? this.#parts : body.value,
      }
      this.#end((job) => {
        this.#opened++
        job.held.octets = octets
        job.held.onRelease = () => {
          this.#opened--
          this.#next()
        }
        if (job.held.released) job.held.onRelease()
        job.resolve(read)
      })
    }
  }

  /** Ends a thread after a failure, which may have left anything behind in it: the next body gets a new one. */
  #fail(reason: string): void {
    void this.#worker?.terminate()
    this.#worker = undefined
    const detail = 'The body cannot be read here; send less at once.'
    this.#end((job) => job.reject(new Problem('body_too_large', detail, { cause: new Error(reason) })))
  }

  #end(answer: (job: Job) => void): void {
    clearTimeout(this.#deadline)
    const ended = this.#current
    this.#current = undefined
    if (ended !== undefined) {
      this.#waiting.used(ended.owner, performance.now() - ended.startedAt)
      answer(ended.job)
    }
    this.#parts = []
    this.#next()
    if (this.#current === undefined) this.#rest()
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      void this.#worker?.terminate()
      this.#worker = undefined
    }, this.#idleMs).unref()
  }
}
