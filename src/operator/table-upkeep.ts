// Upkeep of large tables: one node creates the partitions of the coming days while other nodes keep writing.

import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { presentOf } from '../store/database/dialect.ts'
import { addDays, CONTENT_PARTITIONS } from '../store/database/partitions.ts'
import type { Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'

const EVERY_MS = 3_600_000
/** Delay of the first check, because a starting node has more urgent work. */
const FIRST_MS = 10_000
const JOB_LEASE_MS = 5 * 60_000

export interface TableUpkeepOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
}

/** Creates missing partitions once an hour. Does nothing with SQLite, which has no partitions. */
export class TableUpkeep implements Part {
  readonly name = 'upkeep of tables'
  readonly #options: TableUpkeepOptions
  readonly #job: SingletonJob
  readonly #looking: Periodic

  constructor(options: TableUpkeepOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    this.#job = new SingletonJob({ store, clock, node, name: 'keep partitions', leaseMs: JOB_LEASE_MS })
    this.#looking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS, firstMs: FIRST_MS },
      failure: 'partitions could not be created; the next attempt is in an hour',
      step: () => this.run(),
    })
  }

  start(): void {
    if (this.#options.store.unlimited !== undefined) this.#looking.start()
  }

  stop(): Promise<void> {
    return this.#looking.stop()
  }

  async run(): Promise<void> {
    const { store, clock } = this.#options
    if (store.unlimited === undefined || !(await this.#job.hold())) return
    await store.unlimited(
      async (db) => addDays(db, CONTENT_PARTITIONS, await presentOf(db, clock.now())),
      this.#looking.stopping,
    )
  }
}
