// How long a verification waits: until its deadline, or as long as each step may take.

import type { Clock } from '../lib/clock.ts'

export interface Patience {
  /** Aborted when the time is up; undefined when there is no such time. */
  readonly signal: AbortSignal | undefined
  /** Milliseconds until then. */
  left(): number
}

/** For work that nobody waits for. */
export const UNHURRIED: Patience = { signal: undefined, left: () => Number.POSITIVE_INFINITY }

/** A moment at which an answer is due. Call `end` when it is there. */
export class Deadline implements Patience {
  readonly signal: AbortSignal
  /** Resolves when the time is up. */
  readonly passed: Promise<void>
  readonly #clock: Clock
  readonly #at: number
  readonly #cancel: () => void

  constructor(clock: Clock, ms: number) {
    const controller = new AbortController()
    this.signal = controller.signal
    this.#clock = clock
    this.#at = clock.now() + ms
    const { promise, resolve } = Promise.withResolvers<void>()
    this.passed = promise
    this.#cancel = clock.after(ms, () => {
      controller.abort()
      resolve()
    })
  }

  left(): number {
    return Math.max(0, this.#at - this.#clock.now())
  }

  end(): void {
    this.#cancel()
  }
}

/** Waits `ms` milliseconds, or until the patience is at its end. */
export function pause(clock: Clock, ms: number, { signal }: Patience): Promise<void> {
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
