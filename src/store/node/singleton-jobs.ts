// Singleton jobs: work that one node does for all of them.

import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Database } from '../database/dialect.ts'
import type { Store } from '../database/store.ts'

export interface SingletonJobOptions {
  readonly store: Store
  readonly clock: Clock
  /** The same on all nodes. */
  readonly name: string
  /** A node that dies is followed by another one after so long. */
  readonly leaseMs: number
}

/** A claim is relied on for this part of its lease, before it is renewed. */
const KEPT_PART = 1 / 5

/** A singleton job as one node holds it. */
export class SingletonJob {
  readonly #options: SingletonJobOptions
  readonly #holder = newId('nod')
  #claimedAt = Number.NEGATIVE_INFINITY

  constructor(options: SingletonJobOptions) {
    this.#options = options
  }

  /** Claims the job, or renews the claim when it is due; false while another node holds it. */
  async hold(): Promise<boolean> {
    const { store, clock, name, leaseMs } = this.#options
    const now = clock.now()
    // Without its sign: a claim by a clock that was ahead is not relied on once it is set back.
    if (Math.abs(now - this.#claimedAt) < leaseMs * KEPT_PART) return true
    const held = await store.write(claimSingletonJob, {
      ...{ name, holder: this.#holder },
      ...{ now, until: now + leaseMs },
    })
    this.#claimedAt = held ? now : Number.NEGATIVE_INFINITY
    return held
  }
}

/**
 * Claims or renews a job until a time; false while another node holds it. One that is held for more than twice as long
 * as asked for was claimed by a clock that was ahead, and counts as free.
 */
export async function claimSingletonJob(
  db: Database,
  items: readonly {
    readonly name: string
    readonly holder: string
    readonly now: number
    readonly until: number
  }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { name, holder, now, until } of items) {
    const rows = await db
      .insertInto('duties')
      .values({ name, holder, until_at: until })
      .onConflict((on) =>
        on
          .column('name')
          .doUpdateSet({ holder, until_at: until })
          .where((eb) =>
            eb.or([
              eb('duties.holder', '=', holder),
              eb('duties.until_at', '<=', now),
              eb('duties.until_at', '>', until + (until - now)),
            ]),
          ),
      )
      .returning('name')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
