// Upkeep of large tables: one node creates the partitions of the coming days while other nodes keep writing.

import { presentOf } from '../store/database/dialect.ts'
import { addDays, CONTENT_PARTITIONS } from '../store/database/partitions.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'

const JOB = {
  name: 'upkeep of tables',
  lease: 'keep partitions',
  leaseMs: 5 * 60_000,
  everyMs: 3_600_000,
  // A starting node has more urgent work.
  firstMs: 10_000,
  failure: 'partitions could not be created; the next attempt is in an hour',
} as const

/** Creates missing partitions once an hour. Does nothing with SQLite, which has no partitions. */
export class TableUpkeep extends SingletonJob {
  readonly #resources: JobResources

  constructor(resources: JobResources) {
    super(resources, JOB)
    this.#resources = resources
  }

  override start(): void {
    if (this.#resources.store.unlimited !== undefined) super.start()
  }

  protected async round(): Promise<void> {
    const { store, clock } = this.#resources
    await store.unlimited?.(
      async (db) => addDays(db, CONTENT_PARTITIONS, await presentOf(db, clock.now())),
      this.stopping,
    )
  }
}
