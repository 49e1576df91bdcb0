// Paced steps: work in the background, in steps that are short, with pauses that leave the store to others.

import { setTimeout as sleep } from 'node:timers/promises'

/** Aim for the length of a step of writing, waiting for other commits included. */
const STEP_MS = 10
/** A step is followed by a pause of so many times its length: the work takes a fifth of the writer at most. */
const PAUSE_STEPS = 4
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 2_000
/** Growth from one step to the next: rows that are not in memory cost several times those before them. */
const MAX_GROWTH = 1.25
const MAX_SHRINKING = 0.25
/** Part of the largest step that the smallest one is, which still gets somewhere beside others. The first one is the smallest. */
const LEAST_PART = 32

const least = (max: number): number => Math.max(1, Math.floor(max / LEAST_PART))

/** The size of the next step, from how long the last one took in milliseconds; at most `max`. */
export function sizeAfter(size: number, tookMs: number, max: number): number {
  const factor = Math.min(MAX_GROWTH, Math.max(MAX_SHRINKING, STEP_MS / Math.max(1, tookMs)))
  const grown = factor > 1 ? Math.ceil(size * factor) : Math.round(size * factor)
  return Math.min(max, Math.max(least(max), grown))
}

/** Sizes steps by how long the last one took: the busier the store, the smaller they are and the longer the pauses. */
export class PacedSteps {
  readonly #max: number
  #size: number
  #pauseMs = 0

  /** @param max how much one step takes at most */
  constructor(max: number) {
    this.#max = max
    this.#size = least(max)
  }

  /** Runs one step of the present size, after a pause behind the one before. Throws what the step throws. */
  async step<T>(work: (size: number) => Promise<T>): Promise<T> {
    if (this.#pauseMs > 0) await sleep(this.#pauseMs)
    const began = performance.now()
    const result = await work(this.#size)
    const took = performance.now() - began
    this.#size = sizeAfter(this.#size, took, this.#max)
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, PAUSE_STEPS * took))
    return result
  }

  /** Runs steps until one answers that nothing is left (false or 0), or `goesOn` does not. Throws what a step throws. */
  async untilDone(
    goesOn: () => boolean | Promise<boolean>,
    work: (size: number) => Promise<boolean | number>,
  ): Promise<void> {
    while ((await goesOn()) && (await this.step(work)));
  }
}
