// Singleton jobs: work that one node does for all nodes.

import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { type Database, databaseMoment, databaseNow } from '../database/dialect.ts'
import type { Store } from '../database/store.ts'
import type { NodeName } from './node-identity.ts'

export interface SingletonJobOptions {
  readonly store: Store
  readonly clock: Clock
  readonly node: NodeName
  /** Name of the job, the same on all nodes. */
  readonly name: string
  /** Duration of the lease: another node takes over the job this long after a node has died. */
  readonly leaseMs: number
}

/** Fraction of the lease after which a claim is renewed. */
const KEPT_PART = 1 / 5

/** The claim of one node on a singleton job. */
export class SingletonJob {
  readonly #options: SingletonJobOptions
  readonly #lease: string
  #claimedAt = Number.NEGATIVE_INFINITY

  constructor(options: SingletonJobOptions) {
    this.#options = options
    // The token is the same for each process of a node, because the earlier process has ended.
    this.#lease = `${options.node.id}.job`
  }

  /** Claims the job, or renews the claim when renewal is due; returns false while another node holds the job. */
  async hold(): Promise<boolean> {
    const { store, clock, name, leaseMs } = this.#options
    const now = clock.now()
    // The absolute value prevents the use of a claim with a time in the future after the clock was set back.
    if (Math.abs(now - this.#claimedAt) < leaseMs * KEPT_PART) return true
    const held = await store.write(claimSingletonJob, {
      ...{ name, lease: this.#lease },
      ...{ now, until: now + leaseMs },
    })
    this.#claimedAt = held ? now : Number.NEGATIVE_INFINITY
    return held
  }
}

/** Claims a job until a given time, or renews the claim; the result is false while another node holds the job. */
export async function claimSingletonJob(
  db: Database,
  items: readonly {
    readonly name: string
    readonly lease: string
    readonly now: number
    readonly until: number
  }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { name, lease, now, until } of items) {
    const mayTake = sql`
      singleton_jobs.lease is null or singleton_jobs.lease = ${lease}
        or singleton_jobs.lease_until <= ${databaseNow(db, now)}`
    const { rows } = await sql`
      insert into singleton_jobs (name, lease, lease_until) values (${name}, ${lease}, ${databaseMoment(db, until)})
      on conflict (name) do update set lease = excluded.lease, lease_until = excluded.lease_until where ${mayTake}
      returning name`.execute(db)
    results.push(rows.length > 0)
  }
  return results
}
