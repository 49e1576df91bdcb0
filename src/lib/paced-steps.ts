// Background work in short steps, with pauses that leave the store to others.

import { setTimeout as sleep } from 'node:timers/promises'

/** Target duration of a writing step, including the wait for other commits. */
const STEP_MS = 10
/** Pause after a step as a multiple of its duration: the work takes at most a fifth of the writer. */
const PAUSE_STEPS = 4
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 2_000
/** Maximum growth between steps: rows that are not in memory cost several times as much. */
const MAX_GROWTH = 1.25
const MAX_SHRINKING = 0.25
/**
 * Fraction of the maximum for the smallest step, which still makes progress on a busy store. The first step is the
 * smallest.
 */
const LEAST_PART = 32

const least = (max: number): number => Math.max(1, Math.floor(max / LEAST_PART))

/** Returns the size of the next step from the duration of the last one in milliseconds; at most `max`. */
export function sizeAfter(size: number, tookMs: number, max: number): number {
  const factor = Math.min(MAX_GROWTH, Math.max(MAX_SHRINKING, STEP_MS / Math.max(1, tookMs)))
  const grown = factor > 1 ? Math.ceil(size * factor) : Math.round(size * factor)
  return Math.min(max, Math.max(least(max), grown))
}

/** Sizes steps by the duration of the last one: on a busier store, steps are smaller and pauses longer. */
export class PacedSteps {
  readonly #max: number
  #size: number
  #pauseMs = 0

  /** @param max maximum size of a step */
  constructor(max: number) {
    this.#max = max
    this.#size = least(max)
  }

  /** Runs one step of the present size, after the pause for the previous one. Throws the errors of the step. */
  async step<T>(work: (size: number) => Promise<T>): Promise<T> {
    if (this.#pauseMs > 0) await sleep(this.#pauseMs)
    const began = performance.now()
    const result = await work(this.#size)
    const took = performance.now() - began
    this.#size = sizeAfter(this.#size, took, this.#max)
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, PAUSE_STEPS * took))
    return result
  }

  /**
   * Runs steps until one returns that nothing is left (false or 0), or `goesOn` returns false. Throws the errors of a
   * step.
   */
  async untilDone(
    goesOn: () => boolean | Promise<boolean>,
    work: (size: number) => Promise<boolean | number>,
  ): Promise<void> {
    while ((await goesOn()) && (await this.step(work)));
  }
}
