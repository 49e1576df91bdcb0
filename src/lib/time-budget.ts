// The time that a piece of work may take in all, so that a host that answers a byte a second holds nothing for longer.

import { whenAborted } from './active-set.ts'
import type { Clock } from './clock.ts'

/** Time that work may take. */
export interface TimeBudget {
  /** Aborted when the time is up; undefined when there is no such time. */
  readonly signal: AbortSignal | undefined
  /** True if it is too late to begin anything further. */
  readonly late: boolean
  /** Milliseconds until the time is up. */
  left(): number
}

/** For background work. */
export const UNLIMITED_TIME: TimeBudget = {
  signal: undefined,
  late: false,
  left: () => Number.POSITIVE_INFINITY,
}

export interface TimeLimitOptions {
  /** After how many milliseconds nothing further is begun; not before the end, unless told. */
  readonly lateAfterMs?: number
  /** Ends it at once: the node cannot wait any longer. */
  readonly stopping?: AbortSignal | undefined
}

/** A moment at which work has to be over; call `end` when it is. */
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
    // By a timer, not by the time of day: a clock that is put forward ends nothing.
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
export function pause(clock: Clock, ms: number, { signal }: TimeBudget): Promise<void> {
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
