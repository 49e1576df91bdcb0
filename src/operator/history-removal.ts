// The hourly removal of what is older than the settings keep, made by one node at a time.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { reading, type Store } from '../store/database/store.ts'
import { findAccountsWithHistory, forgetHistory } from '../store/messages/history-removal.ts'
import { takeDuty } from '../store/node/duties.ts'

const EVERY_MS = 3_600_000
/** A node that dies is followed by another one after so long. */
const DUTY_MS = 5 * 60_000

export interface HistoryRemovalOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Lifetime of entries of the audit log. */
  readonly auditMs: number
  /** Lifetime of the figures of what was sent. */
  readonly figuresMs: number
}

/** Removes a little at a time, so that nobody who writes waits for it. */
export class HistoryRemoval implements Part {
  readonly name = 'removal of old history'
  readonly #options: HistoryRemovalOptions
  readonly #node = newId('nod')
  #cancel = (): void => {}
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: HistoryRemovalOptions) {
    this.#options = options
  }

  start(): void {
    const { clock, log } = this.#options
    this.#cancel = clock.after(EVERY_MS, () => {
      this.#running = this.run()
        .catch((error: unknown) => log.warn({ err: error }, 'old history could not be removed'))
        .then(() => {
          if (!this.#stopped) this.start()
        })
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#running
  }

  /** One round. */
  async run(): Promise<void> {
    const { store, clock, auditMs, figuresMs } = this.#options
    const since = { audit: clock.now() - auditMs, figures: clock.now() - figuresMs }
    for (const accountId of await reading(findAccountsWithHistory(store.read, since))) {
      while (!this.#stopped && (await this.#takeDuty())) {
        if (!(await store.write(forgetHistory, { accountId, ...since }))) break
      }
    }
  }

  #takeDuty(): Promise<boolean> {
    const now = this.#options.clock.now()
    const duty = { name: 'remove old history', holder: this.#node, now, until: now + DUTY_MS }
    return this.#options.store.write(takeDuty, duty)
  }
}
