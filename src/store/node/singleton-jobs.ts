// Singleton jobs: work that one node does for all nodes.

import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic, type PeriodicOptions } from '../../lib/periodic.ts'
import { type Database, databaseMoment, databaseNow } from '../database/dialect.ts'
import type { Store } from '../database/store.ts'
import type { NodeName } from './node-identity.ts'

export interface JobLeaseOptions {
  readonly store: Store
  readonly clock: Clock
  readonly node: NodeName
  /** Name of the job in the database, the same on all nodes. */
  readonly name: string
  /** Duration of the lease: another node takes over the job this long after a node has died. */
  readonly leaseMs: number
}

/** Fraction of the lease after which a claim is renewed. */
const KEPT_PART = 1 / 5

/** The claim of one node on a singleton job. */
export class JobLease {
  readonly #options: JobLeaseOptions
  readonly #lease: string
  #claimedAt = Number.NEGATIVE_INFINITY

  constructor(options: JobLeaseOptions) {
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

/** Store, clock, log and node of a singleton job. */
export interface JobResources extends Pick<JobLeaseOptions, 'store' | 'clock' | 'node'> {
  readonly log: Log
}

/** Declaration of a job: name and pauses of its rounds, and name and duration of its lease. */
export interface JobDeclaration
  extends Pick<PeriodicOptions, 'name' | 'failure' | 'everyMs' | 'firstMs'>,
    Pick<JobLeaseOptions, 'leaseMs'> {
  /** Name of the lease in the database, the same on all nodes. */
  readonly lease: string
}

/** A job with periodic rounds, which run on the node that holds the lease. */
export abstract class SingletonJob implements Part {
  readonly name: string
  readonly #lease: JobLease
  readonly #rounds: Periodic

  constructor({ store, clock, node, log }: JobResources, { lease, leaseMs, ...rounds }: JobDeclaration) {
    this.name = rounds.name
    this.#lease = new JobLease({ store, clock, node, name: lease, leaseMs })
    this.#rounds = new Periodic({ ...rounds, clock, log, step: () => this.run() })
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** Runs one round now, unless another node holds the lease. */
  async run(): Promise<void> {
    if (await this.goesOn()) await this.round()
  }

  /** Does the work of one round. A long round ends early when `goesOn` returns false. */
  protected abstract round(): Promise<unknown>

  /** Returns true while this node holds the lease and is not stopping; renews the lease when renewal is due. */
  protected async goesOn(): Promise<boolean> {
    return !this.stopping.aborted && (await this.#lease.hold())
  }

  /** Signal that is aborted as soon as `stop` is called. */
  protected get stopping(): AbortSignal {
    return this.#rounds.stopping
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
