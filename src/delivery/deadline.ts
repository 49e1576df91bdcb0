// How long one attempt may take in all, so that a host that answers a byte a second holds no place for longer.

import type { Clock } from '../lib/clock.ts'

/** After this no further host is begun. */
export const LAST_HOST_MS = 2 * 60_000
/** After this the connection is destroyed, wherever its dialog stands. */
export const HARD_END_MS = 10 * 60_000

/** The time of one attempt; `end` it when the attempt has ended. */
export class Deadline {
  readonly #abort = new AbortController()
  readonly #stopping: AbortSignal | undefined
  readonly #onStop = (): void => this.#abort.abort()
  #late = false
  #cancel: () => void

  /** `stopping` ends it at once: the node cannot wait any longer. */
  constructor(clock: Clock, stopping?: AbortSignal) {
    this.#stopping = stopping
    stopping?.addEventListener('abort', this.#onStop)
    if (stopping?.aborted) this.#onStop()
    // By a timer, not by the time of day: a clock that is put forward ends nothing.
    this.#cancel = clock.after(LAST_HOST_MS, () => {
      this.#late = true
      this.#cancel = clock.after(HARD_END_MS - LAST_HOST_MS, () => this.#abort.abort())
    })
  }

  /** Whether it is too late for a further host. */
  get late(): boolean {
    return this.#late
  }

  /** Aborted at the hard end. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  end(): void {
    this.#cancel()
    this.#stopping?.removeEventListener('abort', this.#onStop)
  }
}
