// Checks the readiness of a node: the store can be read and written, and the node is not stopping.

import type { Clock } from '../lib/clock.ts'
import { whyNotWritable } from '../lib/disk.ts'
import { Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type ClockWatch, skewInWords } from '../store/node/clock-watch.ts'
import { proveWritable, readVersions } from '../store/node/installation.ts'

/** Time limit of a check, in milliseconds; a store that takes longer is not ready. */
const READY_MS = 3_000
/**
 * Time for which the result of a check is kept, in milliseconds, because a check costs a commit and 64 KiB of writes.
 */
const KEPT_MS = 1_000

export interface ReadinessOptions {
  readonly store: Store
  readonly clock: Clock
  readonly clockWatch: ClockWatch
  /** Folder for the files of this node; undefined if this node needs no folder. */
  readonly dataDir: string | undefined
}

/** Checks the readiness on demand, at most once a second. */
export class Readiness {
  readonly #options: ReadinessOptions
  #last: { readonly at: number; readonly check: Promise<void> } | undefined

  #isStopping = false

  constructor(options: ReadinessOptions) {
    this.#options = options
  }

  /** Reports the node as not ready from now on. Call before the node stops. */
  stop(): void {
    this.#isStopping = true
  }

  /** Throws the `Problem` `unavailable` with the reason why this node cannot work or must not get more requests. */
  async require(): Promise<void> {
    if (this.#isStopping) throw new Problem('unavailable', 'The node is stopping.', { retryAfter: 5 })
    const at = performance.now()
    if (this.#last === undefined || at - this.#last.at >= KEPT_MS) {
      this.#last = { at, check: this.#check() }
    }
    return this.#last.check
  }

  async #check(): Promise<void> {
    const { store, clock, clockWatch, dataDir } = this.#options
    const late = new Promise<never>((_resolve, reject) => {
      const problem = new Problem('unavailable', 'The store does not answer.', { retryAfter: 5 })
      setTimeout(() => reject(problem), READY_MS).unref()
    })
    const disk = dataDir === undefined ? undefined : whyNotWritable(dataDir)
    const refused = await Promise.race([disk, late])
    if (refused !== undefined) throw new Problem('unavailable', refused.sentence, { retryAfter: 10 })
    await Promise.race([reading(readVersions(store.urgentRead)), late])
    const takesRoom = store.room.isLacking
    await Promise.race([store.write(proveWritable, { now: clock.now(), takesRoom }), late])
    if (takesRoom) store.room.isLacking = false
    const wrong = skewInWords(clockWatch.skew)
    if (wrong !== undefined) throw new Problem('unavailable', wrong, { retryAfter: 10 })
  }
}
