// Limits the total time of a piece of work, so that a host that sends one byte a second cannot prolong the work.

import { whenAborted } from './active-set.ts'
import type { Clock } from './clock.ts'

/** The time that a piece of work may take. */
export interface TimeBudget {
  /** Signal that is aborted when the time is up; undefined without a limit. */
  readonly signal: AbortSignal | undefined
  /** True if no further step may begin. */
  readonly late: boolean
  /** Returns the number of milliseconds until the time is up. */
  left(): number
}

/** Time budget without a limit, for background work. */
export const UNLIMITED_TIME: TimeBudget = {
  signal: undefined,
  late: false,
  left: () => Number.POSITIVE_INFINITY,
}

export interface TimeLimitOptions {
  /** Time in milliseconds after which no further step begins; default: the end of the budget. */
  readonly lateAfterMs?: number
  /** Signal that ends the time budget at once, because the node cannot wait any longer. */
  readonly stopping?: AbortSignal | undefined
}

/** A deadline for work; call `end` when the work is done. */
export class LimitedTime implements TimeBudget {
  readonly #abort = new AbortController()
  readonly #clock: Clock
  readonly #at: number
  readonly #end = (): void => {
    this.#abort.abort()
    this.#passed?.resolve()
  }
  #passed: PromiseWithResolvers<void> | undefined
  #late = false
  #cancel: () => void
  readonly #stopListening: (() => void) | undefined

  /** @param ms milliseconds from now on */
  constructor(clock: Clock, ms: number, { lateAfterMs = ms, stopping }: TimeLimitOptions = {}) {
    this.#clock = clock
    this.#at = clock.now() + ms
    if (stopping !== undefined) this.#stopListening = whenAborted(stopping, this.#end)
    // Uses a timer instead of the time of day, so that a clock that is set forward does not end the budget.
    this.#cancel = clock.after(lateAfterMs, () => {
      this.#late = true
      if (lateAfterMs >= ms) this.#end()
      else this.#cancel = clock.after(ms - lateAfterMs, this.#end)
    })
  }

  get late(): boolean {
    return this.#late || this.#abort.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  left(): number {
    return Math.max(0, this.#at - this.#clock.now())
  }

  /** Resolves when the time is up. */
  passed(): Promise<void> {
    this.#passed ??= Promise.withResolvers()
    if (this.signal.aborted) this.#passed.resolve()
    return this.#passed.promise
  }

  end(): void {
    this.#cancel()
    this.#stopListening?.()
  }
}

/** Waits `ms` milliseconds, or until the time is up. */
export function pause(clock: Clock, ms: number, { signal }: Pick<TimeBudget, 'signal'>): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal?.addEventListener('abort', end)
  })
}
