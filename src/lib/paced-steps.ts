// Runs background work in short steps, with pauses in which other work can use the store.

import { setTimeout as sleep } from 'node:timers/promises'

/** Target duration of a writing step in milliseconds, including the wait for other commits. */
const STEP_MS = 10
/**
 * Pause after a step, as a multiple of the duration of the step: the work takes at most a fifth of the writer's time.
 */
const PAUSE_STEPS = 4
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 2_000
/**
 * Maximum growth factor from one step to the next. The factor is small, because a step over rows that are not in memory
 * takes several times as long.
 */
const MAX_GROWTH = 1.25
const MAX_SHRINKING = 0.25
/**
 * Ratio of the maximum size to the smallest size; work with the smallest size still progresses on a busy store. The
 * first step has the smallest size.
 */
const LEAST_PART = 32

const least = (max: number): number => Math.max(1, Math.floor(max / LEAST_PART))

/** Returns the size of the next step, at most `max`, from the duration of the last step in milliseconds. */
export function sizeAfter(size: number, tookMs: number, max: number): number {
  const factor = Math.min(MAX_GROWTH, Math.max(MAX_SHRINKING, STEP_MS / Math.max(1, tookMs)))
  const grown = factor > 1 ? Math.ceil(size * factor) : Math.round(size * factor)
  return Math.min(max, Math.max(least(max), grown))
}

/** Adapts the size of steps to the duration of the last step: steps are smaller and pauses longer on a busy store. */
export class PacedSteps {
  readonly #max: number
  #size: number
  #pauseMs = 0

  /** @param max maximum size of a step */
  constructor(max: number) {
    this.#max = max
    this.#size = least(max)
  }

  /** Runs one step of the current size, after the pause for the previous step. Throws the errors of the step. */
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
   * Runs steps until a step resolves to false or 0 because nothing is left, or until `goesOn` returns false. Throws the
   * errors of a step.
   */
  async untilDone(
    goesOn: () => boolean | Promise<boolean>,
    work: (size: number) => Promise<boolean | number>,
  ): Promise<void> {
    while ((await goesOn()) && (await this.step(work)));
  }
}
