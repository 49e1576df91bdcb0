// Work on rendered HTML, in a thread of its own that starts when it is first needed and is ended when it takes long.

import { Worker } from 'node:worker_threads'
import type { Part } from '../lib/lifecycle.ts'
import { Problem } from '../model/problem.ts'
import { FairQueue } from './fair-queue.ts'

/** What is wanted of some HTML. */
export interface Conversion {
  readonly html: string
  /** Put CSS of style elements into style attributes. */
  readonly inlineCss: boolean
  /** Make text of it. */
  readonly makeText: boolean
}

export interface Converted {
  readonly html: string
  readonly text: string | null
}

/** The libraries could not do it, or not in time. */
export class CannotConvert extends Error {}

/** How long one conversion may take: elements 100,000 deep take the libraries longer, real mail takes under 10 ms. */
const DEADLINE_MS = 3_000
/** What may wait, in characters, and what a conversion counts beside its HTML. */
const MOST_WAITING = 64_000_000
const ONE = 10_000
const THREAD_MB = 256

interface Job {
  readonly conversion: Conversion
  readonly resolve: (converted: Converted) => void
  readonly reject: (error: Error) => void
}

/** Converts one after the other, in turns by owner. HTML comes from templates and models of whoever has a key, and is hostile. */
export class HtmlConversion implements Part {
  readonly name = 'HTML conversion'
  readonly #waiting = new FairQueue<Job>(MOST_WAITING)
  #worker: Worker | undefined
  #current: { readonly owner: string; readonly job: Job; readonly startedAt: number } | undefined
  #deadline: NodeJS.Timeout | undefined

  start(): void {}

  async stop(): Promise<void> {
    const left = [this.#current?.job, ...this.#waiting.drain()]
    this.#current = undefined
    clearTimeout(this.#deadline)
    for (const job of left) job?.reject(new CannotConvert('the node stops'))
    await this.#endWorker()
  }

  /** Throws `CannotConvert`, or `Problem` `unavailable` when too much waits already, of all or of this owner. */
  convert(owner: string, conversion: Conversion): Promise<Converted> {
    return new Promise((resolve, reject) => {
      const job = { conversion, resolve, reject }
      if (this.#waiting.add(owner, job, conversion.html.length + ONE)) {
        this.#next()
        return
      }
      const detail = 'Too many templates are being rendered at once; please try again.'
      reject(new Problem('unavailable', detail, { retryAfter: 1 }))
    })
  }

  #next(): void {
    if (this.#current !== undefined) return
    const next = this.#waiting.next()
    if (next === undefined) return
    this.#current = { ...next, startedAt: performance.now() }
    this.#worker ??= this.#startWorker()
    this.#deadline = setTimeout(() => this.#fail('it takes too long'), DEADLINE_MS)
    this.#worker.postMessage(next.job.conversion)
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./html-conversion-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
    })
    worker.unref()
    const current = (): boolean => worker === this.#worker
    worker.on('message', (answer: Converted | { readonly failed: string }) => {
      if (!current()) return
      if ('failed' in answer) this.#fail(answer.failed)
      else this.#end((job) => job.resolve(answer))
    })
    worker.on('error', (error) => current() && this.#fail(String(error)))
    return worker
  }

  /** What a failure leaves behind in the thread is unknown: the next one gets a new thread. */
  #fail(reason: string): void {
    void this.#endWorker()
    this.#end((job) => job.reject(new CannotConvert(reason)))
  }

  #end(answer: (job: Job) => void): void {
    clearTimeout(this.#deadline)
    const ended = this.#current
    this.#current = undefined
    if (ended !== undefined) {
      this.#waiting.used(ended.owner, performance.now() - ended.startedAt)
      answer(ended.job)
    }
    this.#next()
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}
