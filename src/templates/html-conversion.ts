// Work on rendered HTML, in a thread of its own that starts when it is first needed and is ended when it takes long.

import { Worker } from 'node:worker_threads'
import type { Part } from '../lib/lifecycle.ts'
import { Problem } from '../model/problem.ts'

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
const MOST_WAITING = 1_000
const THREAD_MB = 256

interface Job {
  readonly conversion: Conversion
  readonly resolve: (converted: Converted) => void
  readonly reject: (error: Error) => void
}

/** Converts one after the other. HTML comes from templates and models of whoever has a key, and is hostile. */
export class HtmlConversion implements Part {
  readonly name = 'HTML conversion'
  readonly #waiting: Job[] = []
  #worker: Worker | undefined
  #current: Job | undefined
  #deadline: NodeJS.Timeout | undefined

  start(): void {}

  async stop(): Promise<void> {
    const left = [this.#current, ...this.#waiting.splice(0)]
    this.#current = undefined
    clearTimeout(this.#deadline)
    for (const job of left) job?.reject(new CannotConvert('the node stops'))
    await this.#endWorker()
  }

  /** Throws `CannotConvert`, or `Problem` `unavailable` when too much waits already. */
  convert(conversion: Conversion): Promise<Converted> {
    if (this.#waiting.length >= MOST_WAITING) {
      const detail = 'Too many templates are being rendered at once; please try again.'
      return Promise.reject(new Problem('unavailable', detail, { retryAfter: 1 }))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ conversion, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#current !== undefined) return
    this.#current = this.#waiting.shift()
    if (this.#current === undefined) return
    this.#worker ??= this.#startWorker()
    this.#deadline = setTimeout(() => this.#fail('it takes too long'), DEADLINE_MS)
    this.#worker.postMessage(this.#current.conversion)
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
    const job = this.#current
    this.#current = undefined
    if (job !== undefined) answer(job)
    this.#next()
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}
