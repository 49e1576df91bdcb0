// Repeats a step, with one run at a time and longer pauses after failures; `stop` waits for the current run.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from './clock.ts'
import type { Part } from './lifecycle.ts'
import type { Log } from './log.ts'

export interface PeriodicOptions {
  readonly name: string
  /** Clock that times the pauses; `systemClock` for pauses that a changed clock must not affect. */
  readonly clock: Clock
  readonly log: Log
  /** Log message of a failed run. */
  readonly failure: string
  /** Pause between the end of a run and the next run, in milliseconds. */
  readonly everyMs: number
  /** Pause before the first run; default `everyMs`. The value 0 makes `start` begin the first run at once. */
  readonly firstMs?: number
  /**
   * Maximum pause after failures; the pause doubles with each consecutive failure. The default `everyMs` makes all
   * pauses equal.
   */
  readonly maxRetryMs?: number
  /** Minimum pause after a run, as a multiple of the duration of the run. */
  readonly restFactor?: number
  /**
   * Returns the version of the data that the step reads. A pause ends without a run while the version is the same as
   * before the last successful run, because another run would find nothing new. Every pause ends with a run if this
   * function is absent or returns undefined.
   */
  version?(): number | undefined
  /** Does the work of one run. Errors are logged, unless `stopping` is aborted. */
  step(stopping: AbortSignal): Promise<unknown>
}

/** Repeats a step from `start` to `stop`. */
export class Periodic implements Part {
  readonly name: string
  readonly #options: PeriodicOptions
  readonly #stop = new AbortController()
  /**
   * Asynchronous context of the runs, so that a run does not inherit the context of a request that triggers the run.
   */
  readonly #ownContext = AsyncLocalStorage.snapshot()
  #isStarted = false
  #failures = 0
  /** Version of the data before the last successful run. */
  #seen: number | undefined
  #cancel = (): void => {}
  #running: Promise<void> | undefined

  constructor(options: PeriodicOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Signal that is aborted as soon as `stop` is called. */
  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  start(): void {
    const { everyMs, firstMs = everyMs } = this.#options
    this.#isStarted = true
    if (firstMs === 0) void this.run()
    else this.#later(firstMs)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#cancel()
    await this.#running
  }

  /** Runs the step now, or joins the current run. Resolves at the end of the run, even after a failure. */
  run(): Promise<void> {
    this.#cancel()
    this.#running ??= this.#ownContext(() => this.#run())
    return this.#running
  }

  /** Runs the step after the end of the current run, so that the new run sees all changes made before this call. */
  async runAnew(): Promise<void> {
    await this.#running
    await this.run()
  }

  async #run(): Promise<void> {
    const { step, log, failure } = this.#options
    const began = performance.now()
    const version = this.#options.version?.()
    this.#seen = undefined
    try {
      await step(this.stopping)
      this.#failures = 0
      this.#seen = version
    } catch (error) {
      this.#failures++
      if (!this.stopping.aborted) log.warn({ err: error }, failure)
    }
    this.#running = undefined
    if (this.#isStarted && !this.stopping.aborted) this.#later(this.#pauseAfter(performance.now() - began))
  }

  #pauseAfter(tookMs: number): number {
    const { everyMs, maxRetryMs = everyMs, restFactor = 0 } = this.#options
    const retryMs = Math.min(maxRetryMs, everyMs * 2 ** this.#failures)
    return Math.max(everyMs, retryMs, restFactor * tookMs)
  }

  #later(ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => {
      if (this.#seen !== undefined && this.#seen === this.#options.version?.()) this.#later(ms)
      else void this.run()
    })
  }
}
