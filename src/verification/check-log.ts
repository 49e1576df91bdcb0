// Verifications of single addresses on their way to the store: gathered in memory and written in batches, behind the answers.

import { systemClock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { recordChecks, type VerificationCheck } from '../store/verification/verification-checks.ts'

/** Pause between two writes; a process that is killed loses the checks that came in it. Credits are taken before. */
const EVERY_MS = 200
const MAX_RETRY_MS = 5_000
/** Checks of one transaction, which other writes wait for. */
const MAX_BATCH = 250
/** Checks that wait, of about 1 KB each: those of a second without the store, at most. */
const MAX_WAITING = 10_000

/**
 * Takes checks at once and writes them later, many in one commit. Checks that find no room, or that the store refuses,
 * are not kept, and counted.
 */
export class CheckLog implements Part {
  readonly name = 'verification checks'
  readonly #store: Store
  readonly #log: Log
  readonly #maxWaiting: number
  readonly #writing: Periodic
  #waiting: VerificationCheck[] = []
  #lost = 0

  constructor(store: Store, log: Log, maxWaiting = MAX_WAITING) {
    this.#store = store
    this.#maxWaiting = maxWaiting
    this.#log = log
    this.#writing = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS, maxRetryMs: MAX_RETRY_MS },
      failure: 'verifications cannot be kept; they wait',
      step: () => this.#write(),
    })
  }

  start(): void {
    this.#writing.start()
  }

  /** Writes what waits; checks that the store does not take then are lost. */
  async stop(): Promise<void> {
    await this.#writing.stop()
    await this.#writing.run()
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_verification_checks_lost_total',
        help: 'Verifications of single addresses that were answered and not kept',
        kind: 'counter',
        read: () => this.#lost,
      },
    ]
  }

  /** Notes a check. */
  add(check: VerificationCheck): void {
    if (this.#waiting.length < this.#maxWaiting) this.#waiting.push(check)
    else this.#lost++
  }

  /** Writes what waits now. Resolves when it is kept, or waits because the store does not take it. */
  flush(): Promise<void> {
    return this.#writing.runAnew()
  }

  /** Writes all that waits. Throws when the store does not take some of it, which then waits on. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH)
      // Each is an item of its own, so that one which the database refuses takes none with it.
      const ends = await Promise.allSettled(batch.map((check) => this.#store.write(recordChecks, check)))
      const failed = ends.flatMap((end, index) =>
        end.status === 'rejected' ? [{ check: batch[index]!, error: end.reason as unknown }] : [],
      )
      const [away, refused] = split(failed, ({ error }) => isAway(error))
      this.#lost += refused.length
      if (refused[0]) this.#log.error({ err: refused[0].error }, 'a verification could not be kept')
      if (away[0] === undefined) continue
      this.#waiting.unshift(...away.map(({ check }) => check))
      throw away[0].error
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable'

function split<T>(all: readonly T[], fits: (one: T) => boolean): [T[], T[]] {
  const { true: yes = [], false: no = [] } = Object.groupBy(
    all,
    (one) => String(fits(one)) as 'true' | 'false',
  )
  return [yes, no]
}
