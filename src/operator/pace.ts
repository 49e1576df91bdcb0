// The pace of work in the background: steps that are short, with pauses that leave the store to others.

import { setTimeout as sleep } from 'node:timers/promises'

/** Aim for the length of a step of writing, waiting for other commits included. */
const STEP_MS = 15
/** A step is followed by a pause of so many times its length: the work takes a fifth of the writer at most. */
const PAUSE_STEPS = 4
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 2_000

/** Sizes steps by how long the last one took: the busier the store, the smaller they are and the longer the pauses. */
export class Pace {
  readonly #max: number
  #size: number
  #pauseMs = 0

  /** @param max how much one step takes at most */
  constructor(max: number) {
    this.#max = max
    this.#size = Math.max(1, Math.floor(max / 8))
  }

  /** Runs one step of the present size, after a pause behind the one before. Throws what the step throws. */
  async step<T>(work: (size: number) => Promise<T>): Promise<T> {
    if (this.#pauseMs > 0) await sleep(this.#pauseMs)
    const began = performance.now()
    const result = await work(this.#size)
    const took = performance.now() - began
    const factor = Math.min(2, Math.max(0.25, STEP_MS / Math.max(1, took)))
    this.#size = Math.min(this.#max, Math.max(1, Math.round(this.#size * factor)))
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, PAUSE_STEPS * took))
    return result
  }
}
