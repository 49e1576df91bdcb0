// Gives recipients back to the queue that belong to this worker, or may, and are not attempted.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Returned } from '../store/leases.ts'
import type { Store } from '../store/store.ts'

export interface GivingBackOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** What waits while the store is away; what is beyond that becomes free when its lease ends. */
const MOST_HELD = 4_096

/** Keeps what is to be given back until the store has it. */
export class GivingBack {
  readonly #options: GivingBackOptions
  readonly #onGiven: () => void
  #held: Returned[] = []
  #last = Promise.resolve()

  /** `onGiven`: something is in the queue again. */
  constructor(options: GivingBackOptions, onGiven: () => void) {
    this.#options = options
    this.#onGiven = onGiven
  }

  /** With the next `give` these go. What of them the store does not have under their lease, it leaves alone. */
  add(held: readonly Returned[]): void {
    this.#held.push(...held.slice(0, MOST_HELD - this.#held.length))
  }

  /** Resolves when the store has what was added before, or cannot take it: then the next call tries again. */
  give(): Promise<void> {
    if (this.#held.length > 0) this.#last = this.#last.then(() => this.#give())
    return this.#last
  }

  async #give(): Promise<void> {
    const { store, clock, log } = this.#options
    const held = this.#held
    if (held.length === 0) return
    this.#held = []
    try {
      await store.write('handBack', { held, now: clock.now() })
      this.#onGiven()
    } catch (error) {
      log.warn({ err: error }, 'recipients could not be handed back')
      this.add(held)
    }
  }
}
