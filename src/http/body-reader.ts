// Reads large JSON bodies in a thread, one at a time and fairly by account, so that parsing does not block the event
// loop.

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
 * Maximum number of parsed bodies with a running request. The text of each such body is on the heap of the event loop
 * in addition to the bytes, and stays there as garbage for a while, so more bodies would fill the memory while their
 * requests wait for the store.
 */
const MAX_OPENED = 1
/**
 * Maximum CPU time for one body in milliseconds, which only a hostile body exceeds. The elapsed time may be longer on a
 * busy machine.
 */
const MAX_CPU_MS = 10_000
/** Maximum elapsed time for one body in milliseconds; ends a thread that gets no CPU time. */
const MAX_WAIT_MS = 10 * MAX_CPU_MS
/** Number of waiting bodies, which needs no limit because the memory for all bodies is limited. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER
/** Heap limits of the thread, enough for a body of 50 MiB as text and as parsed values. */
const THREAD_HEAP = { youngMb: 24, oldMb: 512 }

/** Parsed large body, with its bytes. */
export interface ReadBody extends JsonBody {
  readonly bytes: Buffer
}

/**
 * Messages to the thread. The thread sends the parts of an array one by one, each after a request for the next part.
 * `isPacked` is true if `packModelNumbers` has replaced numbers in the message, so that the numbers have to be
 * unpacked.
 */
export type Question =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly expected: Expected }
  | { readonly next: true }
export type Answer =
  | { readonly part: readonly unknown[]; readonly isPacked: boolean }
  | { readonly body: JsonBody; readonly bytes: Uint8Array<ArrayBuffer>; readonly isPacked: boolean }
  | { readonly problem: Pick<Problem, 'code' | 'message' | 'errors'> }

interface Job {
  readonly bytes: Buffer
  readonly expected: Expected
  readonly held: BodyMemory
  readonly resolve: (body: ReadBody) => void
  readonly reject: (error: Error) => void
}

/** Starts the thread for the first large body, and ends the thread after some time without a body. */
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

  /**
   * Parses a body. The caller must no longer use the bytes, which become part of the result. Throws a `Problem` for a
   * body that cannot be parsed.
   */
  read(bytes: Buffer, expected: Expected, held: BodyMemory): Promise<ReadBody> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(held.owner, { bytes, expected, held, resolve, reject }, 1)
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
      // A body is not parsed if its client has closed the connection.
      if (job.held.released) job.reject(new Problem('malformed_request', 'The client closed the connection.'))
      else this.#begin(next)
    }
  }

  #begin(next: { readonly owner: string; readonly job: Job }): void {
    this.#current = { ...next, startedAt: performance.now() }
    clearTimeout(this.#idle)
    this.#worker ??= this.#startWorker()
    void this.#watch(this.#worker, next.job)
    const { bytes, expected } = next.job
    const own = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length)
    // A buffer that contains only the body is transferred without a copy.
    const transfer = own.length === own.buffer.byteLength ? [own.buffer] : []
    this.#worker.postMessage({ bytes: own, expected } satisfies Question, transfer)
  }

  /** Ends the thread when a body has used up its time. */
  async #watch(worker: Worker, job: Job): Promise<void> {
    const before = await cpuMsOf(worker, MAX_CPU_MS)
    const since = Number.isFinite(before) ? before : 0
    const check = async (): Promise<void> => {
      const used = (await cpuMsOf(worker, MAX_CPU_MS)) - since
      if (this.#current?.job !== job) return
      const waited = performance.now() - this.#current.startedAt
      if (used >= MAX_CPU_MS || waited >= MAX_WAIT_MS) this.#fail('it takes too long')
      else this.#deadline = setTimeout(check, MAX_CPU_MS - used)
    }
    if (this.#current?.job === job) this.#deadline = setTimeout(check, MAX_CPU_MS)
  }

  #startWorker(): Worker {
    const worker = startThread(new URL('./body-thread.ts', import.meta.url), THREAD_HEAP)
    worker.unref()
    const onMessage = (answer: Answer): void => {
      if (worker === this.#worker) this.#onAnswer(worker, answer)
    }
    worker.on('message', inBatches(onMessage))
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
      const { bytes, body, isPacked } = answer
      if (isPacked) unpackModelNumbers(body.value)
      const { utf8 } = body
      const read: ReadBody = {
        ...body,
        ...(utf8 === undefined ? {} : { utf8: Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length) }),
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        value: Array.isArray(body.value) ? this.#parts : body.value,
      }
      this.#end((job) => {
        this.#opened++
        job.held.bytes = bytes
        job.held.onRelease = () => {
          this.#opened--
          this.#next()
        }
        if (job.held.released) job.held.onRelease()
        job.resolve(read)
      })
    }
  }

  /** Ends the thread after a failure, because the state of the thread is unknown; the next body starts a new thread. */
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
