// A repeated step: one run at a time, longer pauses after failures, and an end that waits for the run under way.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from './clock.ts'
import type { Part } from './lifecycle.ts'
import type { Log } from './log.ts'

export interface PeriodicOptions {
  readonly name: string
  /** Clock of the pauses; `systemClock` if they must not follow a changed clock. */
  readonly clock: Clock
  readonly log: Log
  /** Log message of a failed run. */
  readonly failure: string
  /** Pause between the end of a run and the next one, in milliseconds. */
  readonly everyMs: number
  /** Pause before the first run; default `everyMs`. With 0 `start` begins the first run at once. */
  readonly firstMs?: number
  /** Maximum pause after failures, which doubles with each in a row; without it all pauses are equal. */
  readonly maxRetryMs?: number
  /** Minimum pause, as a multiple of the duration of the run. */
  readonly restFactor?: number
  /**
   * Version of everything that the step reads. While the version equals the one
   * before the last successful run, pauses end without a run, which would find nothing new. Undefined: every pause
   * ends with a run.
   */
  version?(): number | undefined
  /** Does the work. Errors are logged, unless `stopping` is aborted. */
  step(stopping: AbortSignal): Promise<unknown>
}

/** Repeats its step from `start` to `stop`. */
export class Periodic implements Part {
  readonly name: string
  readonly #options: PeriodicOptions
  readonly #stop = new AbortController()
  /** Runs do not belong to the request that happens to trigger one: the context of the request does not reach them. */
  readonly #ownContext = AsyncLocalStorage.snapshot()
  #isStarted = false
  #failures = 0
  /** Version seen by the last successful run. */
  #seen: number | undefined
  #cancel = (): void => {}
  #running: Promise<void> | undefined

  constructor(options: PeriodicOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Aborted as soon as `stop` is called. */
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

  /** Runs the step now, or joins the run under way. Resolves at its end, even if it fails. */
  run(): Promise<void> {
    this.#cancel()
    this.#running ??= this.#ownContext(() => this.#run())
    return this.#running
  }

  /** Runs the step after the run under way, so that it sees everything done before this call. */
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
