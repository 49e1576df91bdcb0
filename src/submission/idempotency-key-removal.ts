// Forgets idempotency keys once their day is over.

import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { forgetIdempotencyKeys, IDEMPOTENCY_MS } from '../store/messages/messages.ts'

const EVERY_MS = 3_600_000

/** Runs once an hour. A key that is used again after its day is forgotten at that moment, whenever this runs. */
export class IdempotencyKeyRemoval implements Part {
  readonly name = 'idempotency key removal'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  #cancel = (): void => {}

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#cancel = this.#clock.after(EVERY_MS, () => void this.#run())
  }

  stop(): void {
    this.#cancel()
  }

  async #run(): Promise<void> {
    const before = this.#clock.now() - IDEMPOTENCY_MS
    await this.#store.write(forgetIdempotencyKeys, { before }).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'old idempotency keys could not be removed')
    })
    this.start()
  }
}
